//! A recording, and how it was found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamRecording {
    /// The drive or file, as the user named it.
    pub target: String,
    /// The recording's name, 32 hexadecimal digits, drawn anew for each.
    pub run: String,
    /// When it began, in nanoseconds of Unix time.
    pub started_unix_ns: u64,
    /// What happens at the end of the target.
    pub mode: StreamMode,
    /// The length of a block.
    pub block_bytes: u32,
    /// How many blocks the target has room for.
    pub log_blocks: u64,
}

/// What happens at the end of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamMode {
    /// The recording ends.
    Linear,
    /// The oldest blocks are overwritten.
    Cyclic,
}

/// How a recording was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoveryFindings {
    /// Whether it was closed; else it goes on, or was killed.
    pub closed: bool,
    /// Blocks that were read to find its end.
    pub blocks_read: u64,
    /// Whether the last index is missing, so that the whole log was read.
    pub index_lost: bool,
    /// Whether one of the two superblocks is unusable.
    pub superblock_lost: bool,
    /// Where the image ends, in bytes, where that is before the end of the log.
    pub cut_at_byte: Option<u64>,
}
