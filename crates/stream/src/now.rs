//! What a recording has done until now, for who watches it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::kept::KeptTracker;
use crate::ring::{FrameTally, Pool};

/// The frames of a channel that found no room, counted by its source and read by the writer.
#[derive(Debug, Default)]
pub(crate) struct Drops {
    frames: AtomicU64,
    bytes: AtomicU64,
}

impl Drops {
    /// One more frame, of which these bytes are known.
    pub fn add_frame(&self, bytes: u64) {
        self.frames.fetch_add(1, Ordering::Relaxed);
        self.add_bytes(bytes);
    }

    /// More bytes of a frame that is counted.
    pub fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Frames, and their bytes. One may be a frame ahead of the other while the source counts.
    pub fn get(&self) -> (u64, u64) {
        (self.frames.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

/// What a recording has done until now.
#[derive(Debug)]
pub struct RecordingNow<'a> {
    pub(crate) kept: &'a KeptTracker,
    pub(crate) pools: &'a [Arc<Pool>],
    pub(crate) drops: &'a [Drops],
    pub(crate) block_bytes: u64,
}

/// What a channel has done until now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelNow {
    /// What is kept.
    pub kept: FrameTally,
    /// Frames that found no room.
    pub dropped: u64,
    /// The bytes of these.
    pub dropped_bytes: u64,
    /// The length of the ring, in bytes.
    pub ring_bytes: u64,
    /// How much of the ring is in use, in bytes.
    pub used_bytes: u64,
    /// The most of the ring that was ever in use, in bytes.
    pub most_used_bytes: u64,
}

impl RecordingNow<'_> {
    /// Bytes of frames that all channels together have kept.
    pub fn kept_bytes(&self) -> u64 {
        self.kept.bytes()
    }

    /// The channels, in the order of the plan.
    pub fn channels(&self) -> impl Iterator<Item = ChannelNow> {
        self.pools.iter().zip(self.drops).enumerate().map(|(number, (pool, drops))| {
            let (dropped, dropped_bytes) = drops.get();
            let bytes = |blocks: usize| blocks as u64 * self.block_bytes;
            ChannelNow {
                kept: self.kept.frontier(number),
                dropped,
                dropped_bytes,
                ring_bytes: bytes(pool.total),
                used_bytes: bytes(pool.used()),
                most_used_bytes: bytes(pool.high_water()),
            }
        })
    }
}
