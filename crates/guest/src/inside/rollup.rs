//! The rollup of a recording that goes on past the end of five minutes, which here is the end of a day, too: the clock of the
//! machine is set to some seconds before midnight, for which no other machine would wait.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::program::{device_of, run, succeeds, wait_until, wait_until_recorded};

const TRACE: &str = "/tmp/past-midnight";
const LIVE: &str = "/tmp/live";
const EXPORTED: &str = "/tmp/exported";

const SECONDS_PER_DAY: u64 = 86_400;
/// How long before midnight the recording begins: its first reads are made in this time, on an emulated processor.
const BEFORE_MIDNIGHT: u64 = 40;
/// How long the rest of that and the way of an interval to the destination may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The reads of 64 KiB on either side of midnight.
const READS: u64 = 16;

/// What ended is in the destination while the recording goes on; at its end each byte there is that of an export.
pub fn a_rollup_is_written_while_its_recording_goes_on() -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let midnight = (now / SECONDS_PER_DAY + 1) * SECONDS_PER_DAY;
    run(&format!("date -s @{}", midnight - BEFORE_MIDNIGHT))?;
    let drive = device_of("twin")?;
    let mut recorder = start(&drive)?;
    wait_until_recorded(TRACE)?;
    read(&drive)?;
    ensure!(seconds()? < midnight, "the reads before midnight took until {} after it", seconds()? - midnight);
    wait_until(PATIENCE, "nothing was written while the recording goes on", || {
        succeeds(&format!("fleet report {LIVE}")).is_ok_and(|report| reads_in(&report) == READS)
    })?;
    ensure!(seconds()? >= midnight && days()? == 1, "the interval was written before it ended");
    read(&drive)?;
    // The events are read once a second.
    thread::sleep(Duration::from_secs(2));
    run(&format!("kill -INT {}", recorder.id()))?;
    ensure!(recorder.wait()?.success(), "the recorder failed");
    ensure!(days()? == 2, "not both days are in the destination");
    succeeds(&format!("export {TRACE} --destination {EXPORTED}"))?;
    ensure!(files_in(LIVE)? == files_in(EXPORTED)?, "an export of the trace has other files");
    let reads = reads_in(&succeeds(&format!("fleet report {LIVE}"))?);
    ensure!(reads == 2 * READS, "{reads} reads in the destination");
    Ok(())
}

fn start(drive: &str) -> Result<Child> {
    let words = format!("trace record --device {drive} --output {TRACE} --rollup-to {LIVE}");
    let mut command = Command::new("/bin/drivelab");
    Ok(command.args(words.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

/// Without the page cache, which would ask for more than that.
fn read(drive: &str) -> Result<()> {
    run(&format!("dd if={drive} of=/dev/null bs=64k count={READS} iflag=direct")).map(drop)
}

/// Now, in seconds since 1970.
fn seconds() -> Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())
}

/// The reads of which a report of the destination knows.
fn reads_in(report: &Value) -> u64 {
    let rows = report.pointer("/findings/percentiles_by_model").and_then(Value::as_array);
    let reads = rows.into_iter().flatten().filter(|row| row["operation"] == "read");
    reads.filter_map(|row| row["ios"].as_u64()).sum()
}

/// The days of which there are rollups in the destination.
fn days() -> Result<usize> {
    let names = fs::read_dir(LIVE)?.map(|entry| Ok(entry?.file_name()));
    let names = names.collect::<Result<Vec<_>>>()?;
    Ok(names.iter().filter(|name| name.to_string_lossy().starts_with("date=")).count())
}

/// The contents of all files below a folder, by their paths in it.
fn files_in(folder: &str) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).context("a path below the folder")?.to_owned();
                files.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(files)
}
