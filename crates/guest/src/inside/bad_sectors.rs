//! Drives with sectors that cannot be read or written.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{device_of, drivelab};

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("unreadable_sectors_of_an_nvme_drive_are_named", unreadable_sectors_of_an_nvme_drive_are_named),
    ("an_unwritable_sector_of_an_nvme_drive_is_named", an_unwritable_sector_of_an_nvme_drive_is_named),
    ("unreadable_sectors_of_a_sata_drive_are_named", unreadable_sectors_of_a_sata_drive_are_named),
];

// One I/O at a time: the kernel merges those that follow each other, and all of a merged request fail with it.

/// The blocks of 64 KiB, by their first sectors, that hold the sectors that `scenarios.rs` makes unreadable.
const UNREADABLE: [u64; 2] = [99_968, 199_936];
/// The one that holds the sector that cannot be written.
const UNWRITABLE: [u64; 1] = [149_888];

fn unreadable_sectors_of_an_nvme_drive_are_named() -> Result<()> {
    let drive = device_of("worn")?;
    let words = format!("load {drive} --rw read --block-size 64KiB --bytes 128MiB --queue-depth 1");
    let meanings = ["NVMe: a read of 128 blocks from LBA 99968 failed", "NVMe: Unrecovered Read Error"];
    check(&words, ("read", &UNREADABLE), &meanings)
}

fn an_unwritable_sector_of_an_nvme_drive_is_named() -> Result<()> {
    let drive = device_of("worn")?;
    let words =
        format!("load {drive} --rw write --serial worn --block-size 64KiB --bytes 128MiB --queue-depth 1");
    check(&words, ("write", &UNWRITABLE), &["NVMe: Write Fault", "a write of nvme"])
}

fn unreadable_sectors_of_a_sata_drive_are_named() -> Result<()> {
    let drive = device_of("aged")?;
    let words = format!("load {drive} --rw read --block-size 64KiB --bytes 128MiB --queue-depth 1");
    check(
        &words,
        ("read", &UNREADABLE),
        &["cmd: READ FPDMA QUEUED of 128 sectors from LBA 99968", "status ERR"],
    )
}

/// Runs a load that has to fail at these sectors and at no others, with the kernel's lines in the result and on its page.
///
/// # Errors
/// Where it does not, or does not say so.
pub fn check(words: &str, (operation, sectors): (&str, &[u64]), meanings: &[&str]) -> Result<()> {
    let _ = fs::remove_dir_all("/tmp/bad");
    let ended = drivelab(&format!("{words} -o /tmp/bad --json"))?;
    ensure!(ended.code == Some(1), "ended with {:?}: {}", ended.code, ended.complaint);
    ensure!(ended.complaint.contains("the kernel reports"), "not said meanwhile: {}", ended.complaint);
    let document = ended.document()?;
    check_failed(&document, (operation, sectors))?;
    let page = fs::read_to_string("/tmp/bad/report.html")?;
    let log = document.pointer("/run/kernel_log").context("no lines of the kernel's log")?.to_string();
    for meaning in meanings {
        ensure!(log.contains(meaning), "{meaning:?} is not in the result: {log}");
        ensure!(page.contains(meaning), "{meaning:?} is not in the page");
    }
    ensure!(page.contains("\"kernel: "), "no mark on the time axis");
    Ok(())
}

/// Checks at which sectors the I/Os of a load have failed, and that no others have.
///
/// # Errors
/// Where it was elsewhere.
pub fn check_failed(document: &Value, (operation, sectors): (&str, &[u64])) -> Result<()> {
    let failed = document.pointer("/findings/ios/phases/0/failed_at").and_then(Value::as_array);
    let failed = failed.with_context(|| format!("no addresses: {}", document["findings"]))?;
    let found: Vec<u64> = failed.iter().filter_map(|place| place["sector"].as_u64()).collect();
    ensure!(found == sectors, "failed at {failed:?}");
    ensure!(failed.iter().all(|place| place["operation"] == operation), "{failed:?}");
    Ok(())
}
