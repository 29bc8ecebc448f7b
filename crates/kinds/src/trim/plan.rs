//! A validation of TRIM before it is carried out: what it needs, its phases, and the plan in words.
//!
//! A round: the range is filled, and a curve of writing rates taken; random writes use the drive's free blocks up, and the curve
//! of a used drive is taken, which is the control, after as long a rest as discards take; random writes again, the range is
//! trimmed, and a third curve is taken. Curves are taken on sampled spans, at most 2 % of the range together, so that
//! measuring does not itself rewrite the drive and make a TRIM that is ignored look effective.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op, OpSet};
use drivelab_documents::MeasuredPhases;
use drivelab_method::{Collected, CurveIo, EvenPlaces, LoadPlan, PhasePlan, Purge, StopRule, check_range};
use drivelab_stats::CurvePoint;
use drivelab_view::format::{long_time, things};
use drivelab_workload::verify::ReadbackLog;
use drivelab_workload::{Mix, Order, Seed};

use super::{DriveState, Trim, TrimPrecondition, TrimSettings};
use crate::one_load::random_load;
use crate::{
    OnePassPlan, Outline, PlanError, PlanResult, PlannedTime, PurgeOption, RangeOf, Test, TestNeeds,
    TestRules,
};

/// Why a file is no target.
const NOT_OF_FILES: &str =
    "the TRIM of a file is its file system's, and shows nothing of a drive: name a block device";
/// Spans of a curve.
const SPANS: u64 = 64;
/// The part of the range that a curve writes at most: one in so many bytes.
const PART: u64 = 50;
/// The most bytes of a span.
const SPAN_MAX: u64 = 64 << 20;
/// How long a span is written at most: a drive that crawls is not held up.
const SPAN_LIMIT: Nanos = Nanos::from_secs(20);
/// Requests in flight in a curve.
const CURVE_DEPTH: u32 = 4;
/// The block of random writes, and of looks.
const BLOCK: u64 = 4096;
/// Random writes in flight.
const PRECONDITIONING_DEPTH: u32 = 32;
/// The block of the fill.
const FILL_BLOCK: u64 = 128 << 10;
/// Blocks that are looked at before and after the TRIM.
const LOOKED_AT: u64 = 256;

const CURVES: u64 = 3;
/// The most rounds: each has 14 phases, a run has the first discards besides, and 256 phases at most.
pub const ROUNDS_MAX: u16 = 18;

/// What is done to which part of a drive.
#[derive(Clone, Debug)]
pub struct TrimPlan {
    pub(super) geometry: Geometry,
    /// What is asked; the purge is the one that suits the range.
    pub(super) settings: TrimSettings,
    /// First byte of the range, and one past the last: whole blocks of the fill.
    range: ByteRange,
    block: u64,
    /// The pass that takes the place of random writes for a time; none where there are those.
    pub(super) one_pass: Option<OnePassPlan>,
    seed: Seed,
    /// What blocks held when they were looked at.
    pub(super) looks: ReadbackLog,
}

impl Test for Trim {
    type Plan = TrimPlan;
    type Input = ();

    const RULES: TestRules =
        TestRules { is_announced: true, not_of_files: Some(NOT_OF_FILES), ..TestRules::USUAL };
    const RANGE: RangeOf<TrimSettings> = |settings| Some(&mut settings.range);

    fn needs(settings: &TrimSettings, (): &()) -> TestNeeds {
        TestNeeds { purge: settings.purge, ..TestNeeds::new(true, MeasuredPhases::Every) }
    }

    fn plan(settings: &TrimSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        let block = BLOCK.max(u64::from(geometry.logical_block));
        if settings.purge == PurgeOption::None {
            return Err(PlanError(
                "--purge none: the test begins with a discard of the range, to see whether the drive takes TRIM: leave --purge \
                 out".to_owned(),
            ));
        }
        let range = settings.range.on(&geometry);
        check_range(range, &geometry, 1)?;
        let is_one_pass = settings.precondition == TrimPrecondition::OnePass;
        if settings.preconditioning_ns == 0 && !is_one_pass {
            return Err(PlanError(
                "--precondition random:0s: the time must be above 0, since random writes are what a TRIM has to make \
                 good"
                    .to_owned(),
            ));
        }
        let step = FILL_BLOCK.max(block);
        let start = range.start.get().next_multiple_of(step);
        let end = (range.end.get() / step * step).max(start);
        let least = 4 * block * SPANS * PART;
        if end - start < least {
            let (range, least) = (ByteCount::new(end - start), ByteCount::new(least));
            return Err(PlanError(format!(
                "the range is {range} long: TRIM is tried on at least {least}, so that curves are short against it"
            )));
        }
        let range = ByteRange::new(ByteCount::new(start), ByteCount::new(end));
        let one_pass = is_one_pass
            .then(|| OnePassPlan::new(settings.flash_over_provisioning, settings.range, &geometry, range))
            .transpose()?;
        let settings = TrimSettings { purge: settings.purge.of_range(&settings.range)?, ..*settings };
        Ok(TrimPlan { geometry, settings, range, one_pass, block, seed, looks: ReadbackLog::default() })
    }

    fn outline(plan: &TrimPlan) -> Outline {
        let (rounds, spans) = (u64::from(plan.settings.rounds), plan.spans());
        let mut sentences = vec![
            format!(
                "{} of a fill, twice {}, a TRIM, and three curves of {} spans of {}",
                things(rounds, "round"),
                wear(plan),
                spans.count,
                spans.bytes
            ),
            format!(
                "{} written in sequence and {} in curves, as fast as the drive goes",
                ByteCount::new(rounds * plan.range.length().get()),
                plan.curve_bytes()
            ),
            random_writes(plan),
        ];
        if plan.settings.purge != PurgeOption::Discard {
            sentences.splice(0..0, plan.settings.purge.outline("the range"));
        }
        let passes = plan.one_pass.as_ref().map_or(0, |pass| pass.bytes().get().saturating_mul(2 * rounds));
        let unpaced = rounds * plan.range.length().get() + plan.curve_bytes().get();
        let unpaced = ByteCount::new(unpaced.saturating_add(passes));
        let timed = Nanos::new(plan.settings.preconditioning_ns.saturating_mul(2 * rounds));
        Outline {
            sentences,
            written: None,
            time: Some(PlannedTime { timed, unpaced, ..PlannedTime::default() }),
        }
    }
}

/// What wears the drive once.
fn wear(plan: &TrimPlan) -> String {
    let at_most = if plan.preconditioning_bytes().is_some() { "at most " } else { "" };
    match &plan.one_pass {
        Some(pass) => pass.in_words(),
        None => format!("{at_most}{} of random writes", long_time(plan.preconditioning().as_secs_f64())),
    }
}

/// How long and how much random writes go on in all.
fn random_writes(plan: &TrimPlan) -> String {
    let times = 2 * u64::from(plan.settings.rounds);
    if let Some(pass) = &plan.one_pass {
        let bytes = ByteCount::new(pass.bytes().get().saturating_mul(times));
        return format!("{bytes} written at random in {times} passes, as fast as the drive goes");
    }
    let time = long_time(plan.preconditioning().as_secs_f64() * times as f64);
    match plan.preconditioning_bytes() {
        None => format!("random writes for {time}; how much they write depends on the drive"),
        Some(bytes) => {
            let bytes = ByteCount::new(bytes.get().saturating_mul(times));
            format!("random writes for {time} at most, or less where {bytes} are written before")
        }
    }
}

impl TrimPlan {
    fn preconditioning(&self) -> Nanos {
        Nanos::new(self.settings.preconditioning_ns)
    }

    /// After how many bytes random writes end before that; none where they last their time.
    pub fn preconditioning_bytes(&self) -> Option<ByteCount> {
        let passes = self.settings.preconditioning_passes_max;
        passes.map(|passes| ByteCount::new(self.range.length().get().saturating_mul(u64::from(passes))))
    }

    /// Bytes that the curves of all rounds write at most.
    fn curve_bytes(&self) -> ByteCount {
        let spans = self.spans();
        ByteCount::new(u64::from(self.settings.rounds) * CURVES * spans.count * spans.bytes.get())
    }

    /// The spans of every curve.
    pub fn spans(&self) -> EvenPlaces {
        let span = (self.range.length().get() / PART / SPANS).min(SPAN_MAX) / self.block * self.block;
        EvenPlaces { range: self.range, count: SPANS, bytes: ByteCount::new(span), block: self.block }
    }

    /// Discards of the whole range.
    pub fn discards(&self) -> Purge {
        Purge::new(self.range, &self.geometry)
    }

    /// Every block of the range, once, in sequence.
    pub fn fill(&self) -> LoadPlan {
        LoadPlan {
            order: Order::SequentialOnce,
            block_size: ByteCount::new(FILL_BLOCK.max(self.block)),
            stop: StopRule::default(),
            ..self.random("fill", 0)
        }
    }

    /// Random writes over the range, or a pass; each time other ones.
    pub fn random_writes(&self, time: u64) -> LoadPlan {
        let random = self.random("random writes", time);
        match &self.one_pass {
            Some(pass) => pass.load(&random),
            None => random,
        }
    }

    /// Random reads of the same blocks at every look of a round.
    pub fn look(&self, round: u16) -> LoadPlan {
        let bytes = Some(ByteCount::new(self.block * LOOKED_AT));
        LoadPlan {
            mix: Mix::Only(Op::Read),
            queue_depth: 1,
            stop: StopRule { duration: None, bytes },
            seed: self.seed.child("look").numbered(u64::from(round)),
            ..self.random("look", 0)
        }
    }

    fn random(&self, name: &str, time: u64) -> LoadPlan {
        let seed = self.seed.child("random writes").numbered(time);
        LoadPlan {
            queue_depth: PRECONDITIONING_DEPTH,
            stop: StopRule { duration: Some(self.preconditioning()), bytes: self.preconditioning_bytes() },
            ..random_load(name, Op::Write, self.block, self.range, seed)
        }
    }

    /// The curve of a state.
    pub fn curve(&self, state: DriveState) -> (PhasePlan, CurveIo, Collected<CurvePoint>) {
        let spans = self.spans();
        let (name, ops) = (format!("{} curve", state.word()), OpSet::EMPTY.with(Op::Write));
        let phase = PhasePlan::closed(name, CURVE_DEPTH, spans.request(), ops);
        let (requests, points) = spans.curve(Op::Write, SPAN_LIMIT);
        (phase, requests, points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RangeEnd, RangeOption};

    fn plan(mebibytes: u64) -> PlanResult<Trim> {
        let geometry =
            Geometry { capacity: ByteCount::new(mebibytes << 20), logical_block: 512, physical_block: 4096 };
        let range = RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) };
        let settings = TrimSettings {
            precondition: TrimPrecondition::Random,
            flash_over_provisioning: None,
            preconditioning_ns: 60_000_000_000,
            preconditioning_passes_max: None,
            rounds: 3,
            purge: PurgeOption::Discard,
            range,
        };
        Trim::plan(&settings, &(), geometry, Seed::new(1))
    }

    #[test]
    fn curves_write_two_per_cent_of_the_range_at_most() {
        for mebibytes in [64, 1000, 240_000] {
            let spans = plan(mebibytes).expect("large enough").spans();
            assert!(spans.count * spans.bytes.get() * PART <= mebibytes << 20);
            assert!(spans.bytes.get() >= 4 * spans.request().get() && spans.request().get() > 0);
        }
        assert!(plan(32).is_err_and(|error| error.0.contains("TRIM is tried on at least")));
    }

    #[test]
    fn each_look_of_a_round_reads_the_same_blocks_and_random_writes_are_others_each_time() {
        let plan = plan(64).expect("large enough");
        assert_eq!(plan.look(1), plan.look(1));
        assert_ne!(plan.look(1).seed, plan.look(2).seed);
        assert_ne!(plan.random_writes(1).seed, plan.random_writes(2).seed);
    }
}
