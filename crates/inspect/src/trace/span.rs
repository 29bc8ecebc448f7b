//! What the durations of a trace span.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the durations of a trace span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TraceSpan {
    /// From the issue to the device to its completion: the device's own time.
    #[serde(rename = "D2C")]
    IssueToComplete,
    /// From when the I/O was asked for to its completion: waiting above the device is part of it.
    #[serde(rename = "Q2C")]
    QueueToComplete,
    /// The source knows no durations.
    #[default]
    #[serde(rename = "nothing")]
    Nothing,
    /// The devices differ.
    #[serde(rename = "mixed")]
    Mixed,
}

impl TraceSpan {
    /// Its name, as documents have it.
    pub fn name(self) -> &'static str {
        match self {
            TraceSpan::IssueToComplete => "D2C",
            TraceSpan::QueueToComplete => "Q2C",
            TraceSpan::Nothing => "nothing",
            TraceSpan::Mixed => "mixed",
        }
    }
}
