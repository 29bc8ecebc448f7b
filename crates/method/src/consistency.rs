//! Performance consistency: purge, fill, random writes; the IOPS of every second.
//!
//! A purge gives every block back to the drive, the fill writes the chosen range once, then random writes
//! go on for long enough to see the fresh drive, its cliff and its steady state. With a reserve the range is
//! shortened, so that the rest of the user capacity stays unwritten and serves the drive as spare area.

use drivelab_analysis::LoopKind;
use drivelab_block::{
    ByteCount, Extent, Geometry, Limits, Nanos, Op, OpSet, SECTOR_BYTES, Sector, SectorCount,
};
use drivelab_workload::{Ask, Mix, Next, Order, Seed, Workload};

use crate::{LoadPlan, Pace, PhasePlan, StopRule};

/// The name of the phase that gives the drive's blocks back before a test: its failures are no failures of the run.
pub const PURGE: &str = "purge";
/// The block size of the fill.
const FILL_BLOCK: u64 = 128 << 10;
/// Bytes of one discard: small enough for every drive, large enough that a purge takes seconds.
const DISCARD_BYTES: u64 = 1 << 30;

/// What is asked of one drive with one reserve.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsistencyPlan {
    /// The part of the user capacity that is kept back, in percent, 0 or more and below 100.
    pub reserve_percent: f64,
    /// The part of the drive to use before the reserve is taken off; first byte and one past the last.
    pub range: (ByteCount, ByteCount),
    /// The block size of the random writes, in bytes.
    pub block_size: ByteCount,
    /// Writes in flight.
    pub queue_depth: u32,
    /// How long the random writes last.
    pub duration: Nanos,
    /// Whether the range is written once before.
    pub fill: bool,
    /// The seed of the run.
    pub seed: Seed,
}

impl ConsistencyPlan {
    /// The range that is written: (100 - reserve) % of what was chosen, in whole blocks of the fill where
    /// that leaves any, in whole blocks of the random writes otherwise.
    pub fn written_range(&self) -> (ByteCount, ByteCount) {
        let (start, end) = (self.range.0.get(), self.range.1.get());
        let length = end.saturating_sub(start);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let used = (length as f64 * (1.0 - self.reserve_percent / 100.0)).round() as u64;
        let block = self.block_size.get().max(1);
        let step =
            if used >= 64 * FILL_BLOCK && FILL_BLOCK.is_multiple_of(block) { FILL_BLOCK } else { block };
        let used = used.min(length);
        (ByteCount::new(start), ByteCount::new(start + used - used % step))
    }

    /// The fill; its block size is that of the random writes where 128 KiB do not suit the range.
    pub fn fill(&self, geometry: &Geometry) -> LoadPlan {
        let range = self.written_range();
        let length = range.1.get().saturating_sub(range.0.get());
        let suits =
            length.is_multiple_of(FILL_BLOCK) && FILL_BLOCK.is_multiple_of(u64::from(geometry.logical_block));
        let block_size = if suits { ByteCount::new(FILL_BLOCK) } else { self.block_size };
        LoadPlan {
            name: "fill".to_owned(),
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
            name: "random write".to_owned(),
            order: Order::Uniform,
            mix: Mix::Only(Op::Write),
            block_size: self.block_size,
            range: self.written_range(),
            queue_depth: self.queue_depth,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule { duration: Some(self.duration), bytes: None },
            seed: self.seed.child("random write"),
        }
    }
}

/// Gives every block of a range back to the drive.
#[derive(Clone, Debug)]
pub struct Purge {
    next: u64,
    end: u64,
}

impl Purge {
    /// Discards a range of a drive, first byte and one past the last, in whole logical blocks.
    pub fn of(range: (ByteCount, ByteCount), geometry: &Geometry) -> Purge {
        let block = u64::from(geometry.logical_block);
        let start = range.0.get().next_multiple_of(block);
        let end = range.1.get().min(geometry.capacity.get()) / block * block;
        let sector = |byte: u64| ByteCount::new(byte).whole_sectors();
        Purge { next: sector(start), end: sector(end) }
    }

    /// The phase that discards: one request after the other, as large as the drive takes them.
    pub fn phase(name: &str) -> PhasePlan {
        let ops = OpSet::EMPTY.with(Op::Discard);
        PhasePlan {
            name: name.to_owned(),
            loop_kind: LoopKind::Closed,
            limits: Limits { queue_depth: 1, max_transfer: ByteCount::new(0), ops },
            stop: StopRule::default(),
        }
    }

    /// Bytes that are still to be discarded.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(self.end.saturating_sub(self.next) * SECTOR_BYTES)
    }
}

impl Purge {
    fn next_discard(&mut self) -> Option<Ask> {
        let left = self.end.checked_sub(self.next).filter(|left| *left > 0)?;
        let length = u32::try_from(left.min(ByteCount::new(DISCARD_BYTES).whole_sectors())).ok()?;
        let extent = Extent { start: Sector::new(self.next), length: SectorCount::new(length) };
        self.next += u64::from(length);
        Some(Ask { due: None, op: Op::Discard, extent })
    }
}

impl Workload for Purge {
    fn next_ask(&mut self) -> Next {
        self.next_discard().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(reserve_percent: f64, size: u64) -> ConsistencyPlan {
        ConsistencyPlan {
            reserve_percent,
            range: (ByteCount::new(0), ByteCount::new(size)),
            block_size: ByteCount::new(4096),
            queue_depth: 32,
            duration: Nanos::from_secs(1),
            fill: true,
            seed: Seed::new(1),
        }
    }

    #[test]
    fn a_reserve_shortens_the_range_by_its_share() {
        let (start, end) = plan(25.0, 240_000_000_000).written_range();
        assert_eq!(start.get(), 0);
        assert!(180_000_000_000 - end.get() < FILL_BLOCK && end.get() % FILL_BLOCK == 0);
    }

    #[test]
    fn a_purge_covers_the_drive_once() {
        let geometry =
            Geometry { capacity: ByteCount::new((5 << 30) + 4096), logical_block: 512, physical_block: 4096 };
        let mut purge = Purge::of((ByteCount::new(0), geometry.capacity), &geometry);
        let mut next = 0;
        while let Next::Ask(ask) = purge.next_ask() {
            assert_eq!((ask.op, ask.extent.start.get()), (Op::Discard, next));
            next = ask.extent.end().get();
        }
        assert_eq!(next * 512, geometry.capacity.get());
    }
}
