//! That a drive answers nothing, as the manifest keeps it while that is so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time of five seconds or longer in which a drive has answered none of a worker's I/Os, and which goes on. What had ended, or
/// was given up, is in the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilenceDocument {
    /// The worker's queue.
    pub queue: u16,
    /// The last answer before it, or when the first of its I/Os was sent, on the clock of the records, in nanoseconds.
    pub from_ns: u64,
    /// How much of it the program had watched when this was written, in nanoseconds: it was silent for at least so long.
    pub watched_ns: u64,
    /// How many I/Os were in flight.
    pub outstanding: u32,
}
