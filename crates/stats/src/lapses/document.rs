//! What a drive did not do as it was asked, as the manifest of a run keeps it.

use drivelab_block::Op;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a drive did not do as it was asked, over all phases of a run. It is the same of every kind of test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LapsesDocument {
    /// The same in words: the first sentence of what is shown of the run.
    pub sentence: String,
    /// I/Os that the drive had not answered when they were given up; absent if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<UnansweredIosDocument>,
    /// The kinds of I/Os that failed; absent where none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedIosDocument>,
    /// The moment from which on the drive was gone; absent where it never was. Where each part of a test has a drive of its own,
    /// it is that of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<PhaseMoment>,
    /// The longest time of a second or more in which the drive was asked for something and answered nothing; absent where there
    /// was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<LongestSilenceDocument>,
    /// Blocks that were read back and are not as they were written; absent where there were none, or none was read back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_as_written: Option<NotAsWrittenDocument>,
}

/// I/Os of one kind that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailedIosDocument {
    /// What was asked for.
    pub operation: Op,
    /// How many were asked for.
    pub asked: u64,
    /// How many of them failed.
    pub failed: u64,
    /// The kernel's number of the error of most of them; -1 where fewer bytes were transferred than asked for.
    pub error: i16,
    /// When the first of them was sent.
    pub first: PhaseMoment,
    /// The lowest byte of the target at which one failed.
    pub lowest_byte: u64,
    /// All I/Os at and beyond this byte failed, and none before it did, or few; absent where there is no such address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_behind_byte: Option<u64>,
    /// All failed since this moment; absent where there is none, or where all did from the first on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_since: Option<PhaseMoment>,
    /// Whether reads that were sent after that moment did what was asked, while all writes or discards failed: the drive is
    /// read-only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_went_on: bool,
}

/// I/Os that a drive had not answered when they were given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnansweredIosDocument {
    /// How many.
    pub count: u64,
    /// The last answer before, or when the first of them was sent.
    pub since: PhaseMoment,
    /// How long they were waited for from that moment on, in seconds.
    pub waited_s: f64,
    /// Whether the drive answered others that were sent a second after the last of them, or later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub later_ones_were_answered: bool,
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseMoment {
    /// The name of the phase.
    pub phase: String,
    /// Seconds from the start of the phase.
    pub at_s: f64,
}

/// A time in which a drive was asked for something and answered nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LongestSilenceDocument {
    /// When it began.
    pub since: PhaseMoment,
    /// How long it was, in seconds, without the time in which the program stood still.
    pub lasted_s: f64,
    /// How many such times there were in the run.
    pub count: u64,
}

/// Blocks that were read back and are not as they were written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotAsWrittenDocument {
    /// Blocks that were read back and judged.
    pub judged: u64,
    /// How many of them are not as they were written.
    pub faulty: u64,
    /// The first byte of the first of these.
    pub lowest_byte: u64,
    /// All blocks at and beyond this byte are not as written, and all before it are; absent where there is no such address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_behind_byte: Option<u64>,
    /// The bytes that the drive keeps, where what is written at and beyond this address goes over what lies before it; absent
    /// where that is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wraps_at_bytes: Option<u64>,
    /// Those of which a few bits differ.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flipped: u64,
    /// Those of which a part is as it was written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub torn: u64,
    /// Those that hold what was written to another place.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub misplaced: u64,
    /// Those that hold what was written before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stale: u64,
    /// Those that hold nothing that was ever written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: u64,
}

/// Whether there is none: what documents leave out then.
pub fn is_zero(number: &u64) -> bool {
    *number == 0
}
