//! Several traces as other programs read them.

use serde::{Deserialize, Serialize};

use super::{TraceDocument, TraceReport};

/// The schema name of [`TracesDocument`].
pub const TRACES_DOCUMENT_SCHEMA: &str = "drivelab.traces/1";

/// Several traces, in the order in which they were named: `drivelab.traces/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracesDocument {
    /// `drivelab.traces/1`.
    pub schema: String,
    /// Each as it is alone.
    pub traces: Vec<TraceDocument>,
}

impl TracesDocument {
    /// The document of several traces.
    pub fn of(reports: &[TraceReport<'_>]) -> TracesDocument {
        TracesDocument {
            schema: TRACES_DOCUMENT_SCHEMA.to_owned(),
            traces: reports.iter().map(TraceDocument::of).collect(),
        }
    }
}
