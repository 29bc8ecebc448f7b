//! A plan in words, and what stands against one.

use drivelab_block::{ByteCount, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings that make no sense on a drive. The message is a line that says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub String);

/// What a drive, or the machine, did that leaves a test without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DriveError(pub String);

/// A plan in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// What would be done, in sentences without their final stop.
    pub sentences: Vec<String>,
    /// How many bytes would be written; none where that depends on the drive.
    pub written: Option<ByteCount>,
    /// How long it would take at most, where that is known.
    pub at_most: Option<Nanos>,
}

/// The document of a plan: what `--dry-run --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDocument {
    /// The name and version of the document.
    pub schema: String,
    /// The target as it was typed.
    pub target: String,
    /// What would be done, in sentences without their final stop.
    pub sentences: Vec<String>,
    /// How many bytes would be written; null where that depends on the drive.
    pub written_bytes: Option<u64>,
    /// How long it would take at most, in seconds; none where that is not known.
    pub at_most_s: Option<f64>,
}

impl PlanDocument {
    /// The name and version of the document.
    pub const SCHEMA: &'static str = "drivelab.plan/1";

    /// The document of a plan for a target.
    pub fn of(target: &str, outline: &Outline) -> PlanDocument {
        PlanDocument {
            schema: PlanDocument::SCHEMA.to_owned(),
            target: target.to_owned(),
            sentences: outline.sentences.clone(),
            written_bytes: outline.written.map(ByteCount::get),
            at_most_s: outline.at_most.map(Nanos::as_secs_f64),
        }
    }
}
