//! Rounds in the style of SNIA's Solid State Storage Performance Test Specification: purge, precondition, and repeat all cells
//! until the tracked one is steady. Conformance is not claimed: the drive may not have been purged by a sanitize, and one
//! thread keeps the queue where the specification has several.

mod cells;
mod rehearsal;
mod running;

use drivelab_analysis::{CellSample, CellTable, Distribution};
use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_workload::{Mix, Order, Seed};

use crate::{LoadError, LoadPlan, Pace, StopRule};

pub use cells::Cell;
pub use rehearsal::{Rehearsed, rehearse};
pub use running::run_test;

/// Rounds after which a test gives up waiting for a steady state.
pub const ROUNDS_MAX: usize = 25;
/// The block of workload-independent preconditioning.
const FILL_BLOCK: u64 = 128 << 10;
/// The block of most of the writes that are measured.
const SMALL_BLOCK: u64 = 4 << 10;
/// How often preconditioning writes the range.
const FILLS: u64 = 2;

/// The tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PtsTest {
    /// Random I/O: seven mixes by eight block sizes.
    Iops,
    /// Sequential I/O of 1024 KiB.
    ThroughputLarge,
    /// Sequential I/O of 128 KiB.
    ThroughputSmall,
    /// One I/O at a time: three mixes by three block sizes; then twenty minutes of writes.
    Latency,
    /// 4 KiB random writes to a purged drive, until steady or four times its capacity.
    Saturation,
    /// Five seconds of random writes after idle times.
    IdleRecovery,
    /// Sequential, random, sequential.
    CrossStimulus,
    /// Response time against rate, over threads and depths.
    Demand,
}

impl PtsTest {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            PtsTest::Iops => "iops",
            PtsTest::ThroughputLarge => "throughput-1024k",
            PtsTest::ThroughputSmall => "throughput-128k",
            PtsTest::Latency => "latency",
            PtsTest::Saturation => "saturation",
            PtsTest::IdleRecovery => "idle-recovery",
            PtsTest::CrossStimulus => "cross-stimulus",
            PtsTest::Demand => "demand",
        }
    }
}

/// What all tests have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PtsPlan {
    /// The drive.
    pub geometry: Geometry,
    /// First byte of the range, and one past the last.
    pub range: (ByteCount, ByteCount),
    /// The length of a cell of a round.
    pub round: Nanos,
    /// Requests in flight, where the test itself names no other number.
    pub queue_depth: u32,
    /// The seed of every random draw.
    pub seed: Seed,
}

/// What a test found, as far as it came.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The test.
    pub test: PtsTest,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// What each came to in each round.
    pub table: CellTable,
    /// How the service times of the long look at its end are distributed, where it has one.
    pub long_look: Option<Distribution>,
    /// Whether its rounds became steady; none where it does not wait for that.
    pub steady: Option<bool>,
    /// Whether it came to its end.
    pub is_whole: bool,
}

/// What a load came to.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Its figures.
    pub sample: CellSample,
    /// How its service times are distributed.
    pub service: Distribution,
}

/// Who carries out what a test asks for.
pub trait Bench {
    /// What can go wrong.
    type Error;

    /// Gives the range back to the drive, where it takes that.
    ///
    /// # Errors
    /// Where the target is not the one any more that was cleared, or broke.
    fn purge(&mut self) -> Result<(), Self::Error>;

    /// Runs a load, and says what it came to; `None` where the user ended it.
    ///
    /// # Errors
    /// Where it cannot be run, or I/Os fail.
    fn measure(&mut self, load: &LoadPlan) -> Result<Option<Measured>, Self::Error>;

    /// Lets the drive idle; whether the user let it.
    ///
    /// # Errors
    /// Where the drive broke.
    fn idle(&mut self, time: Nanos) -> Result<bool, Self::Error>;
}

impl PtsPlan {
    /// Checks the plan against the drive.
    ///
    /// # Errors
    /// [`LoadError`] names the flag that mends it.
    pub fn check(&self) -> Result<(), LoadError> {
        self.fill().phase(&self.geometry, true).map(drop)?;
        self.load(&Cell::random(self.at_least(SMALL_BLOCK), 0, self.queue_depth), 0)
            .phase(&self.geometry, true)
            .map(drop)
    }

    /// Preconditioning: the range twice in sequence.
    pub fn fill(&self) -> LoadPlan {
        let block = self.at_least(FILL_BLOCK);
        let length = (self.range.1.get() - self.range.0.get()) / block * block;
        LoadPlan {
            name: "precondition".to_owned(),
            order: Order::Sequential,
            mix: Mix::ReadPercent(0),
            block_size: ByteCount::new(block),
            range: self.range,
            queue_depth: self.queue_depth,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule { duration: None, bytes: Some(ByteCount::new(length * FILLS)) },
            seed: self.seed,
        }
    }

    /// The load of a cell; each time it draws other places.
    pub fn load(&self, cell: &Cell, time: u64) -> LoadPlan {
        LoadPlan {
            name: cell.name(),
            order: if cell.sequential { Order::Sequential } else { Order::Uniform },
            mix: Mix::ReadPercent(cell.read_percent),
            block_size: ByteCount::new(cell.block),
            range: self.range,
            queue_depth: cell.queue_depth,
            workers: cell.workers,
            pace: Pace::Closed,
            stop: StopRule {
                duration: Some(Nanos::new(self.round.get().saturating_mul(cell.rounds))),
                bytes: None,
            },
            seed: self.seed.child("pts").numbered(time),
        }
    }
}
