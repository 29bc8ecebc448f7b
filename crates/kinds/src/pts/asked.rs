//! What tests in rounds ask of a drive, one after the other.

use drivelab_block::{ByteRange, Nanos};
use drivelab_method::LoadPlan;
use drivelab_stats::{Distribution, PtsSample};

use crate::PurgeOption;

/// What tests in rounds ask of a drive at once.
#[derive(Clone, Debug)]
pub enum PtsRequest {
    /// To be purged: by a command of its own, or by discards of a range.
    Purge {
        /// How.
        asked: PurgeOption,
        /// The first byte of the range, and the one past its last.
        range: ByteRange,
    },
    /// To rest for so long.
    Rest(Nanos),
    /// To do a load.
    Load(Box<LoadPlan>),
}

/// What a load came to; nothing of a purge and of a rest.
#[derive(Clone, Debug, Default)]
pub struct MeasuredLoad {
    /// Its figures.
    pub sample: PtsSample,
    /// How its service times are distributed.
    pub service: Distribution,
}

/// One load among the others of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtsCell {
    /// Bytes of an I/O.
    pub block: u64,
    /// Reads of a hundred I/Os.
    pub read_percent: u8,
    /// Whether addresses follow each other.
    pub sequential: bool,
    /// I/Os in flight, for each thread.
    pub queue_depth: u32,
    /// Threads.
    pub workers: u16,
    /// Seconds of idle time before it.
    pub idle_s: u64,
    /// What tells it from one that is like it otherwise.
    pub part: &'static str,
    /// How many rounds it lasts: 1, but for the long measurement at the end of a test.
    pub rounds: u64,
}

impl PtsCell {
    pub(super) const fn random(block: u64, read_percent: u8, queue_depth: u32) -> PtsCell {
        PtsCell {
            block,
            read_percent,
            sequential: false,
            queue_depth,
            workers: 1,
            idle_s: 0,
            part: "",
            rounds: 1,
        }
    }

    pub(super) const fn sequential(block: u64, read_percent: u8, queue_depth: u32) -> PtsCell {
        PtsCell { sequential: true, ..PtsCell::random(block, read_percent, queue_depth) }
    }

    /// What tells it from the others.
    pub fn name(&self) -> String {
        let PtsCell { read_percent, queue_depth, workers, idle_s, part, rounds, .. } = *self;
        let order = if self.sequential { "sequential" } else { "random" };
        let block = self.block as f64 / 1024.0;
        let idle = if idle_s > 0 { format!(", {idle_s} s idle before") } else { String::new() };
        let part = if part.is_empty() { String::new() } else { format!(", {part}") };
        let long = if rounds > 1 { format!(", {rounds} rounds long") } else { String::new() };
        format!(
            "{order} {block} KiB, {read_percent}/{}, {workers} x {queue_depth}{idle}{part}{long}",
            100 - read_percent
        )
    }
}
