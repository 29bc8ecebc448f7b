//! Purges of NVMe drives: one by itself, and one of two namespaces.

use std::fs;

use anyhow::{Result, ensure};

use crate::Test;
use crate::contents::{fill, holds_pattern};
use crate::program::{device_of, drivelab, run, succeeds};

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("a_dry_run_says_which_purge_and_changes_nothing", a_dry_run_says_which_purge_and_changes_nothing),
    ("a_purge_that_the_drive_lacks_is_refused", a_purge_that_the_drive_lacks_is_refused),
    ("a_format_of_one_namespace_leaves_the_other", a_format_of_one_namespace_leaves_the_other),
    ("a_test_purges_the_drive_by_its_own_command", a_test_purges_the_drive_by_its_own_command),
    ("a_discard_of_the_whole_drive_is_one_purge", a_discard_of_the_whole_drive_is_one_purge),
];

fn a_dry_run_says_which_purge_and_changes_nothing() -> Result<()> {
    let drive = device_of("alpha")?;
    fill(&drive)?;
    let planned = drivelab(&format!("purge {drive} --dry-run --serial alpha --destroy-data"))?;
    println!("{}{}", planned.output, planned.complaint);
    ensure!(planned.code == Some(0), "{planned:?}");
    ensure!(planned.output.contains("NVMe Format") && planned.output.contains("SANICAP"), "{planned:?}");
    let unconfirmed = drivelab(&format!("purge {drive} --serial twin --destroy-data"))?;
    ensure!(unconfirmed.code == Some(4), "{unconfirmed:?}");
    ensure!(holds_pattern(&drive)?, "the drive was changed");
    Ok(())
}

fn a_purge_that_the_drive_lacks_is_refused() -> Result<()> {
    let drive = device_of("alpha")?;
    let refused = drivelab(&format!("purge {drive} --purge sanitize --serial alpha --destroy-data"))?;
    ensure!(refused.code == Some(3) && refused.complaint.lines().count() == 1, "{refused:?}");
    ensure!(refused.complaint.contains("no Sanitize"), "{refused:?}");
    ensure!(holds_pattern(&drive)?, "the drive was changed");
    Ok(())
}

fn a_format_of_one_namespace_leaves_the_other() -> Result<()> {
    let one = device_of("twin")?;
    let (stem, number) = one.rsplit_once('n').unwrap_or((&one, "1"));
    let other = format!("{stem}n{}", if number == "1" { 2 } else { 1 });
    for drive in [&one, &other] {
        fill(drive)?;
    }
    let sum = |text: &str| run(&format!("sha256sum {text}"));
    fs::write("/proc/sys/vm/drop_caches", "3")?;
    let before = sum(&other)?;
    // Both have the serial number of their drive.
    let refused = drivelab(&format!("purge {one} --purge format --serial twin --destroy-data"))?;
    ensure!(refused.code == Some(4), "a namespace is confirmed by the number of both: {refused:?}");
    let namespace = fs::read_to_string(format!("/sys/block/{}/nsid", one.trim_start_matches("/dev/")))?;
    let serial = format!("--serial=twin@namespace-{}", namespace.trim());
    let purged = succeeds(&format!("purge {one} --purge format {serial} --destroy-data"))?;
    println!("{purged}");
    ensure!(purged["unchanged"] == 0, "data is still there: {purged}");
    fs::write("/proc/sys/vm/drop_caches", "3")?;
    ensure!(sum(&other)? == before && holds_pattern(&other)?, "the other namespace was changed");
    ensure!(!holds_pattern(&one)?, "the namespace was not erased");
    Ok(())
}

fn a_test_purges_the_drive_by_its_own_command() -> Result<()> {
    let drive = device_of("alpha")?;
    let confirmed = format!("{drive} --serial alpha --destroy-data");
    let lacking = drivelab(&format!("consistency {confirmed} --purge sanitize -o /tmp/lacking"))?;
    ensure!(lacking.code == Some(3) && lacking.complaint.contains("no Sanitize"), "{lacking:?}");
    fill(&drive)?;
    let read = drivelab(&format!("consistency {confirmed} --purge sanitize --dry-run"))?;
    ensure!(read.code == Some(3) && holds_pattern(&drive)?, "{read:?}");
    let found = succeeds(&format!(
        "consistency {confirmed} --purge auto --precondition none --duration 2s -o /tmp/purged"
    ))?;
    let notices = found.pointer("/run/notices").map(ToString::to_string).unwrap_or_default();
    println!("{notices}");
    ensure!(notices.contains("Purge: NVMe Format (user data erase), because"), "{found}");
    ensure!(notices.contains("of 64 places read back, 64 return zeros"), "{notices}");
    Ok(())
}

fn a_discard_of_the_whole_drive_is_one_purge() -> Result<()> {
    let drive = device_of("alpha")?;
    let purged = succeeds(&format!("purge {drive} --purge discard --serial alpha --destroy-data"))?;
    ensure!(purged["unchanged"] == 0 && purged["zeros"] == 64, "{purged}");
    Ok(())
}
