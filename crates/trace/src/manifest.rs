//! `trace.json`: where a trace comes from, what it measures, and what of its source is not in it.

use std::collections::BTreeMap;

use drivelab_block::worded_enum;
use drivelab_documents::{ClockTime, Drive, Manifest, Started};
use drivelab_record::Written;
use serde::{Deserialize, Serialize};

/// The schema of `trace.json`.
pub const TRACE_SCHEMA: &str = "drivelab.trace-folder/1";

/// The source of a trace that drivelab recorded itself.
pub(crate) const RECORDED: &str = "recorded";

/// Places of damage that are told one by one.
const DAMAGE_TOLD: usize = 16;

worded_enum! {
    /// What the durations of a device's I/Os span.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Measured {
        /// From the issue to the device to its completion: the device's own time.
        #[serde(rename = "D2C")]
        IssueToComplete = "D2C",
        /// From when the I/O was asked for to its completion: waiting above the device is part of it.
        #[serde(rename = "Q2C")]
        QueueToComplete = "Q2C",
        /// The source knows no durations.
        #[serde(rename = "nothing")]
        Nothing = "nothing",
    }
}

impl Measured {
    /// What the service times of a run span: above a real drive lies the kernel, whose part of the time is not known.
    pub fn by(run: &Manifest) -> Measured {
        if run.drive.simulated { Measured::IssueToComplete } else { Measured::QueueToComplete }
    }
}

/// A device of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its name, as the source has it.
    pub name: String,
    /// What its durations span.
    pub measured: Measured,
}

/// The manifest of a trace's folder, written when the trace begins and again when it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceManifest {
    /// Always [`TRACE_SCHEMA`].
    pub schema: String,
    /// The version of drivelab that made it.
    pub version: String,
    /// What the user calls it; none where it has the name of its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The format it was imported from, or `recorded`.
    pub source: String,
    /// The files it was imported from, or the devices it was recorded on.
    pub origins: Vec<String>,
    /// The wall-clock time of its first instant, in nanoseconds since 1970, where the source knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_unix_ns: Option<u64>,
    /// When its recording began by the clock of the machine that was recorded, and which machine that was; none of an import,
    /// whose source tells neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Started>,
    /// The devices, each under its number.
    pub devices: Vec<Device>,
    /// Of a recording the drives behind its devices as they were when it began, by the kernel's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub drives: BTreeMap<String, Drive>,
    /// The processes, each under its number; the first is the unknown one.
    pub processes: Vec<String>,
    /// What came of the source; none while the trace is being made, and for ever where that was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// While a trace is being recorded, what came of the source until about a second ago.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub so_far: Option<Account>,
    /// The number of the first segment: those before it were removed to keep within a limit.
    #[serde(default)]
    pub first_segment: u32,
    /// What a reader has to know before believing the numbers, a sentence each.
    pub notices: Vec<String>,
}

impl TraceManifest {
    /// When it began: by the clock of the machine that was recorded, or in UTC where the zone of that is not known. None where
    /// the source has no clock time.
    pub fn began(&self) -> Option<ClockTime> {
        let begun = self.started.as_ref().map(|started| started.at);
        match (begun, self.started_unix_ns) {
            // The begin of a recording is kept in whole seconds, and its instant in nanoseconds.
            (Some(begun), Some(unix_ns)) => begun.at_unix_nanos(unix_ns),
            (Some(begun), None) => Some(begun),
            (None, unix_ns) => ClockTime::in_utc(unix_ns?),
        }
    }

    /// Whether drivelab recorded it itself: its devices have the names of the kernel then.
    pub fn is_recorded(&self) -> bool {
        self.source == RECORDED
    }

    /// One of this source of which nothing else is known.
    pub(crate) fn of_source(source: String, version: &str) -> TraceManifest {
        let (schema, version) = (TRACE_SCHEMA.to_owned(), version.to_owned());
        TraceManifest { schema, version, source, ..TraceManifest::default() }
    }
}

/// What came of a source: everything it held is counted somewhere here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// I/Os that came into the trace, those included that were removed again.
    pub requests: u64,
    /// Rows and events that could not be believed, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Events whose other half was not found, by reason. An issue without a completion is in the trace, without
    /// a duration.
    pub unpaired: BTreeMap<String, u64>,
    /// Events that the source says it lost.
    pub lost_events: u64,
    /// Of those, how many each processor's buffer lost, where the source has such buffers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lost_by_processor: BTreeMap<u32, u64>,
    /// Lines that are no records: headers, comments, prose.
    pub other_lines: u64,
    /// I/Os that were left out because it was asked for, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// The oldest I/Os, which were removed to keep within a limit.
    #[serde(default)]
    pub removed: u64,
    /// I/Os that should be in the trace and are not, because a file could not be written.
    #[serde(default)]
    pub unwritten: u64,
    /// The first error that kept one from being written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwritten_because: Option<String>,
    /// Where the source was damaged, the first places of it; what came before, of each file, is in the trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
    /// Further places.
    #[serde(default)]
    pub further_damage: u64,
}

impl Account {
    /// Notes a place where the source was damaged. A source that is nothing but damage has millions of them.
    pub(crate) fn add_damage(&mut self, what: String) {
        if self.damage.len() < DAMAGE_TOLD {
            self.damage.push(what);
        } else {
            self.further_damage += 1;
        }
    }

    /// Every place that is told, and that there are more.
    pub fn damage_told(&self) -> impl Iterator<Item = String> {
        let more = (self.further_damage > 0).then(|| format!("in {} further places", self.further_damage));
        self.damage.iter().cloned().chain(more)
    }

    /// Counts what was written to files, and what was not. What was removed again was in the trace.
    pub(crate) fn take_written(&mut self, written: &Written) {
        self.requests = written.records + written.removed;
        self.removed = written.removed;
        self.unwritten = written.lost;
        self.unwritten_because = written.first_error.clone().filter(|_| written.lost > 0);
    }

    /// What is not in a trace of this account and should be, a sentence each; `found` I/Os were read from its segments.
    pub fn gaps(&self, found: u64) -> Vec<String> {
        let mut gaps = Vec::new();
        if self.unwritten > 0 {
            let why = self.unwritten_because.as_deref().unwrap_or("a file could not be written");
            gaps.push(format!("Figures lack {} requests that could not be written: {why}.", self.unwritten));
        }
        let kept = self.requests.saturating_sub(self.removed);
        if kept > found {
            let missing = kept - found;
            gaps.push(format!(
                "Figures lack {missing} of the trace's {kept} requests, which are not in its segments."
            ));
        }
        gaps
    }

    /// Says that the source lost events, where it did.
    pub fn losses(&self) -> Option<String> {
        let lost = self.lost_events;
        let text = format!(
            "The source lost {lost} events: as many requests, or some fewer, are missing or have no duration."
        );
        (lost > 0).then_some(text)
    }
}
