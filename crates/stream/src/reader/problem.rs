//! What may be wrong with a recording.

use super::recover::Recording;
use crate::layout::{Damage, FirstLast, FrameEntry, Superblock};

/// Where a frame lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSpot {
    /// The number of its channel.
    pub channel: u16,
    /// Number, length and time.
    pub entry: FrameEntry,
    /// The block of the log that it begins in.
    pub block: u64,
}

/// Something that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A block that has to be there is damaged.
    Block {
        /// Its number in the log.
        sequence: u64,
        /// Where it lies on the target, in bytes.
        offset: u64,
        /// What is wrong with it.
        damage: Damage,
    },
    /// Blocks of a channel are missing.
    Missing {
        /// The number of the channel.
        channel: u16,
        /// The numbers of the blocks before and behind, among those of the channel.
        between: FirstLast,
        /// The block of the log behind them.
        before_block: u64,
    },
    /// A frame begins, and the rest of it is missing.
    Frame {
        /// Where.
        spot: FrameSpot,
        /// The block of the log in which it does not go on; none where its channel has no further block.
        cut_at: Option<u64>,
    },
    /// An index is not there; the blocks that it tells of were asked themselves.
    Index {
        /// Its number in the log.
        sequence: u64,
        /// Whether it is the one that the superblock names, so that the end of the log had to be searched for.
        is_last: bool,
    },
}

impl Problem {
    /// What is wrong, in words; the recording knows its channels by name.
    pub fn words(&self, superblock: &Superblock) -> String {
        let name = |channel: u16| {
            let known = superblock.channels.get(usize::from(channel));
            known.map_or_else(|| format!("channel {channel}"), |channel| channel.name.clone())
        };
        match self {
            Problem::Block { sequence, offset, damage } => {
                format!("block {sequence} of the log, at byte {offset} of the target: {damage}")
            }
            Problem::Missing {
                channel,
                between: FirstLast { first: before, last: behind },
                before_block,
            } => format!(
                "{}: {} of its blocks are missing before block {before_block} of the log",
                name(*channel),
                behind.saturating_sub(before.saturating_add(1))
            ),
            Problem::Index { sequence, is_last: true } => format!(
                "block {sequence} of the log, an index that the superblock names, is not there: what was behind it \
                 cannot be told"
            ),
            Problem::Index { sequence, is_last: false } => {
                format!(
                    "block {sequence} of the log, an index, is not there: its blocks were asked themselves"
                )
            }
            Problem::Frame { spot, .. } => format!(
                "{}: frame {} begins in block {} of the log, and the rest of it is missing",
                name(spot.channel),
                spot.entry.sequence,
                spot.block
            ),
        }
    }

    /// Whether it is what a kill leaves, or a cyclic recording that goes on, or the end of a full target.
    pub fn is_by_right(&self, recording: &Recording<'_>) -> bool {
        let settled = recording.settled_start()..recording.settled_end();
        match self {
            Problem::Index { sequence, .. } => *sequence < settled.start,
            Problem::Missing { before_block: at, .. }
            | Problem::Block { sequence: at, .. }
            | Problem::Frame { cut_at: Some(at), .. } => !settled.contains(at),
            // A closed log ends where its last index says. Without that, what is missing there was written once.
            Problem::Frame { cut_at: None, .. } => {
                !(recording.superblock.is_closed && recording.recovery.index_lost)
            }
        }
    }
}
