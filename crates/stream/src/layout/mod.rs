//! What lies where on a recorded drive: pure encoding and decoding, no I/O.
//!
//! A recording is a log of blocks between two superblocks. Block `s` of the log lies in place `s` modulo the number of
//! places, so that a block whose number does not fit its place is known to be stale. Everything is little-endian,
//! and every structure carries a CRC32C of itself. Decoders take any bytes: what makes no sense is [`Damage`].

mod fields;
mod header;
mod index;
mod superblock;

pub use drivelab_block::{StreamFraming, StreamMode};
pub use fields::crc32c;
pub use header::{BlockHeader, FRAMES_MAX, FrameEntry};
pub use index::{FirstLast, Index, IndexEntry};
pub use superblock::{CHANNELS_MAX, ChannelEntry, NAME_BYTES_MAX, Superblock, is_channel_name};

use std::fmt;

/// The length of a superblock and of a block's header: one physical block of nearly every drive, in bytes.
pub const HEADER_BYTES: usize = 4096;
/// The lengths a block may have, in bytes; multiples of [`HEADER_BYTES`].
pub const BLOCK_BYTES: std::ops::RangeInclusive<u32> = (64 << 10)..=(64 << 20);

/// Where the two superblocks lie on a target of this length, in bytes: at both ends, so that nothing takes both with it.
pub fn superblocks_at(length: u64) -> [u64; 2] {
    let header = HEADER_BYTES as u64;
    [0, (length / header).saturating_sub(1) * header]
}

/// A recording's name: drawn anew for each, so that blocks of an earlier one are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub [u8; 16]);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Why bytes are not the structure that was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// They are no such structure at all: nothing was ever written here, or something else.
    #[error("nothing of a recording is here")]
    Nothing,
    /// They begin like one, and their checksum does not fit.
    #[error("the checksum does not fit: torn or damaged")]
    Checksum,
    /// They are of another recording.
    #[error("a block of another recording is here: stale")]
    OtherRun,
    /// They are another block of this recording.
    #[error("block {0} of the log is here: stale or misplaced")]
    OtherSequence(u64),
    /// The drive does not give them.
    #[error("the drive cannot read it")]
    Unreadable,
    /// They are whole and say what cannot be.
    #[error("{0}")]
    Impossible(&'static str),
}

/// Which block is expected: of which recording, at which place of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedBlock {
    /// The recording.
    pub run: RunId,
    /// The block's number in the log.
    pub sequence: u64,
    /// The length of a block's payload area, in bytes.
    pub payload_bytes: u32,
}
