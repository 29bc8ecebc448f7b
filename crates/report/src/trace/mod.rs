//! What a trace of block I/O comes to.

pub(crate) mod bunching;
mod bunching_document;
mod device;
mod document;
mod phases;
mod several;
mod slow;
mod terminal;

use std::collections::BTreeMap;

use drivelab_analysis::{SlowIos, TraceAnalysis, TracedDevice};
use drivelab_block::Op;

use crate::format::whole;
pub use bunching_document::{
    BunchingDocument, ChanceDocument, ClusteringDocument, DispersionDocument, NotShownDocument,
    ThresholdChosen,
};
pub use device::{BriefLatencyDocument, DeviceDocument, DeviceOpDocument};
pub use document::{
    ByOp, LatencySummary, ServiceDocument, SizeClassDocument, TRACE_DOCUMENT_SCHEMA, TraceDocument,
};
pub use phases::{PhasesChosen, PhasesDocument};
pub use several::{TRACES_DOCUMENT_SCHEMA, TracesDocument};
pub use slow::SlowReport;
pub(crate) use terminal::{bunches, latencies};
pub use terminal::{trace_terminal, traces_terminal};

/// A device of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceDevice {
    /// Its name, as the source has it.
    pub name: String,
    /// What its durations span: `D2C`, `Q2C` or `nothing`.
    pub measured: String,
}

/// One trace, as reports show it.
#[derive(Clone, Debug)]
pub struct TraceReport<'a> {
    /// The trace, as the user named it.
    pub label: String,
    /// The format it was imported from, or `recorded`.
    pub source: String,
    /// Which phases are shown, where the trace is a run.
    pub phases: Option<PhasesDocument>,
    /// The devices: name, and what their durations span (`D2C`, `Q2C` or `nothing`).
    pub devices: Vec<TraceDevice>,
    /// Rows and events that could not be believed, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Events whose other half was not found, by reason.
    pub unpaired: BTreeMap<String, u64>,
    /// Events that the source says it lost.
    pub lost_events: u64,
    /// Lines of the source that are no records.
    pub other_lines: u64,
    /// What the reader has to know before believing the figures, a sentence each.
    pub notices: Vec<String>,
    /// All of its I/Os.
    pub analysis: &'a TraceAnalysis,
    /// What is found of its slow I/Os.
    pub slow: SlowReport,
}

impl<'a> TraceReport<'a> {
    /// Slow reads, or slow writes; none where too few are exceptions to choose a threshold.
    pub(crate) fn slow_ios(&self, op: Op) -> Option<SlowIos<'a>> {
        self.slow.ios(self.analysis, op)
    }
}

impl TraceReport<'_> {
    /// What the durations span: that of all devices where they agree, `mixed` where they do not.
    pub fn measured(&self) -> &str {
        let mut spans =
            self.devices.iter().map(|device| device.measured.as_str()).filter(|span| *span != "nothing");
        let Some(first) = spans.next() else { return "nothing" };
        if spans.all(|span| span == first) { first } else { "mixed" }
    }

    /// What of the source is not in the figures, and what has to be known of them, a line each.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let counted = |what: &'static str, reasons: &BTreeMap<String, u64>| -> Vec<String> {
            let lines = reasons.iter().map(|(reason, count)| format!("{what} {}: {reason}", whole(*count)));
            lines.collect()
        };
        let mut lines = counted("not taken", &self.rejected);
        lines.extend(counted("not paired", &self.unpaired));
        if self.lost_events > 0 {
            lines.push(format!("lost by the source: {} events", whole(self.lost_events)));
        }
        if self.other_lines > 0 {
            lines.push(format!("{} lines of the source are no records", whole(self.other_lines)));
        }
        lines.extend(self.notices.iter().cloned());
        lines
    }

    /// The devices that something was read from or written to, the busiest first.
    pub(crate) fn used_devices(&self) -> Vec<(&TraceDevice, TracedDevice)> {
        let requests = |found: &TracedDevice| found.reads.requests + found.writes.requests;
        let found = self.devices.iter().zip(self.analysis.devices());
        let mut used: Vec<_> = found.filter(|(_, found)| requests(found) > 0).collect();
        used.sort_by_key(|(_, found)| std::cmp::Reverse(requests(found)));
        used
    }
}
