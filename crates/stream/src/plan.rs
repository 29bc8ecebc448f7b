//! What is to be recorded, checked.

use drivelab_block::{ByteCount, Nanos};
use drivelab_uring::Clock;

use crate::layout::{
    BLOCK_BYTES, CHANNELS_MAX, HEADER_BYTES, Index, NAME_BYTES_MAX, RunId, StreamFraming, StreamMode,
    is_channel_name, superblocks_at,
};
use crate::source::{FRAME_STAMP, SourceKind};
use crate::{ProgramWatch, StreamError};

pub use crate::ring::OnFull;

/// A channel that is to be recorded.
#[derive(Clone, Debug)]
pub struct ChannelPlan {
    /// Its name.
    pub name: String,
    /// What it is read from.
    pub source: SourceKind,
    /// How its frames are told apart.
    pub framing: StreamFraming,
    /// The length of its ring.
    pub ring: ByteCount,
    /// What happens where that is full.
    pub on_full: OnFull,
}

/// A recording that is to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The channels.
    pub channels: Vec<ChannelPlan>,
    /// What happens at the end of the target.
    pub shape: StreamMode,
    /// The length of a block.
    pub block: ByteCount,
    /// The most blocks that are written at a time.
    pub in_flight: u32,
    /// At most this many blocks have to be read by a recovery; fitted to the target where nothing is asked for.
    pub index_interval: Option<u32>,
    /// Whether a frame is only kept when it is on the medium.
    pub durable: bool,
    /// How long a frame may wait in a block that is not full.
    pub flush_after: Nanos,
    /// When to end.
    pub duration: Option<Nanos>,
    /// Or after how many bytes of frames.
    pub bytes: Option<ByteCount>,
}

/// What a recording begins with.
#[derive(Clone, Copy, Debug)]
pub struct RecordingStart<'a> {
    /// Its name.
    pub run: RunId,
    /// The generation of the last superblock on the target, whichever recording it is of.
    pub generation: u64,
    /// The recording's clock.
    pub clock: Clock,
    /// What the clock's origin is in Unix time, in nanoseconds.
    pub started_unix_ns: u64,
    /// Whether the program runs: the time in which it did not is none of the drive's.
    pub program: &'a dyn ProgramWatch,
}

/// The places of a recording on its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingPlaces {
    /// The length of a block, in bytes.
    pub block_bytes: u32,
    /// Where the two superblocks lie, in bytes.
    pub superblocks_at: [u64; 2],
    /// Where the log begins, in bytes.
    pub log_start: u64,
    /// How many blocks it has room for.
    pub log_blocks: u64,
    /// How many blocks a recovery may have to read.
    pub index_interval: u32,
}

/// Blocks from one index to the next, where nothing is asked for and the target has room.
const INDEX_INTERVAL: u64 = 256;
const INDEX_INTERVAL_MIN: u32 = 4;
/// How many buffers the writer needs for indexes, and one more for superblocks.
pub(crate) const INDEX_BUFFERS: usize = 2;
/// Blocks that all rings have at most: with those of index and superblock as many buffers as a ring of the kernel
/// registers (`IORING_MAX_REG_BUFFERS`).
const RING_BLOCKS_MAX: usize = (1 << 14) - INDEX_BUFFERS - 1;

impl Plan {
    /// Checks the plan against a target of this capacity and block size, in bytes.
    ///
    /// # Errors
    /// [`StreamError::Usage`] with what to change.
    pub fn places(&self, capacity: u64, logical_block: u32) -> Result<RecordingPlaces, StreamError> {
        let block_bytes = u32::try_from(self.block.get()).unwrap_or(u32::MAX);
        let aligned = block_bytes.is_multiple_of(logical_block.max(4096));
        if !BLOCK_BYTES.contains(&block_bytes) || !aligned {
            return usage("--block-size: a block is 1MiB to 4MiB long, in whole 4KiB");
        }
        if logical_block > 4096 {
            return usage(format!(
                "the target takes no less than {logical_block} bytes at a time: 4096 are needed"
            ));
        }
        if self.in_flight == 0 || self.in_flight > 256 {
            return usage("--queue-depth: between 1 and 256 blocks are written at a time");
        }
        self.check_channels()?;
        let log_start = u64::from(block_bytes);
        let superblocks_at = superblocks_at(capacity);
        let log_blocks = (superblocks_at[1] / log_start).saturating_sub(1);
        let longest = u32::try_from(Index::capacity(block_bytes as usize)).unwrap_or(u32::MAX);
        let fitting = (log_blocks / 4).min(INDEX_INTERVAL).min(u64::from(longest));
        let index_interval = self
            .index_interval
            .unwrap_or(u32::try_from(fitting).unwrap_or(INDEX_INTERVAL_MIN).max(INDEX_INTERVAL_MIN));
        if index_interval < INDEX_INTERVAL_MIN || index_interval > longest {
            return usage(format!("--index-interval: between {INDEX_INTERVAL_MIN} and {longest} blocks"));
        }
        let least = 2 * (u64::from(index_interval) + u64::from(self.in_flight));
        if log_blocks < least {
            let needed = ByteCount::new((least + 2) * log_start);
            return usage(format!(
                "the target has room for {log_blocks} blocks, and {least} are the least: use one of {needed}, or a \
                 smaller --block-size, --queue-depth or --index-interval"
            ));
        }
        Ok(RecordingPlaces { block_bytes, superblocks_at, log_start, log_blocks, index_interval })
    }

    fn check_channels(&self) -> Result<(), StreamError> {
        if self.channels.is_empty() || self.channels.len() > CHANNELS_MAX {
            return usage(format!("--channel: between 1 and {CHANNELS_MAX} channels are recorded"));
        }
        if self.bytes == Some(ByteCount::new(0)) {
            return usage("--bytes must be above 0");
        }
        for (number, channel) in self.channels.iter().enumerate() {
            let name = &channel.name;
            if !is_channel_name(name) {
                return usage(format!(
                    "--channel {name}: a name is 1 to {NAME_BYTES_MAX} letters, digits, -, _ or . and begins with none \
                     of the dots"
                ));
            }
            if self.channels[..number].iter().any(|other| other.name == *name) {
                return usage(format!("--channel {name}: two channels have this name"));
            }
            self.check_ring(channel)?;
        }
        let blocks = self.ring_blocks().fold(0_usize, usize::saturating_add);
        if blocks > RING_BLOCKS_MAX {
            return usage(format!(
                "--channel: the rings have more than {RING_BLOCKS_MAX} blocks: use smaller ones, or a larger --block-size"
            ));
        }
        Ok(())
    }

    /// How many blocks the ring of each channel has.
    pub(crate) fn ring_blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let blocks = |ring: ByteCount| usize::try_from(ring.get() / self.block.get()).unwrap_or(usize::MAX);
        self.channels.iter().map(move |channel| blocks(channel.ring))
    }

    fn check_ring(&self, channel: &ChannelPlan) -> Result<(), StreamError> {
        let name = &channel.name;
        let payload = self.block.get() - HEADER_BYTES as u64;
        let blocks = channel.ring.get() / self.block.get();
        if blocks < 2 {
            return usage(format!("--channel {name}: ring is at least two blocks: use ring=64MiB or so"));
        }
        let SourceKind::Synthetic(synthetic) = &channel.source else { return Ok(()) };
        let (least, greatest) = (synthetic.least_bytes, synthetic.most_bytes);
        let longest = (blocks - 1) * payload;
        if (least as usize) < FRAME_STAMP || least > greatest {
            return usage(format!(
                "--channel {name}: size is {FRAME_STAMP} bytes or more, as in size=1MB-2MB"
            ));
        }
        if u64::from(greatest) > longest {
            return usage(format!(
                "--channel {name}: frames of {greatest} bytes do not fit its ring: use a larger ring="
            ));
        }
        if synthetic.rate.is_some_and(|rate| !(rate > 0.0 && rate <= 1e6)) {
            return usage(format!(
                "--channel {name}: rate is more than 0 and at most 1000000 frames a second"
            ));
        }
        if synthetic.rate.is_none() && channel.on_full == OnFull::Drop {
            return usage(format!(
                "--channel {name}: without a rate, on-full=drop would drop without end: give a rate=, or on-full=wait"
            ));
        }
        Ok(())
    }
}

fn usage<T>(message: impl Into<String>) -> Result<T, StreamError> {
    Err(StreamError::Usage(message.into()))
}
