//! What QEMU's NVMe drives do not have, on a controller of our own behind the kernel's driver.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::bad_sectors;
use crate::contents::{fill, holds_pattern};
use crate::own_controller::{FLASH_FACTOR, SERIAL, Settings, VendorLog, own_controller};
use crate::program::{device_of, drivelab, succeeds};
use crate::sanitize::a_sanitize_cut_off_by_a_reset_is_found_and_awaited;

/// The tests, in order.
pub const TESTS: &[Test] = &[
    (
        "a_sanitize_cut_off_by_a_reset_is_found_and_awaited",
        a_sanitize_cut_off_by_a_reset_is_found_and_awaited,
    ),
    ("a_purge_that_reaches_another_namespace_is_refused", a_purge_that_reaches_another_namespace_is_refused),
    (
        "a_drive_that_knows_no_other_erase_is_formatted_by_its_key",
        a_drive_that_knows_no_other_erase_is_formatted_by_its_key,
    ),
    ("a_drive_that_another_host_has_reserved_is_refused", a_drive_that_another_host_has_reserved_is_refused),
    ("each_status_of_a_failed_read_is_named", each_status_of_a_failed_read_is_named),
    ("a_drive_that_hangs_is_told_of_meanwhile", a_drive_that_hangs_is_told_of_meanwhile),
    ("the_health_log_is_read", the_health_log_is_read),
    ("a_drive_says_by_its_counter_when_it_throttles", a_drive_says_when_it_throttles),
    (
        "writes_to_the_flash_are_those_of_the_log_with_the_right_guid",
        writes_to_the_flash_are_those_of_the_log,
    ),
];

fn writes_to_the_flash_are_those_of_the_log() -> Result<()> {
    for log in [VendorLog::Absent, VendorLog::Other, VendorLog::Ocp] {
        own_controller(Settings { vendor_log: log, ..Settings::default() })?;
        let drive = device_of(SERIAL)?;
        let words =
            format!("load {drive} --rw write --duration 3s --serial {SERIAL} --destroy-data -o /tmp/{log:?}");
        let run = succeeds(&words)?;
        let phase = &run["run"]["phases"][0];
        let written = phase.get("written");
        if log != VendorLog::Ocp {
            ensure!(written.is_none(), "{log:?}: {phase}");
            continue;
        }
        let amount = |name: &str| written.and_then(|written| written[name]["amount"].as_u64());
        let (host, flash) = (amount("host").unwrap_or(0), amount("flash").unwrap_or(0));
        // The host's bytes are counted in units.
        let moved = flash / FLASH_FACTOR;
        ensure!(moved > 0 && host.abs_diff(moved) <= 512_000, "{phase}");
        let page = fs::read_to_string("/tmp/Ocp/report.html")?;
        ensure!(page.contains("Writes to the flash"), "the page does not show it");
    }
    Ok(())
}

/// The drive is as warm as ever, and below its warning temperature: its counter alone says that it throttles. Where the machine
/// was too busy to read the counter in time, rates on both sides of the change are not shown, and it is tried again.
fn a_drive_says_when_it_throttles() -> Result<()> {
    let mut heat = Value::Null;
    for folder in ["/tmp/hot", "/tmp/hot-again", "/tmp/hot-at-last"] {
        heat = throttles(folder)?;
        if heat["throttled"][0]["rate_mb_s"].is_f64() {
            break;
        }
    }
    let number =
        |name: &str| heat["throttled"][0][name].as_f64().with_context(|| format!("no {name}: {heat}"));
    ensure!(number("rate_mb_s")? < number("rate_before_mb_s")? / 2.0, "{heat}");
    Ok(())
}

/// Writes to a drive until it throttles and on, and returns what was found of its heat.
fn throttles(folder: &str) -> Result<Value> {
    let throttles = Some((Duration::from_secs(8), Duration::from_millis(20)));
    own_controller(Settings { throttles, ..Settings::default() })?;
    let drive = device_of(SERIAL)?;
    let words = format!(
        "load {drive} --rw write --block-size 4KiB --queue-depth 4 --duration 20s --serial {SERIAL} --destroy-data -o {folder}"
    );
    let run = succeeds(&words)?;
    let heat = &run["run"]["outcome"]["heat"];
    let throttled = &heat["throttled"][0];
    let number = |name: &str| throttled[name].as_f64().with_context(|| format!("no {name}: {heat}"));
    let of_run = heat["counted"]["thermal_1_seconds"].as_f64().context("seconds of the run")?;
    let counted = number("counted_s")?;
    ensure!(counted > 0.0 && (of_run - counted).abs() <= 3.0 && number("began_s")? > 0.0, "{heat}");
    let readings = fs::read_to_string(format!("{folder}/machine.csv"))?;
    ensure!(
        readings.lines().next().is_some_and(|head| head.ends_with("throttling counted (s)")),
        "{readings}"
    );
    let page = fs::read_to_string(format!("{folder}/report.html"))?;
    ensure!(
        page.contains("by its own counter") && page.contains("throttling, s"),
        "the page does not show it"
    );
    Ok(heat.clone())
}

fn a_purge_that_reaches_another_namespace_is_refused() -> Result<()> {
    own_controller(Settings { has_another_namespace: true, ..Settings::default() })?;
    let drive = device_of(SERIAL)?;
    fill(&drive)?;
    let words = format!("{drive} --serial {SERIAL} --destroy-data");
    for command in ["purge", "consistency"] {
        let refused = drivelab(&format!("{command} {words} --purge sanitize"))?;
        ensure!(refused.code == Some(4), "{command}: {refused:?}");
        ensure!(refused.complaint.contains("erases all namespaces, and there is another one"), "{refused:?}");
    }
    ensure!(holds_pattern(&drive)?, "the drive was changed");
    let instead = drivelab(&format!("purge {words} --dry-run"))?;
    ensure!(instead.code == Some(0) && instead.output.contains("NVMe Format"), "{instead:?}");
    Ok(())
}

fn a_drive_that_knows_no_other_erase_is_formatted_by_its_key() -> Result<()> {
    let controller = own_controller(Settings { erases_user_data: false, ..Settings::default() })?;
    let drive = device_of(SERIAL)?;
    fill(&drive)?;
    let purged = succeeds(&format!("purge {drive} --purge format --serial {SERIAL} --destroy-data"))?;
    println!("{purged}");
    ensure!(controller.formats() == [2], "{:?}", controller.formats());
    ensure!(purged["method"] == "NVMe Format (crypto erase)" && purged["zeros"] == 64, "{purged}");
    ensure!(purged["why"].to_string().contains("the drive refused a user data erase"), "{purged}");
    let log = fs::read_to_string("/tmp/.local/state/drivelab/audit.log")?;
    let erases = ["(user data erase)", "(crypto erase)"].map(|erase| log.matches(erase).count());
    ensure!(erases == [1, 1], "not each command is in the audit log: {log}");
    Ok(())
}

fn a_drive_that_another_host_has_reserved_is_refused() -> Result<()> {
    let drive = device_of(SERIAL)?;
    let words = format!("load {drive} --serial {SERIAL} --destroy-data --rw write --bytes 1MiB");
    own_controller(Settings { is_reserved: true, ..Settings::default() })?;
    fill(&drive)?;
    let refused = drivelab(&words)?;
    ensure!(
        refused.code == Some(4) && refused.complaint.contains("reserved by another machine"),
        "{refused:?}"
    );
    ensure!(holds_pattern(&drive)?, "the drive was changed");
    own_controller(Settings::default())?;
    let free = drivelab(&words)?;
    ensure!(free.code == Some(0) && !free.complaint.contains("reservations"), "{free:?}");
    Ok(())
}

/// Unrecovered Read Error, Access Denied, and Internal Error.
fn each_status_of_a_failed_read_is_named() -> Result<()> {
    let unreadable = vec![(1_000, 0x281), (12_345, 0x286), (30_000, 0x006)];
    own_controller(Settings { unreadable, ..Settings::default() })?;
    let drive = device_of(SERIAL)?;
    let words = format!("load {drive} --rw read --block-size 4KiB --bytes 16MiB --queue-depth 1");
    let meanings = ["NVMe: Unrecovered Read Error", "NVMe: Access Denied", "NVMe: Internal Error"];
    bad_sectors::check(&words, ("read", &[1_000, 12_344, 30_000]), &meanings)
}

fn a_drive_that_hangs_is_told_of_meanwhile() -> Result<()> {
    own_controller(Settings { hangs_at: Some((20_000, Duration::from_secs(9))), ..Settings::default() })?;
    let drive = device_of(SERIAL)?;
    let read = drivelab(&format!("load {drive} --rw read --bytes 16MiB --queue-depth 4 --json"))?;
    let said = ["the drive has answered no I/O for 5", "the drive answers again, after "];
    let places: Vec<Option<usize>> = said.iter().map(|words| read.complaint.find(words)).collect();
    ensure!(places[0].is_some() && places[0] < places[1], "{read:?}");
    let notice = "The drive answered nothing for";
    ensure!(read.output.contains(notice), "{}", read.document()?["run"]["notices"]);
    Ok(())
}

fn the_health_log_is_read() -> Result<()> {
    own_controller(Settings::default())?;
    let drive = device_of(SERIAL)?;
    let words = format!("load {drive} --serial {SERIAL} --destroy-data --rw write --bytes 1MiB --json");
    let written = drivelab(&words)?;
    let notices = written.document()?["run"]["notices"].to_string();
    for notice in ["the drive has counted 2 media errors", "highest temperature was 41 °C"] {
        ensure!(notices.contains(notice), "{notices}");
    }
    let lifetime = succeeds(&format!("lifetime {drive}"))?;
    ensure!(lifetime["findings"]["drives"][0]["percentage_used"] == 7, "{lifetime}");
    Ok(())
}
