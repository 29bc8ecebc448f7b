//! The loads of tests in rounds.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, StopRule};
use drivelab_workload::{Mix, Order, Seed};

use super::findings::PtsCellFindings;
use super::settings::{PtsPrecondition, PtsSettings, PtsTest};
use crate::one_load::random_load;
use crate::one_pass::check_purged;
use crate::{OnePassPlan, PlanError, PurgeOption};

/// The least range, in bytes: a block of the largest cells.
const LEAST: u64 = 1 << 20;
/// Rounds after which a test gives up waiting for a steady state.
pub const ROUNDS_MAX: usize = 25;
/// The block of workload-independent preconditioning.
const FILL_BLOCK: u64 = 128 << 10;
/// The block of most of the writes that are measured.
pub(super) const SMALL_BLOCK: u64 = 4 << 10;
/// How often preconditioning writes the range.
const FILLS: u64 = 2;

/// What all tests have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PtsPlan {
    /// The drive.
    pub geometry: Geometry,
    /// First byte of the range, and one past the last.
    pub range: ByteRange,
    /// How the drive is purged before each test.
    pub purge: PurgeOption,
    /// The pass that preconditions the drive where a test takes one; none where it is filled twice.
    pub one_pass: Option<OnePassPlan>,
    /// The length of a cell of a round.
    pub round: Nanos,
    /// I/Os in flight, where the test itself names no other number.
    pub queue_depth: u32,
    /// The seed of every random draw.
    pub seed: Seed,
}

/// Tests that are to be run one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsSeries {
    /// What they have in common.
    pub plan: PtsPlan,
    /// The tests in their order.
    pub tests: Vec<PtsTest>,
}

impl PtsSeries {
    /// Checks what is asked of a drive.
    ///
    /// # Errors
    /// Names the option that mends it.
    pub fn new(settings: &PtsSettings, geometry: Geometry, seed: Seed) -> Result<PtsSeries, PlanError> {
        let tests = &settings.tests;
        if let Some(twice) = (1..tests.len()).find(|at| tests[..*at].contains(&tests[*at])) {
            let name = tests[twice].option();
            return Err(PlanError(format!("--tests: {name} is named twice; leave one out")));
        }
        let plan = PtsPlan {
            geometry,
            range: settings.range.on(&geometry),
            purge: settings.purge.of_range(&settings.range)?,
            one_pass: one_pass(settings, &geometry)?,
            round: Nanos::new(settings.cell_duration_ns),
            queue_depth: settings.queue_depth,
            seed,
        };
        let length = plan.range.length().get();
        if length < LEAST {
            return Err(PlanError(format!(
                "the range is {length} bytes long: tests in rounds need {LEAST} at least, for their largest block"
            )));
        }
        let small = PtsCellFindings::random(plan.at_least(SMALL_BLOCK), 0, plan.queue_depth);
        for load in [plan.fill(), plan.load(&small, 0)] {
            load.phase(&geometry, true)?;
        }
        Ok(PtsSeries { plan, tests: tests.clone() })
    }
}

/// The pass, where one was asked for.
fn one_pass(settings: &PtsSettings, geometry: &Geometry) -> Result<Option<OnePassPlan>, PlanError> {
    if settings.precondition == PtsPrecondition::FillTwice {
        return Ok(None);
    }
    check_purged(settings.purge)?;
    let range = settings.range.on(geometry);
    OnePassPlan::new(settings.flash_over_provisioning, settings.range, geometry, range).map(Some)
}

impl PtsPlan {
    /// What is written before the cells of a test; nothing before those of saturation.
    pub fn preconditioning(&self, test: PtsTest) -> Option<LoadPlan> {
        match &self.one_pass {
            _ if test == PtsTest::Saturation => None,
            Some(pass) if test.takes_one_pass() => {
                let small = PtsCellFindings::random(self.at_least(SMALL_BLOCK), 0, self.queue_depth);
                let load = pass.load(&LoadPlan { seed: self.seed, ..self.load(&small, 0) });
                let bytes = load.ends_after().ok();
                Some(LoadPlan { stop: StopRule { duration: None, bytes }, ..load })
            }
            _ => Some(self.fill()),
        }
    }

    /// Preconditioning: the range twice in sequence.
    pub fn fill(&self) -> LoadPlan {
        let block = self.at_least(FILL_BLOCK);
        let length = self.range.length().get() / block * block;
        LoadPlan {
            order: Order::Sequential,
            mix: Mix::ReadPercent(0),
            queue_depth: self.queue_depth,
            stop: StopRule { duration: None, bytes: Some(ByteCount::new(length * FILLS)) },
            ..random_load("precondition", Op::Write, block, self.range, self.seed)
        }
    }

    /// The load of a cell; each time it draws other places.
    pub fn load(&self, cell: &PtsCellFindings, time: u64) -> LoadPlan {
        let duration = Nanos::new(self.round.get().saturating_mul(cell.rounds_long));
        let seed = self.seed.child("pts").numbered(time);
        LoadPlan {
            order: if cell.sequential { Order::Sequential } else { Order::Uniform },
            mix: Mix::ReadPercent(cell.read_percent),
            queue_depth: cell.queue_depth,
            workers: cell.threads,
            stop: StopRule { duration: Some(duration), bytes: None },
            ..random_load(&cell.name, Op::Write, cell.block_bytes, self.range, seed)
        }
    }
}
