//! The documents of `--json`: `drivelab.stream/1`, described by `crates/report/schemas/drivelab.stream-1.json`.

use drivelab_stream::layout::{Framing, Shape, Superblock};
use drivelab_stream::reader::Recording;
use serde::Serialize;

/// The name and version of the documents' shape.
pub const SCHEMA: &str = "drivelab.stream/1";

/// What every document says first.
#[derive(Debug, Serialize)]
pub struct Head {
    schema: &'static str,
    command: &'static str,
    target: String,
    run: String,
    started_unix_ns: u64,
    mode: &'static str,
    /// Length of a block, in bytes.
    pub block_bytes: u32,
    log_blocks: u64,
}

impl Head {
    /// What a superblock says.
    pub fn of(command: &'static str, target: &std::path::Path, superblock: &Superblock) -> Head {
        Head {
            schema: SCHEMA,
            command,
            target: target.display().to_string(),
            run: superblock.run.to_string(),
            started_unix_ns: superblock.started_unix_ns,
            mode: mode(superblock.shape),
            block_bytes: superblock.block_bytes,
            log_blocks: superblock.log_blocks,
        }
    }
}

/// A shape in a word.
pub fn mode(shape: Shape) -> &'static str {
    match shape {
        Shape::Linear => "linear",
        Shape::Cyclic => "cyclic",
    }
}

/// A framing in a word.
pub fn framing(framing: Framing) -> &'static str {
    match framing {
        Framing::Length => "length",
        Framing::Mjpeg => "mjpeg",
    }
}

/// How a recording was found.
#[derive(Debug, Serialize)]
pub struct RecoveryDocument {
    closed: bool,
    blocks_read: u64,
    index_lost: bool,
    superblock_lost: bool,
    /// Where the image ends, in bytes, where that is before the end of the log.
    cut_at_byte: Option<u64>,
}

impl RecoveryDocument {
    /// How this one was found.
    pub fn of(recording: &Recording<'_>) -> RecoveryDocument {
        let recovery = recording.recovery();
        RecoveryDocument {
            closed: recording.superblock().is_closed,
            blocks_read: recovery.blocks_read,
            index_lost: recovery.index_lost,
            superblock_lost: recovery.superblock_lost,
            cut_at_byte: recording.cut_at(),
        }
    }
}

impl RecoveryDocument {
    /// Whether one of the two superblocks was unusable.
    pub fn superblock_lost(&self) -> bool {
        self.superblock_lost
    }
}

/// `stream record`.
#[derive(Debug, Serialize)]
pub struct RecordDocument {
    /// What it is.
    #[serde(flatten)]
    pub head: Head,
    /// Why it ended.
    pub ended: &'static str,
    /// How long it went on, in seconds.
    pub duration_s: f64,
    /// Kept payload over how long the recording went on, in decimal megabytes a second.
    pub mb_s: f64,
    /// Kept payload over the time from the first write to the end of the last, in decimal megabytes a second.
    pub busy_mb_s: f64,
    /// Bytes of frames that were kept.
    pub kept_bytes: u64,
    /// Bytes that were written, headers and indexes included.
    pub written_bytes: u64,
    /// Bytes of these that the kernel took out of registered memory.
    pub registered_bytes: u64,
    /// Bytes of frames that were read, or made, in the rings' memory.
    pub in_place_bytes: u64,
    /// Blocks that were written.
    pub blocks: u64,
    /// How often the log was filled.
    pub passes: f64,
    /// The longest time from a write's submission to its end.
    pub longest_write_ns: u64,
    /// The program's own time in user mode, in seconds.
    pub user_cpu_s: Option<f64>,
    /// The channels.
    pub channels: Vec<RecordedChannel>,
}

/// A channel that was recorded.
#[derive(Debug, Serialize)]
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
    /// Frames in the ring that were not written: the target was full, or a write failed.
    pub not_written: u64,
    /// Frames that the source did not end.
    pub unfinished: u64,
    /// Pictures that are kept and are no whole JPEG.
    pub damaged: u64,
    /// Bytes of the source that belong to no picture.
    pub skipped_bytes: u64,
    /// The length of the ring, in bytes.
    pub ring_bytes: u64,
    /// The most of it that was in use.
    pub high_water_bytes: u64,
    /// The longest time in which no frame could be placed.
    pub longest_wait_ns: u64,
}

/// `stream info`.
#[derive(Debug, Serialize)]
pub struct InfoDocument {
    /// What it is.
    #[serde(flatten)]
    pub head: Head,
    /// How it was found.
    pub recovery: RecoveryDocument,
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
#[derive(Debug, Serialize)]
pub struct ChannelSpan {
    /// Its name.
    pub name: String,
    /// How its frames were told apart.
    pub framing: &'static str,
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

/// `stream check`.
#[derive(Debug, Serialize)]
pub struct CheckDocument {
    /// What it is.
    #[serde(flatten)]
    pub head: Head,
    /// How it was found.
    pub recovery: RecoveryDocument,
    /// Blocks that were proved.
    pub blocks: u64,
    /// Frames that were proved, by channel.
    pub channels: Vec<ProvedChannel>,
    /// What is wrong.
    pub problems: Vec<String>,
    /// What was under way when the recording ended.
    pub unfinished: Vec<String>,
}

/// The frames of a channel that were proved.
#[derive(Debug, Serialize)]
pub struct ProvedChannel {
    /// Its name.
    pub name: String,
    /// How many.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// `stream extract`.
#[derive(Debug, Serialize)]
pub struct ExtractDocument {
    /// What it is.
    #[serde(flatten)]
    pub head: Head,
    /// How it was found.
    pub recovery: RecoveryDocument,
    /// Frames that were written.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What should have been there and is not.
    pub missing: Vec<String>,
    /// What was under way when the recording ended, or is being overwritten: never reported as kept.
    pub unfinished: Vec<String>,
}
