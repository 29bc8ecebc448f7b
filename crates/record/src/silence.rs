//! When a drive answered nothing, as the manifest keeps it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time in which a drive answered none of a worker's I/Os, five seconds or longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilenceDocument {
    /// The worker's queue.
    pub queue: u16,
    /// The last answer before it, or when the first of its I/Os was sent, on the clock of the records, in nanoseconds.
    pub from_ns: u64,
    /// When the drive answered again; absent if it did not until the end of the phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ns: Option<u64>,
    /// How much of it the program has watched, in nanoseconds: it was silent for at least so long.
    pub watched_ns: u64,
    /// How many I/Os were in flight.
    pub outstanding: u32,
}

/// I/Os that a drive had not answered when they were given up. They are in the records with the status -2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnansweredDocument {
    /// How many.
    pub count: u64,
    /// The last answer before, or when the first of them was sent, on the clock of the records, in nanoseconds.
    pub since_ns: u64,
    /// When they were given up.
    pub given_up_at_ns: u64,
}
