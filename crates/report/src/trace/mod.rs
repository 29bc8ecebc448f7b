//! What a trace of block I/O comes to.

mod bunching;
mod document;
mod terminal;

use std::collections::BTreeMap;

use drivelab_analysis::TraceAnalysis;

pub use document::{
    BunchingDocument, ByOp, DispersionDocument, ServiceDocument, SizeClassDocument, TRACE_DOCUMENT_SCHEMA,
    TraceDevice, TraceDocument,
};
pub use terminal::trace_terminal;
pub(crate) use terminal::{bunches, latencies};

/// One trace, as reports show it.
#[derive(Clone, Debug)]
pub struct TraceReport<'a> {
    /// The trace, as the user named it.
    pub label: String,
    /// The format it was imported from, or `recorded`.
    pub source: String,
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
}

impl TraceReport<'_> {
    /// What the durations span: that of all devices where they agree, `mixed` where they do not.
    pub fn measured(&self) -> &str {
        let mut spans =
            self.devices.iter().map(|device| device.measured.as_str()).filter(|span| *span != "nothing");
        let Some(first) = spans.next() else { return "nothing" };
        if spans.all(|span| span == first) { first } else { "mixed" }
    }
}
