//! A drive that comes into use while it is written, and devices in the place of files that drivelab writes.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::Test;
use crate::program::{device_of, drivelab, ended, run, sectors_written, wait_until_written};

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("a_drive_that_comes_into_use_ends_the_run", a_drive_that_comes_into_use_ends_the_run),
    ("no_device_becomes_a_file", no_device_becomes_a_file),
];

/// The claim of a drive keeps no loop device away: a file system can be made and mounted over it.
fn a_drive_that_comes_into_use_ends_the_run() -> Result<()> {
    let drive = device_of("alpha")?;
    run("modprobe loop")?;
    let before = sectors_written(&drive)?;
    let words =
        format!("load {drive} --rw randwrite --duration 600s --serial alpha --destroy-data -o /tmp/in-use");
    let mut command = Command::new("drivelab");
    let load =
        command.args(words.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    wait_until_written(&drive, before)?;
    let device = run("losetup -f")?.trim().to_owned();
    run(&format!("losetup {device} {drive}"))?;
    // The run may have ended before either: what counts is that the kernel keeps neither away.
    let _ =
        run(&format!("mkfs.ext4 -q -F {device}")).and_then(|_| run(&format!("mount -t ext4 {device} /mnt")));
    let ended = ended(&load.wait_with_output()?);
    let _ = run("umount /mnt");
    run(&format!("losetup -d {device}"))?;
    let name = device.trim_start_matches("/dev/");
    ensure!(ended.code == Some(4), "ended with {:?}: {}", ended.code, ended.complaint);
    for part in ["came into use", name] {
        ensure!(ended.complaint.contains(part), "{part} is not in: {}", ended.complaint);
    }
    let page = fs::read_to_string("/tmp/in-use/report.html")?;
    ensure!(page.contains("came into use"), "the page does not say why the run ended");
    Ok(())
}

/// Nothing that root may name becomes a regular file.
fn no_device_becomes_a_file() -> Result<()> {
    let drive = device_of("alpha")?;
    let others = ["/dev/null", "/dev/zero", "/dev/console", &drive, &device_of("twin")?];
    for place in others {
        for words in [
            format!("load {drive} --rw randread --duration 1s --openmetrics {place}"),
            format!("load sim:consistent --duration 1s --openmetrics {place} --dry-run"),
            format!("trace record -o /tmp/no-trace --duration 1s --openmetrics {place}"),
        ] {
            let ended = drivelab(&words)?;
            ensure!(ended.code == Some(2), "{words} ended with {:?}: {}", ended.code, ended.complaint);
            is_device(place)?;
        }
    }
    for words in [
        format!("quick {drive} --report {drive}"),
        format!("lifetime {drive} --report {drive}"),
        format!(
            "stream record /tmp/t.bin --file-size 64MiB --channel a=synthetic --kept {drive} --duration 1s"
        ),
    ] {
        let ended = drivelab(&words)?;
        ensure!(ended.code == Some(2), "{words} ended with {:?}: {}", ended.code, ended.complaint);
        is_device(&drive)?;
    }
    // What discards everything takes a page, and stays what it is.
    let ended = drivelab("quick sim:consistent?size=256MiB --report /dev/null")?;
    ensure!(ended.code == Some(0), "ended with {:?}: {}", ended.code, ended.complaint);
    is_device("/dev/null")
}

fn is_device(place: &str) -> Result<()> {
    let kind = fs::symlink_metadata(place)?.file_type();
    ensure!(kind.is_block_device() || kind.is_char_device(), "{place} is no device any more");
    Ok(())
}
