//! A test of waking up before it is carried out: what it needs, its phases, and the plan in words.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_documents::{Condition, MeasuredPhases};
use drivelab_method::{LoadPlan, StopRule};
use drivelab_view::format::{seconds, things};
use drivelab_workload::{Mix, Order, Seed};

use super::sentences::{rest_in_words, too_few};
use super::{Wake, WakeSettings};
use crate::one_load::random_load;
use crate::{Outline, PlanError, PlanResult, PlannedTime, RangeOf, Test, TestNeeds, TestRules};

/// The phase that the figures are taken from.
const MEASURED: &str = "reads after rests";
/// Bytes of a read; a block where that is longer.
const READ: u64 = 4096;
/// What is written after the blocks that are read: more than a write buffer holds.
const PUSHED_OUT: u64 = 256 << 20;
/// The longest rest.
const REST_MAX: Nanos = Nanos::from_secs(3600);

/// Reads after rests on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct WakePlan {
    pub(super) geometry: Geometry,
    range: ByteRange,
    /// One for each read, in their order.
    pub(super) rests: Vec<Nanos>,
    /// How many lengths the rests have.
    lengths: usize,
    /// Reads after each of these.
    runs: u16,
    seed: Seed,
}

impl Test for Wake {
    type Plan = WakePlan;
    type Input = ();

    const RULES: TestRules = TestRules { is_announced: true, ..TestRules::USUAL };
    const RANGE: RangeOf<WakeSettings> = |settings| Some(&mut settings.range);

    fn needs(_: &WakeSettings, (): &()) -> TestNeeds {
        TestNeeds::new(false, MeasuredPhases::Phase(MEASURED.to_owned()))
    }

    fn plan(settings: &WakeSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        if let Some(rest) = settings.rests_ns.iter().find(|rest| **rest > REST_MAX.get()) {
            let seconds = Nanos::new(*rest).as_secs_f64();
            return Err(PlanError(format!("--rests has {seconds} s: a rest lasts an hour at most, 1h")));
        }
        let each = settings.rests_ns.iter().copied().map(Nanos::new);
        let mut rests: Vec<Nanos> = each.flat_map(|rest| vec![rest; usize::from(settings.runs)]).collect();
        // In random order: what drifts meanwhile is no matter of one rest.
        seed.child("order").draw().shuffle(&mut rests);
        let (range, lengths) = (settings.range.on(&geometry), settings.rests_ns.len());
        let plan = WakePlan { geometry, range, rests, lengths, runs: settings.runs, seed };
        plan.reads().phase(&geometry, true)?;
        Ok(plan)
    }

    fn conditions(settings: &WakeSettings, _: &WakePlan) -> Vec<Condition> {
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let rests: Vec<String> = settings.rests_ns.iter().map(|rest| rest_in_words(*rest)).collect();
        let reads = things(settings.runs.into(), "read");
        vec![
            line("Random reads", format!("{READ} bytes, one at a time, each after a rest")),
            line("Rests", format!("{}, {reads} each, in random order", rests.join(", "))),
            line("Range", settings.range.to_string()),
        ]
    }

    fn outline(plan: &WakePlan) -> Outline {
        let rested = plan.rests.iter().fold(Nanos::ZERO, |all, rest| all + *rest);
        let reads = things(plan.rests.len() as u64, "read");
        let mut sentences =
            vec![format!("{reads}, each after a rest; rests of {} in all", seconds(rested.as_secs_f64()))];
        sentences.extend(too_few(plan.lengths, plan.runs.into()));
        Outline { sentences, written: Some(ByteCount::new(0)), time: Some(PlannedTime::timed(rested)) }
    }
}

impl WakePlan {
    fn block(&self) -> u64 {
        READ.max(u64::from(self.geometry.logical_block))
    }

    /// Random reads of single blocks.
    pub(super) fn reads(&self) -> LoadPlan {
        LoadPlan { name: MEASURED.to_owned(), mix: Mix::Only(Op::Read), ..self.fill() }
    }

    /// Writes of all blocks that are read later, at the same places: a new simulated drive would answer from its map.
    pub(super) fn fill(&self) -> LoadPlan {
        let bytes = ByteCount::new(self.block() * self.rests.len().max(1) as u64);
        let stop = StopRule { duration: None, bytes: Some(bytes) };
        let seed = self.seed.child("reads");
        LoadPlan { stop, ..random_load("fill", Op::Write, self.block(), self.range, seed) }
    }

    /// A read that wakes the drive up after the rest that follows the fill: the first read that is measured would else pay for
    /// that.
    pub(super) fn wake_up(&self) -> LoadPlan {
        let name = "read after the fill";
        // Another place than the first that is measured.
        let seed = self.seed.child(name);
        let stop = StopRule { duration: None, bytes: Some(ByteCount::new(self.block())) };
        LoadPlan { name: name.to_owned(), stop, seed, ..self.reads() }
    }

    /// Writes after these, which push them out of the write buffer.
    pub(super) fn push_out(&self) -> LoadPlan {
        let bytes = PUSHED_OUT.min(self.range.length().get()) / self.block() * self.block();
        let stop = StopRule { duration: None, bytes: Some(ByteCount::new(bytes)) };
        LoadPlan { order: Order::Sequential, queue_depth: 32, stop, ..self.fill() }
    }
}
