//! What is watched of a drive during a stream: its own health, and its temperature.

mod health;

pub use health::{HealthFindings, HealthNotAsked, HealthOutcome, HealthReading, HealthSource, MovedCounters};

/// What was seen of a drive while it worked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchedDrive {
    /// The drive's health, in seconds from the start of the first phase.
    pub health: HealthFindings,
    /// What speaks against the drive at the end, and did not at the start: sentences without a full stop.
    pub worsened: Vec<String>,
}
