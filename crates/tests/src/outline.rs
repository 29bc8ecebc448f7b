//! A plan in words, and what stands against one.

use drivelab_block::{ByteCount, Nanos};

/// Settings that make no sense on a drive. The message is a line that says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub String);

/// A plan in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// What would be done, in sentences without their final stop.
    pub sentences: Vec<String>,
    /// How many bytes would be written.
    pub written: ByteCount,
    /// How long it would take at most, where that is known.
    pub at_most: Option<Nanos>,
}
