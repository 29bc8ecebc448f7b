//! The kernel's own times of a drive's requests.

use drivelab_block::TracedIo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the kernel's times of a request span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RequestSpan {
    /// From its issue to the drive to its completion.
    #[serde(rename = "D2C")]
    IssueToCompletion,
    /// From the request to its completion.
    #[serde(rename = "Q2C")]
    RequestToCompletion,
}

impl RequestSpan {
    /// The name that blktrace's tools have for it.
    pub fn name(self) -> &'static str {
        match self {
            RequestSpan::IssueToCompletion => "D2C",
            RequestSpan::RequestToCompletion => "Q2C",
        }
    }

    /// What it spans, in words.
    pub fn words(self) -> &'static str {
        match self {
            RequestSpan::IssueToCompletion => "issue to completion",
            RequestSpan::RequestToCompletion => "request to completion",
        }
    }
}

/// A recording of a drive's requests, and how it fits to the run.
pub struct RecordedRequests {
    /// The folder of the trace, in that of the run.
    pub folder: String,
    /// The zero of its times on the clock of the run, in nanoseconds.
    pub zero_ns: i64,
    /// The first sector of the target on the device that was recorded: a partition's start.
    pub first_sector: u64,
    /// What is measured.
    pub span: RequestSpan,
    /// Events that the kernel had no room for.
    pub lost_events: u64,
    /// The requests, with the issue of each on the clock of the run, in nanoseconds.
    pub requests: Box<dyn Iterator<Item = (i64, TracedIo)>>,
}
