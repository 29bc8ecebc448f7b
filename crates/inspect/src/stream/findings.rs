//! What the commands of `drivelab stream` find.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckFindings, RecordFindings};
use crate::Inspection;

/// What a command of `drivelab stream` found. Frames are listed as they are found, so that a list needs no memory of its length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "command", rename_all = "lowercase")]
pub enum StreamFindings<F = Vec<StreamFrame>> {
    /// `stream record`.
    Record(RecordFindings),
    /// `stream list`.
    List(ListFindings<F>),
    /// `stream info`.
    Info(InfoFindings),
    /// `stream check`.
    Check(CheckFindings),
    /// `stream extract`.
    Extract(ExtractFindings),
}

impl Inspection for StreamFindings {
    const NAME: &'static str = "stream";
    const VERSION: u32 = 2;
}

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

/// How frames are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamFraming {
    /// By their length, which comes first.
    Length,
    /// As JPEG pictures.
    Mjpeg,
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

/// What was found by `stream list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFindings<F> {
    /// The recording.
    pub recording: StreamRecording,
    /// How it was found.
    pub recovery: RecoveryFindings,
    /// The frames, in the order of channels and numbers.
    pub frames: F,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamFrame {
    /// The name of its channel.
    pub channel: String,
    /// Its number.
    pub sequence: u64,
    /// Its length.
    pub bytes: u32,
    /// Its time.
    pub time_unix_ns: u64,
    /// The block of the log that it begins in.
    pub block: u64,
}

/// What was found by `stream info`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InfoFindings {
    /// The recording.
    pub recording: StreamRecording,
    /// How it was found.
    pub recovery: RecoveryFindings,
    /// The generation of the superblock.
    pub generation: u64,
    /// Blocks between two indexes, twice, at most.
    pub index_interval: u32,
    /// The first block of the log that may be there, and the one behind the last.
    pub log: [u64; 2],
    /// The pass that the last block is of.
    pub pass: u64,
    /// The channels.
    pub channels: Vec<ChannelSpan>,
}

/// What there is of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelSpan {
    /// Its name.
    pub name: String,
    /// How its frames were told apart.
    pub framing: StreamFraming,
    /// Blocks with frames of it.
    pub blocks: u64,
    /// Frames that begin in them, without the one that has no end.
    pub frames: u64,
    /// The number of the frame that was under way where the channel ends.
    pub under_way: Option<u64>,
    /// Bytes in use in them.
    pub bytes: u64,
    /// The numbers of the first and the last frame that begin in them.
    pub sequences: Option<[u64; 2]>,
    /// Their times.
    pub times_unix_ns: Option<[u64; 2]>,
}

/// What was found by `stream extract`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractFindings {
    /// The recording.
    pub recording: StreamRecording,
    /// How it was found.
    pub recovery: RecoveryFindings,
    /// Frames that were written.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What should have been there and is not.
    pub missing: Vec<String>,
    /// What was under way when the recording ended, or is being overwritten: never reported as kept.
    pub unfinished: Vec<String>,
}
