//! `boot.json`: what is kept of a boot beside the trace of its I/O. The folder of a boot is that of a trace, too.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use drivelab_files::{DOCUMENT, write_whole};
use serde::{Deserialize, Serialize};

use crate::counters::{DriveCounters, ProcessorSample};
use crate::systemd::ManagerTimes;
use crate::units::UnitTimes;

/// The schema of `boot.json`.
pub const BOOT_SCHEMA: &str = "drivelab.boot-folder/1";

const FILE: &str = "boot.json";

/// Why the folder of a boot cannot be read or written; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// The system refused: the file, and its error.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// The folder is not that of a boot, and why not.
    #[error("{0} is not the folder of a boot: {1}")]
    NotABoot(PathBuf, String),
}

/// Whether the folder is that of a boot.
pub fn is_boot_folder(path: &Path) -> bool {
    path.join(FILE).is_file()
}

/// One boot of one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootRecord {
    /// Always [`BOOT_SCHEMA`].
    pub schema: String,
    /// The version of drivelab that kept it.
    pub version: String,
    /// The kernel's own identifier of the boot.
    pub boot_id: String,
    /// When the kernel began, in nanoseconds since 1970, by the clock as it was at the end of the boot.
    pub began_unix_ns: u64,
    /// The machine.
    pub machine: BootMachine,
    /// The drive that holds the root file system; none where that is on no single drive.
    pub drive: Option<BootDrive>,
    /// When each part of the boot began.
    pub times: ManagerTimes,
    /// The target that the boot led to; none where systemd does not say.
    pub target: Option<TargetTime>,
    /// What was started, in the order in which that began.
    pub units: Vec<UnitTimes>,
    /// Programs that ran, in the order of their beginning.
    pub processes: Vec<BootProcess>,
    /// How the processors spent their time.
    pub processors: Vec<ProcessorSample>,
    /// When the trace ended, in nanoseconds from the kernel's beginning.
    pub traced_until_ns: u64,
    /// What the kernel had counted of the drive at that moment.
    pub counters: Option<DriveCounters>,
    /// What a reader has to know before believing the figures, a sentence each.
    pub notices: Vec<String>,
}

/// The machine that booted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootMachine {
    /// Its host name.
    pub name: String,
    /// The kernel's release, such as `6.12.9-amd64`.
    pub kernel: String,
    /// The kernel's command line.
    pub command_line: String,
    /// How many processors it has.
    pub processors: u32,
}

/// A drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootDrive {
    /// The kernel's name of it, such as `nvme0n1`.
    pub name: String,
    /// Its model.
    pub model: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Its world-wide name; absent where it has none, or an earlier version kept the boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wwn: Option<String>,
    /// Its size.
    pub size_bytes: u64,
}

/// When a target was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetTime {
    /// Its name, such as `graphical.target`.
    pub name: String,
    /// When, in microseconds from the kernel's beginning.
    pub reached_us: u64,
}

/// A program that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootProcess {
    /// The number of its process.
    pub pid: u32,
    /// The program's name, at most 15 bytes, as the kernel has it.
    pub name: String,
    /// When it began, in nanoseconds from the kernel's beginning.
    pub began_ns: u64,
    /// When it ended; none where it still ran at the end of the boot.
    pub ended_ns: Option<u64>,
}

impl BootRecord {
    /// Reads the record of a folder.
    ///
    /// # Errors
    /// Where it is not the folder of a boot.
    pub fn read(folder: &Path) -> Result<BootRecord, BootError> {
        let wrong = |message: String| BootError::NotABoot(folder.to_owned(), message);
        let path = folder.join(FILE);
        let text = drivelab_files::read(&path, DOCUMENT).map_err(|error| match error.kind() {
            ErrorKind::NotFound if folder.is_dir() => wrong(format!("it has no {FILE}")),
            ErrorKind::NotFound => wrong("it is not there".to_owned()),
            ErrorKind::NotADirectory => wrong("it is a file".to_owned()),
            _ => BootError::Io(path.clone(), error),
        })?;
        let damaged = |error: serde_json::Error| wrong(format!("{FILE} is damaged, {error}"));
        let document: serde_json::Value = serde_json::from_slice(&text).map_err(damaged)?;
        let schema = document["schema"].as_str().unwrap_or("missing");
        if schema != BOOT_SCHEMA {
            return Err(wrong(format!("its schema is {schema}, this drivelab reads {BOOT_SCHEMA}")));
        }
        serde_json::from_value(document).map_err(damaged)
    }

    /// Writes the record into the folder of its trace, and brings it to the drive.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), BootError> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(self).map_err(io::Error::from);
        let written = text.and_then(|text| write_whole(&path, format!("{text}\n").as_bytes()));
        written.map_err(|source| BootError::Io(path, source))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn record() -> BootRecord {
        BootRecord {
            schema: BOOT_SCHEMA.to_owned(),
            version: "0.1.0".to_owned(),
            boot_id: "6f1c".to_owned(),
            began_unix_ns: 1,
            machine: BootMachine {
                name: "desk".to_owned(),
                kernel: "6.12".to_owned(),
                command_line: "quiet".to_owned(),
                processors: 2,
            },
            drive: None,
            times: ManagerTimes::default(),
            target: None,
            units: Vec::new(),
            processes: Vec::new(),
            processors: Vec::new(),
            traced_until_ns: 0,
            counters: None,
            notices: Vec::new(),
        }
    }

    #[test]
    fn what_was_written_is_read_and_what_is_not_a_boot_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = BootRecord::read(folder.path()).expect_err("nothing yet").to_string();
        assert!(error.ends_with("is not the folder of a boot: it has no boot.json"), "{error}");
        record().write(folder.path()).expect("written");
        assert_eq!(BootRecord::read(folder.path()).expect("a boot"), record());
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).expect("text");
        fs::write(&path, text.replace("boot-folder/1", "boot-folder/9")).expect("edited");
        let error = BootRecord::read(folder.path()).expect_err("another version").to_string();
        assert!(error.contains("drivelab.boot-folder/9"), "{error}");
        fs::write(&path, text.replace("\"processes\": []", "\"processes\": 3")).expect("edited");
        assert!(BootRecord::read(folder.path()).expect_err("damaged").to_string().contains("damaged"));
    }
}
