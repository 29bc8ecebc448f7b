//! What the commands of `drivelab stream` find.

use drivelab_block::{StreamFraming, StreamMode};
use drivelab_documents::LapsesDocument;
use drivelab_stats::Standstill;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// What was found by `stream check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckFindings {
    /// The recording.
    pub recording: StreamRecording,
    /// How it was found.
    pub recovery: RecoveryFindings,
    /// Blocks that were proved.
    pub blocks: u64,
    /// Frames that were proved, by channel.
    pub channels: Vec<ProvedChannel>,
    /// What is wrong.
    pub problems: Vec<String>,
    /// What was under way when the recording ended, or is being overwritten.
    pub unfinished: Vec<String>,
}

/// The frames of a channel that were proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProvedChannel {
    /// Its name.
    pub name: String,
    /// How many.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
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

/// What was recorded by `stream record`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordFindings {
    /// The recording.
    pub recording: StreamRecording,
    /// Why it ended.
    pub ended: RecordEnd,
    /// What the drive had not answered when it was given up; absent where it answered everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapses: Option<Box<LapsesDocument>>,
    /// How long it went on.
    pub duration_s: f64,
    /// Kept payload over how long the recording went on.
    pub mb_s: f64,
    /// Kept payload over the time from the first write to the end of the last.
    pub busy_mb_s: f64,
    /// Bytes of frames that were kept.
    pub kept_bytes: u64,
    /// Bytes that were written, headers and indexes included.
    pub written_bytes: u64,
    /// Bytes of these that the kernel took out of registered memory.
    pub registered_bytes: u64,
    /// Bytes of frames that were read, or made, in the rings' memory.
    pub in_place_bytes: u64,
    /// Blocks that were written; those that the drive had not answered when they were given up are none of them.
    pub blocks: u64,
    /// How often the log was filled.
    pub passes: f64,
    /// The longest time from a write's submission to its end, less what the program stood still in it; a write that was given up
    /// would have taken longer than until then.
    pub longest_write_ns: u64,
    /// The program's own time in user mode.
    pub user_cpu_s: Option<f64>,
    /// Whether the last frames were read back, as they are after a failed write.
    #[serde(default)]
    pub read_back: RecordReadBack,
    /// When the program stood still meanwhile: it took and wrote no frame then.
    #[serde(default)]
    pub standstills: Vec<Standstill>,
    /// The channels.
    pub channels: Vec<RecordedChannel>,
}

/// Whether the last frames of a recording were read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordReadBack {
    /// No write failed.
    #[default]
    Unneeded,
    /// They were read back; channels tell what is not there.
    Done,
    /// They could not be, or the drive is gone.
    Failed,
}

/// Why a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordEnd {
    /// All sources had ended.
    Sources,
    /// What was asked for was recorded.
    Asked,
    /// A signal ended it.
    Interrupted,
    /// The target's end was reached.
    Full,
    /// A write failed.
    Failed,
    /// The drive had answered nothing for five minutes, and no time was to end the recording.
    Hung,
}

/// A channel that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedChannel {
    /// Its name.
    pub name: String,
    /// Whole frames that the source delivered.
    pub produced: u64,
    /// Frames that were kept.
    pub kept: u64,
    /// Their bytes.
    pub kept_bytes: u64,
    /// The number of the last of them.
    pub last_kept: Option<u64>,
    /// Frames that found no room in the ring.
    pub dropped: u64,
    /// Their bytes.
    pub dropped_bytes: u64,
    /// How many of the dropped could never have fitted.
    pub unfit: u64,
    /// Frames in the ring that were not written: the target was full, a write failed, or the drive did not answer.
    pub not_written: u64,
    /// Frames that the source did not end.
    pub unfinished: u64,
    /// Pictures that are kept and are no whole JPEG.
    pub damaged: u64,
    /// Bytes of the source that belong to no picture.
    pub skipped_bytes: u64,
    /// The length of the ring.
    pub ring_bytes: u64,
    /// The most of it that was in use.
    pub high_water_bytes: u64,
    /// The longest time in which no frame could be placed, less what the program stood still in it.
    pub longest_wait_ns: u64,
    /// The first frame that was reported as kept and is not there, where the last ones were read back and one is not.
    #[serde(default)]
    pub first_lost: Option<u64>,
}
