//! `run.json`: what was asked, of which drive, in which surroundings, and how it ended.

use drivelab_block::{ByteCount, DrivePlace, PlacedDrive, WhichDrive, worded_enum};
use drivelab_stats::{LoopKind, Standstill, is_zero};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{EnergyDocument, HeatDocument, HiddenSerials, LapsesDocument, MediaWrites, Started, WorkerTime};

/// The schema of `run.json`.
pub const MANIFEST_SCHEMA: &str = "drivelab.run/3";

/// The manifest of a run. It is written before the first I/O and again at every phase and at the end, so
/// that what a killed run leaves can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Always [`MANIFEST_SCHEMA`].
    pub schema: String,
    /// The version of drivelab that ran.
    pub version: String,
    /// The command: `consistency`, `load`, ...
    pub method: String,
    /// What a reader calls the run.
    pub label: String,
    /// The name that the user gave it; none where it is called by its target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// What the user remarks on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether pages and documents leave out the drive's serial number, which this file keeps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hides_serial: bool,
    /// The target as the user gave it.
    pub target: String,
    /// The drive.
    pub drive: Drive,
    /// The seed of the run.
    pub seed: u64,
    /// When and where it began; none of a simulated drive, whose runs are equal byte by byte on every machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Started>,
    /// The phases that its figures speak of.
    pub measured: MeasuredPhases,
    /// What the method was asked to do, in the method's own terms.
    pub settings: serde_json::Value,
    /// The surroundings: kernel, scheduler, what the engine obtained.
    pub conditions: Vec<Condition>,
    /// What the reader has to know before believing the numbers.
    pub notices: Vec<Notice>,
    /// The phases that have begun, in order.
    pub phases: Vec<Phase>,
    /// What the kernel logged about a real drive during the run, in order.
    #[serde(default, skip_serializing_if = "KernelLog::is_empty")]
    pub kernel_log: KernelLog,
    /// When the program itself did not run, in the order of the ends; absent where it always did, and of a simulated drive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standstills: Vec<Standstill>,
    /// How the run ended; none while it runs, and for ever where it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// The phases of a run that its figures speak of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeasuredPhases {
    /// The one of this name: the phases before it prepare the drive, those after it verify what it wrote.
    Phase(String),
    /// Those of these names.
    Phases(Vec<String>),
    /// Every one of them.
    Every,
    /// Every one but those of this name.
    EveryBut(String),
}

impl MeasuredPhases {
    /// Whether a phase of this name is one of them.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            MeasuredPhases::Phase(measured) => measured == name,
            MeasuredPhases::Phases(measured) => measured.iter().any(|measured| measured == name),
            MeasuredPhases::Every => true,
            MeasuredPhases::EveryBut(other) => other != name,
        }
    }
}

/// The drive of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Drive {
    /// Model, or the profile of a simulated drive.
    pub model: String,
    /// Serial number, where there is one.
    pub serial: Option<String>,
    /// World-wide name, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wwn: Option<String>,
    /// The version of its firmware, where it reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// User capacity in bytes.
    pub size_bytes: u64,
    /// Whether it is a simulated drive.
    pub simulated: bool,
    /// The name of its NVMe subsystem (NQN), where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subsystem: Option<String>,
    /// The number of the NVMe namespace, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u32>,
    /// The number of the partition that was tested; 0 of a whole drive, and absent where it is not known or the target is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<u32>,
    /// The first byte of that partition on its drive; absent where it is not known, and of a whole drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_start: Option<u64>,
    /// The file behind a loop device and where in it the device begins, or which device of this start of the machine a zram
    /// device is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
    /// What the kernel called it, such as `sda`: another drive may have that name after the next start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_name: Option<String>,
    /// Its name by its path, such as `pci-0000:00:17.0-ata-1`, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Drive {
    /// Which drive it is, as far as it was kept.
    pub fn which(&self) -> WhichDrive {
        WhichDrive {
            // What reports no model is named by the kernel's name.
            model: Some(self.model.clone())
                .filter(|model| !model.is_empty() && self.kernel_name.as_ref() != Some(model)),
            serial: self.serial.clone(),
            wwn: self.wwn.clone(),
            subsystem: self.subsystem.clone(),
            namespace: self.namespace,
            partition: self.partition,
            start: self.partition_start.map(ByteCount::new),
            behind: self.behind.clone(),
            size: Some(self.size_bytes).filter(|size| *size > 0).map(ByteCount::new),
        }
    }

    /// Where it was connected, as far as it was kept.
    pub fn place(&self) -> DrivePlace {
        DrivePlace { kernel_name: self.kernel_name.clone(), path: self.path.clone() }
    }

    /// What is not to be shown of a drive whose serial number is hidden.
    pub fn hidden_names(&self) -> impl Iterator<Item = &str> {
        // A path may hold the address of its port, and the name of a subsystem the serial number.
        let names = [&self.subsystem, &self.serial, &self.wwn, &self.path, &self.behind];
        names.into_iter().flatten().map(String::as_str)
    }
}

/// One line of the conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// What it belongs to: `drive`, `system`, `engine`, `workload`, ...
    pub group: String,
    /// Its name.
    pub name: String,
    /// Its value, with the unit.
    pub value: String,
    /// Whether it changes although no setting was changed, such as the power state that a drive is in: results that differ in
    /// nothing else were measured under the same conditions. Absent where it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changes_by_itself: bool,
}

impl Condition {
    /// A condition that stays as it is until a setting is changed.
    pub fn new(group: impl Into<String>, name: impl Into<String>, value: impl Into<String>) -> Condition {
        Condition { group: group.into(), name: name.into(), value: value.into(), changes_by_itself: false }
    }
}

/// Something that the reader has to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// How much it matters.
    pub severity: Severity,
    /// One sentence.
    pub text: String,
}

impl Notice {
    /// Something to know, which takes nothing from the figures.
    pub fn note(text: impl Into<String>) -> Notice {
        Notice { severity: Severity::Note, text: text.into() }
    }

    /// A notice of a warning: the numbers are right but mean less than they seem.
    pub fn warning(text: impl Into<String>) -> Notice {
        Notice { severity: Severity::Warning, text: text.into() }
    }

    /// A notice of a failure: the run fails its own check.
    pub fn failure(text: impl Into<String>) -> Notice {
        Notice { severity: Severity::Failure, text: text.into() }
    }
}

worded_enum! {
    /// How much a notice matters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Severity {
        /// Good to know.
        Note = "note",
        /// The numbers are right but mean less than they seem.
        Warning = "warning",
        /// The run fails its own check.
        Failure = "failure",
    }
}

/// A phase that has begun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// `purge`, `fill`, `random write`, ...
    pub name: String,
    /// How its requests were timed.
    #[serde(rename = "loop")]
    pub loop_label: LoopKind,
    /// Its start on the clock of the records, in nanoseconds.
    pub started_at_ns: u64,
    /// Its end; none while it runs, and for ever where the run was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ns: Option<u64>,
    /// Requests of an open loop that were due and never sent: the least time in nanoseconds that they had waited, and
    /// how many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsent: Vec<(u64, u64)>,
    /// The workers that the drive answers nothing, and has not for five seconds or longer; absent where there are none, and of a
    /// phase that has ended: its records have all that was answered or given up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silences: Vec<SilenceDocument>,
    /// What was written in it, by the drive's own counters; none where the drive counts none, or the phase was too short to ask
    /// for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<MediaWrites>,
    /// What the program's workers did with their processors; absent of a simulated drive, of a phase that did not end or was too
    /// short, and where the kernel does not count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<WorkerTime>,
}

/// A time of five seconds or longer in which a drive has answered none of a worker's I/Os, and which goes on. What had ended, or
/// was given up, is in the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilenceDocument {
    /// The worker's queue.
    pub queue: u16,
    /// The last answer before it, or when the first of its I/Os was sent, on the clock of the records, in nanoseconds.
    pub from_ns: u64,
    /// How much of it the program had watched when this was written, in nanoseconds: it was silent for at least so long.
    pub watched_ns: u64,
    /// How many I/Os were in flight.
    pub outstanding: u32,
}

/// What the kernel logged about a drive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelLog {
    /// The lines, in order.
    pub lines: Vec<KernelLine>,
    /// How many more there were, which are not kept.
    #[serde(default)]
    pub left_out: u64,
}

impl KernelLog {
    /// Whether the kernel logged nothing.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.left_out == 0
    }
}

/// A line of the kernel's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelLine {
    /// When, on the clock of the records, in nanoseconds.
    pub at_ns: u64,
    /// Its text.
    pub text: String,
    /// What its codes mean, a sentence each, where it has any that are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meaning: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Whether it was interrupted by the user.
    pub interrupted: bool,
    /// Whether the drive or the machine ended it before everything was measured; absent where it did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broke_off: bool,
    /// Completions, failed ones included.
    pub completions: u64,
    /// Failed I/Os.
    pub failed: u64,
    /// What the drive did not do as it was asked; absent where it did everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapses: Option<LapsesDocument>,
    /// Completions that are not in the records.
    pub lost_records: u64,
    /// Completions whose times do not count, as the program stood still meanwhile; absent where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// How long the longest of these was out, in an open loop from when it was due, in nanoseconds; absent where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub longest_left_out_ns: u64,
    /// Completions that count with a lower bound of their time, without that in which the program stood still; absent where
    /// there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub at_least: u64,
    /// The size of the records in bytes.
    pub records_bytes: u64,
    /// The digest of all completions, for simulated drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions_hash: Option<String>,
    /// A simulated drive's own account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<SimulationAccount>,
    /// What was written from before the first phase until after the last one, by the drive's own counters; absent where they
    /// were not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<MediaWrites>,
    /// What the measured phase took by a meter: `drivelab.energy/1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
    /// How warm a real drive was; absent of a target that shows nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<HeatDocument>,
}

/// What a simulated drive did by its own account, from the begin of what was measured on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulationAccount {
    /// Media writes / host writes in the measured phase; none where no flash was written.
    pub write_amplification: Option<f64>,
    /// Blocks collected in the measured phase.
    pub collections: u64,
    /// Every delay of the measured phase.
    pub injected_delays: Vec<DelayAccount>,
    /// Every injected fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub injected_faults: Vec<FaultAccount>,
    /// The bytes that it keeps, where it announces more; absent where it keeps all of its capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeps_bytes: Option<u64>,
}

/// A fault that was injected into a simulated drive's contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FaultAccount {
    /// One word for what it was.
    pub kind: String,
    /// The write command, counted from 1.
    pub host_write: u64,
    /// The first sector that does not hold what was written.
    pub sector: u64,
    /// The first sector that it was stored in instead.
    pub landed: Option<u64>,
}

/// A delay that was injected into a simulated drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DelayAccount {
    /// When, on the clock of the records.
    pub at_ns: u64,
    /// How long.
    pub duration_ns: u64,
    /// Bytes written since the one before.
    pub bytes_since_previous: Option<u64>,
}

/// The name that all results of a drive have to which a name was given; none where no name was given, or several: these tell
/// results apart, and not drives.
pub fn one_name<'a>(given: impl IntoIterator<Item = Option<&'a str>>) -> Option<&'a str> {
    let mut names = given.into_iter().flatten();
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// Reads a document of this schema.
///
/// # Errors
/// Where it is damaged or of another version: a sentence, which names the version by what it did with the document.
pub fn parse_document<T: DeserializeOwned>(text: &[u8], schema: &str, did: &str) -> Result<T, String> {
    let damaged = |error: serde_json::Error| format!("damaged ({error}): put back a whole copy");
    let document: serde_json::Value = serde_json::from_slice(text).map_err(damaged)?;
    // Looked at before anything else, since another version may say everything else differently.
    match document["schema"].as_str() {
        Some(found) if found == schema => serde_json::from_value(document).map_err(damaged),
        Some(other) => {
            Err(format!("its schema is {other}, this drivelab reads {schema}: use the version that {did}"))
        }
        None => Err("damaged (it names no schema): put back a whole copy".to_owned()),
    }
}

impl Manifest {
    /// Whether the run says something against itself that fails its check.
    pub fn has_failed(&self) -> bool {
        self.notices.iter().any(|notice| notice.severity == Severity::Failure)
    }

    /// What tells this run from every other: 16 hexadecimal digits made from what was asked, of which drive, with which seed,
    /// and when it began. Equal runs on a simulated drive have the same.
    pub fn id(&self) -> String {
        let asked = (&self.method, &self.target, &self.drive, self.seed, &self.started, &self.settings);
        // Whatever cannot become JSON was not written into the manifest either.
        let text = serde_json::to_vec(&asked).unwrap_or_default();
        format!("{:016x}", xxh3_64(&text))
    }

    /// What is not to be shown of this run: serial number, world-wide name, and what may hold them.
    pub fn hidden_serials(&self) -> HiddenSerials {
        HiddenSerials::from_serials(self.drive.hidden_names().filter(|_| self.hides_serial))
    }

    /// Which drive the run is of, for comparing it with those of other runs.
    pub fn placed_drive(&self) -> PlacedDrive {
        let machine = self.started.as_ref().map_or("", |started| started.machine.as_str());
        PlacedDrive { which: self.drive.which(), place: format!("{} on {machine}", self.target) }
    }

    /// The text of `run.json`.
    ///
    /// # Panics
    /// Never: all that a manifest has can be written as JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest has string keys only");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_a_name_if_its_results_have_one() {
        assert_eq!(one_name([Some("TLC 990"), None, Some("TLC 990")]), Some("TLC 990"));
        assert_eq!(one_name([Some("before"), Some("after")]), None);
        assert_eq!(one_name([None]), None);
    }
}
