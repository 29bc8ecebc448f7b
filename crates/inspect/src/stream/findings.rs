//! What the commands of `drivelab stream` find.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckFindings, RecordFindings, RecoveryFindings, StreamRecording};
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

/// How frames are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamFraming {
    /// By their length, which comes first.
    Length,
    /// As JPEG pictures.
    Mjpeg,
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
