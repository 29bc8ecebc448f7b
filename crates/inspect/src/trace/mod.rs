//! What is found in a trace of block I/O.

mod clock_bins;
mod device_name;
mod devices;
mod findings;
mod latency;
mod phases;
mod span;
mod stretch;
mod view;
mod waiting;

use std::collections::BTreeMap;

use drivelab_record::{ClockTime, IssuedWithin, Notice};
use drivelab_stats::TraceAnalysis;
use drivelab_view::View;

use crate::slow::SlowReport;

pub use devices::{DeviceOpFindings, DeviceWaits, ServiceSummary, TraceDeviceFindings};
pub use findings::{ByOperation, InFlightFindings, SizeClass, TraceFindings};
pub use latency::{LatencyByDirection, LatencyFindings};
pub use phases::{PhasesChosen, TracePhases};
pub use span::TraceSpan;
pub use stretch::StretchFindings;
pub use waiting::{
    AwaitedWritesFindings, MostlyFindings, PartyFindings, ProcessFindings, SpellFindings, StreamFindings,
    TimeInFlight, WaitingFindings, WorkFindings,
};

/// A device of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceDevice {
    /// Its name, as the source has it.
    pub name: String,
    /// What its durations span.
    pub measured: TraceSpan,
}

/// Who asked for a load: figures of loads that were asked for differently are not ranked.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedLoad {
    /// Programs, or a replay that makes their requests at their own times.
    AsTraced,
    /// A test of this kind with these settings.
    Test {
        /// The kind of test.
        kind: String,
        /// Its settings, as they are kept.
        settings: serde_json::Value,
    },
}

/// One trace with everything that is known of it.
#[derive(Clone, Debug)]
pub struct TraceReport {
    /// What the trace is called: the name that it was given, or else its folder as the user named it.
    pub label: String,
    /// Who asked for its load.
    pub asked: AskedLoad,
    /// The format it was imported from, or `recorded`.
    pub source: String,
    /// The version of drivelab that recorded or imported it.
    pub version: String,
    /// When it began, where the source knows.
    pub began: Option<ClockTime>,
    /// The machine that was recorded, where the source knows.
    pub machine: Option<String>,
    /// Which phases are shown, where the trace is a run.
    pub phases: Option<TracePhases>,
    /// The part that is shown, where it is not all of the trace.
    pub within: Option<IssuedWithin>,
    /// The devices.
    pub devices: Vec<TraceDevice>,
    /// The processes by their number; the first is that of all whose name is not known.
    pub processes: Vec<String>,
    /// Rows and events that could not be believed, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Events whose other half was not found, by reason.
    pub unpaired: BTreeMap<String, u64>,
    /// Events that the source lost, as it reports.
    pub lost_events: u64,
    /// Lines of the source that are no records.
    pub other_lines: u64,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<Notice>,
    /// All of its I/Os.
    pub analysis: TraceAnalysis,
}

/// A trace with what is found in it.
#[derive(Clone, Debug)]
pub struct JudgedTrace<'a> {
    /// The trace.
    pub report: &'a TraceReport,
    /// What is found of its slow I/Os, at the threshold of the page that shows it.
    pub slow: SlowReport,
    /// All that is found.
    pub found: TraceFindings,
}

impl JudgedTrace<'_> {
    /// A trace whose slow I/Os were judged.
    pub fn new(report: &TraceReport, slow: SlowReport) -> JudgedTrace<'_> {
        JudgedTrace { report, found: TraceFindings::from_report(report, &slow), slow }
    }
}

/// What is shown of one trace, or of several that are compared at one threshold. The course over time is drawn where the
/// analysis followed it.
pub fn view(traces: &[JudgedTrace<'_>]) -> View {
    view::view(traces)
}
