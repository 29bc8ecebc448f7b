//! drivelab and other programs, as the tests run them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// What a run of drivelab printed, and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub complaint: String,
}

impl Ended {
    /// The document that it printed.
    ///
    /// # Errors
    /// Where it printed none.
    pub fn document(&self) -> Result<Value> {
        serde_json::from_str(&self.output)
            .with_context(|| format!("no document: {}{}", self.output, self.complaint))
    }
}

/// Runs drivelab with these words to its end.
///
/// # Errors
/// Where it cannot be run.
pub fn drivelab(words: &str) -> Result<Ended> {
    Ok(ended(&Command::new("drivelab").args(words.split_whitespace()).output()?))
}

/// What a process that ran to its end has printed.
pub fn ended(output: &Output) -> Ended {
    Ended {
        code: output.status.code(),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        complaint: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs drivelab to a good end, and returns the document that it printed.
///
/// # Errors
/// Where it ends otherwise.
pub fn succeeds(words: &str) -> Result<Value> {
    let ended = drivelab(&format!("{words} --json"))?;
    let Ended { code, complaint, .. } = &ended;
    // A result that fails a check says why in its document alone.
    let notices = || ended.document().ok()?.pointer("/run/notices").map(Value::to_string);
    ensure!(
        *code == Some(0),
        "drivelab {words} ended with {code:?}: {complaint} {}",
        notices().unwrap_or_default()
    );
    ended.document()
}

/// Runs another program to a good end, and returns its output.
///
/// # Errors
/// Where it ends otherwise.
pub fn run(words: &str) -> Result<String> {
    let mut parts = words.split_whitespace();
    let program = parts.next().context("a program has a name")?;
    let output =
        Command::new(program).args(parts).output().with_context(|| format!("{program} cannot be run"))?;
    ensure!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Waits until something is so; `missing` says what was not.
///
/// # Errors
/// Where it takes longer than this.
pub fn wait_until(patience: Duration, missing: &str, mut is_so: impl FnMut() -> bool) -> Result<()> {
    let began = Instant::now();
    while !is_so() {
        ensure!(began.elapsed() < patience, "{missing}");
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// How long a program may take to begin its work: its processor is an emulated one, and gets a part of a real one.
const LONGEST_BEGIN: Duration = Duration::from_secs(90);

/// Waits until the first phase of a run with this folder has begun.
///
/// # Errors
/// Where none does.
pub fn wait_until_begun(folder: &str) -> Result<()> {
    let has_phases = |folder: &Path| {
        let manifest = fs::read(folder.join("run.json")).unwrap_or_default();
        let found: Value = serde_json::from_slice(&manifest).unwrap_or_default();
        found["phases"].as_array().is_some_and(|phases| !phases.is_empty())
    };
    // A test of several drives has a folder for each.
    let has_begun = || {
        let inner = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        has_phases(Path::new(folder)) || inner.into_iter().any(|inner| has_phases(&inner))
    };
    wait_until(LONGEST_BEGIN, "the run does not begin", has_begun)
}

/// Waits until a recording of block I/O with this folder has begun.
///
/// # Errors
/// Where it does not.
pub fn wait_until_recorded(folder: &str) -> Result<()> {
    let manifest = Path::new(folder).join("trace.json");
    wait_until(LONGEST_BEGIN, "the recording does not begin", || manifest.exists())
}

/// Waits until something more is written to a drive than was when the program before began.
///
/// # Errors
/// Where nothing is.
pub fn wait_until_written(drive: &str, before: u64) -> Result<()> {
    let is_written = || sectors_written(drive).is_ok_and(|now| now > before);
    wait_until(LONGEST_BEGIN, "nothing is written to the drive", is_written)
}

/// Sectors that were ever written to a drive, as the kernel counts them.
///
/// # Errors
/// Where it has no counters.
pub fn sectors_written(drive: &str) -> Result<u64> {
    let name = drive.trim_start_matches("/dev/");
    let counters = fs::read_to_string(format!("/sys/class/block/{name}/stat"))?;
    Ok(counters.split_whitespace().nth(6).unwrap_or_default().parse()?)
}

/// A value of the kernel's command line.
///
/// # Errors
/// Where that cannot be read.
pub fn from_command_line(key: &str) -> Result<Option<String>> {
    let line = fs::read_to_string("/proc/cmdline")?;
    let value = line.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    Ok(value.map(str::to_owned))
}

/// The block device of the drive with this serial number.
///
/// # Errors
/// Where there is none.
pub fn device_of(serial: &str) -> Result<String> {
    for entry in fs::read_dir("/sys/block")?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let own = serial_of(&entry.path());
        // A path to a drive with several controllers is hidden: it has no node.
        let is_hidden = fs::read_to_string(entry.path().join("hidden")).is_ok_and(|text| text.trim() == "1");
        if !is_hidden && own.is_some_and(|own| own.trim() == serial) {
            return Ok(format!("/dev/{name}"));
        }
    }
    anyhow::bail!("no drive has the serial number {serial}")
}

fn serial_of(device: &Path) -> Option<String> {
    // A virtio drive has its serial number in its own folder.
    for place in ["device/serial", "serial"] {
        if let Ok(serial) = fs::read_to_string(device.join(place)) {
            return Some(serial);
        }
    }
    // The page of a SCSI drive that holds its serial number, after a head of four bytes.
    let page = fs::read(device.join("device/vpd_pg80")).ok()?;
    Some(String::from_utf8_lossy(page.get(4..)?).into_owned())
}
