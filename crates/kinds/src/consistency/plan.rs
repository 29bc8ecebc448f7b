//! The phases of a consistency test.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, Pace, StopRule};
use drivelab_workload::{Mix, Order, Seed};

use crate::{OnePassPlan, PurgeOption};

/// The phase that figures are taken from.
pub(super) const MEASURED: &str = "random write";
/// The name of the phase that fills the range.
pub(super) const FILL: &str = "fill";
/// The block size of the fill.
const FILL_BLOCK: u64 = 128 << 10;

/// What is done to a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsistencyPlan {
    /// The share of the range that is left unwritten, in per cent, 0 or more and below 100.
    pub over_provisioning_percent: f64,
    /// The part of the drive to use before that share is taken off; first byte and one past the last.
    pub range: ByteRange,
    /// The block size of the random writes, in bytes.
    pub block_size: ByteCount,
    /// Writes in flight.
    pub queue_depth: u32,
    /// How long the random writes last.
    pub duration: Nanos,
    /// How the drive is purged before.
    pub purge: PurgeOption,
    /// What is written before.
    pub preparation: Preparation,
    /// Size and block sizes of the drive.
    pub geometry: Geometry,
    /// The seed of the run.
    pub seed: Seed,
}

/// What is written before the random writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preparation {
    /// Nothing.
    None,
    /// The range, once, in sequence.
    Fill,
    /// The flash, once, by this plan.
    OnePass(OnePassPlan),
}

impl ConsistencyPlan {
    /// What is written before the random writes; none where nothing is.
    pub(super) fn preparing(&self) -> Option<LoadPlan> {
        match &self.preparation {
            Preparation::None => None,
            Preparation::Fill => Some(self.fill()),
            Preparation::OnePass(pass) => Some(pass.load(&self.random_writes())),
        }
    }

    /// The range that is written: (100 - over-provisioning) % of what was chosen, in whole blocks of the fill where
    /// that leaves any, in whole blocks of the random writes otherwise.
    pub fn written_range(&self) -> ByteRange {
        let (start, end) = (self.range.start.get(), self.range.end.get());
        let length = end.saturating_sub(start);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let used = (length as f64 * (1.0 - self.over_provisioning_percent / 100.0)).round() as u64;
        let block = self.block_size.get().max(1);
        let step =
            if used >= 64 * FILL_BLOCK && FILL_BLOCK.is_multiple_of(block) { FILL_BLOCK } else { block };
        let used = used.min(length);
        ByteRange::new(ByteCount::new(start), ByteCount::new(start + used - used % step))
    }

    /// The fill; its block size is that of the random writes where 128 KiB do not suit the range.
    pub fn fill(&self) -> LoadPlan {
        let range = self.written_range();
        let length = range.length().get();
        let suits = length.is_multiple_of(FILL_BLOCK)
            && FILL_BLOCK.is_multiple_of(u64::from(self.geometry.logical_block));
        let block_size = if suits { ByteCount::new(FILL_BLOCK) } else { self.block_size };
        LoadPlan {
            name: FILL.to_owned(),
            order: Order::SequentialOnce,
            mix: Mix::Only(Op::Write),
            block_size,
            range,
            queue_depth: self.queue_depth,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule::default(),
            seed: self.seed.child("fill"),
        }
    }

    /// The random writes.
    pub fn random_writes(&self) -> LoadPlan {
        LoadPlan {
            name: MEASURED.to_owned(),
            order: Order::Uniform,
            mix: Mix::Only(Op::Write),
            block_size: self.block_size,
            range: self.written_range(),
            queue_depth: self.queue_depth,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule { duration: Some(self.duration), bytes: None },
            seed: self.seed.child(MEASURED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(over_provisioning_percent: f64, size: u64) -> ConsistencyPlan {
        ConsistencyPlan {
            over_provisioning_percent,
            range: ByteRange::new(ByteCount::new(0), ByteCount::new(size)),
            block_size: ByteCount::new(4096),
            queue_depth: 32,
            duration: Nanos::from_secs(1),
            purge: PurgeOption::Discard,
            preparation: Preparation::Fill,
            geometry: Geometry { capacity: ByteCount::new(size), logical_block: 512, physical_block: 4096 },
            seed: Seed::new(1),
        }
    }

    #[test]
    fn over_provisioning_shortens_the_range_by_its_share() {
        let ByteRange { start, end } = plan(25.0, 240_000_000_000).written_range();
        assert_eq!(start.get(), 0);
        assert!(180_000_000_000 - end.get() < FILL_BLOCK && end.get() % FILL_BLOCK == 0);
    }
}
