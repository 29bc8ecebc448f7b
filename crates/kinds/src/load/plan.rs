//! A load before it is carried out: what it needs, its phases, how it verifies what it writes, and the plan in words.

use std::sync::OnceLock;

use drivelab_block::{ByteCount, Geometry, Limits, Nanos, Op};
use drivelab_documents::{Condition, MeasuredPhases};
use drivelab_method::{LoadPlan, Pace, PhasePlan, StopRule};
use drivelab_workload::verify::{Ledger, RunId, SharedVerification, Verification};
use drivelab_workload::{Arrivals, Mix, Seed, Span};

use super::verified_writes::{VerifiedWrites, WriteManner};
use super::{Load, LoadSettings, LoadVerification, Operation, Spacing};
use crate::read_back::{ReadBack, StreamOnDrive, read_back_phase};
use crate::{NeededDiscards, Outline, PlanError, PlanResult, PlannedTime, Test, TestNeeds, TestRules};

/// A load on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct PlannedLoad {
    /// What is asked of the drive.
    pub load: LoadPlan,
    pub(super) geometry: Geometry,
    /// How what is written is verified; none where it is not.
    pub verified: Option<VerifiedPlan>,
}

impl PlannedLoad {
    /// The phase of the load, and that of reading back.
    ///
    /// # Errors
    /// Where the load makes no sense on the drive.
    pub fn phases(&self, outstanding_in_one: bool) -> Result<(PhasePlan, PhasePlan), PlanError> {
        let load = self.load.phase(&self.geometry, outstanding_in_one)?;
        // As many reads in flight as the load has writes.
        let reading = read_back_phase(load.limits.max_transfer, load.limits.queue_depth);
        let writing = self.verified.as_ref().map_or(load.clone(), |verified| verified.writing(load));
        Ok((writing, reading))
    }
}

/// What a queue depth is of, behind its number.
fn of_threads(threads: u16) -> String {
    if threads == 1 { String::new() } else { format!(" for each of {threads} threads") }
}

impl Test for Load {
    type Plan = PlannedLoad;
    type Input = ();

    const RULES: TestRules = TestRules { folder_option: "--output", ..TestRules::USUAL };

    fn needs(settings: &LoadSettings, (): &()) -> TestNeeds {
        let discards = (settings.operation == Operation::Discard).then_some(NeededDiscards {
            asked: "--rw discard asks for discards",
            instead: "ask for another --rw, or name another target",
        });
        let measured = match &settings.verify {
            Some(_) => MeasuredPhases::Phase(settings.operation.word().to_owned()),
            None => MeasuredPhases::Every,
        };
        TestNeeds {
            name_of_reading: Some(settings.operation.to_string()),
            discards,
            compressibility_percent: settings.compressibility_percent,
            cpus: settings.cpus.clone(),
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(settings.operation.writes(), measured)
        }
    }

    fn comparable(settings: LoadSettings, geometry: Geometry) -> LoadSettings {
        let plan = Load::plan(&settings, &(), geometry, Seed::new(0)).ok();
        let on_drive = plan.and_then(|plan| Some(plan.verified?.on_drive));
        let verify = settings.verify.map(|verify| LoadVerification { on_drive, ..verify });
        LoadSettings { range: settings.range.on_capacity(geometry.capacity), verify, ..settings }
    }

    fn conditions(settings: &LoadSettings, planned: &PlannedLoad) -> Vec<Condition> {
        let plan = &planned.load;
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let pace = match plan.pace {
            Pace::Closed => "closed loop".to_owned(),
            Pace::Open { rate, arrivals: Arrivals::Regular } => format!("open loop, {rate} IOPS, equal gaps"),
            Pace::Open { rate, arrivals: Arrivals::Poisson } => {
                format!("open loop, {rate} IOPS, exponential gaps (Poisson)")
            }
        };
        let (start, end) = (plan.range.start.get(), plan.range.end.get());
        let mut lines = vec![
            line("I/Os", format!("{}, {} bytes each", settings.operation, plan.block_size.get())),
            line("In flight", format!("{}{}", plan.queue_depth, of_threads(plan.workers))),
            line("Timing", pace),
            line("Range", format!("bytes {start} to {end}")),
        ];
        lines.extend(
            plan.stop.duration.map(|time: Nanos| line("Duration", format!("{} s", time.as_secs_f64()))),
        );
        lines.extend(plan.stop.bytes.map(|bytes| line("Amount", format!("{} bytes", bytes.get()))));
        let unverified = || format!("random, {} % compressible", settings.compressibility_percent);
        lines.push(line("Data", planned.verified.as_ref().map_or_else(unverified, VerifiedPlan::in_words)));
        lines
    }

    fn plan(settings: &LoadSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        let (order, mix) = settings.operation.order_and_mix();
        let arrivals = match settings.arrivals {
            Some(Spacing::Poisson) => Arrivals::Poisson,
            Some(Spacing::Regular) | None => Arrivals::Regular,
        };
        let load = LoadPlan {
            name: settings.operation.word().to_owned(),
            order,
            mix,
            block_size: ByteCount::new(settings.block_size_bytes),
            range: settings.range.on(&geometry),
            queue_depth: settings.queue_depth,
            workers: settings.threads,
            pace: settings.rate.map_or(Pace::Closed, |rate| Pace::Open { rate, arrivals }),
            stop: StopRule {
                duration: settings.duration_ns.map(Nanos::new),
                bytes: settings.bytes.map(ByteCount::new),
            },
            seed,
        };
        load.phase(&geometry, false)?;
        let verified = settings.verify.as_ref().map(|verify| VerifiedPlan::new(verify, &load, &geometry));
        Ok(PlannedLoad { verified: verified.transpose()?, load, geometry })
    }

    fn outline(planned: &PlannedLoad) -> Outline {
        let plan = &planned.load;
        let range = plan.range.length();
        let sentence = format!(
            "{} of {} bytes over {range}, {} in flight{}",
            plan.name,
            plan.block_size.get(),
            plan.queue_depth,
            of_threads(plan.workers)
        );
        let written = match plan.mix {
            Mix::Only(Op::Write) => plan.stop.bytes,
            Mix::Only(_) => Some(ByteCount::new(0)),
            Mix::ReadPercent(_) => None,
        };
        let is_read_back =
            planned.verified.as_ref().is_some_and(|verified| verified.asked.read_back != ReadBack::No);
        let timed = |duration: Nanos| {
            let read_back = if is_read_back { duration } else { Nanos::ZERO };
            PlannedTime { read_back, ..PlannedTime::timed(duration) }
        };
        let unpaced = |bytes: ByteCount| {
            let read_back = if is_read_back { bytes.get().min(range.get()) } else { 0 };
            PlannedTime { unpaced: ByteCount::new(bytes.get() + read_back), ..PlannedTime::default() }
        };
        let time = plan.stop.duration.map(timed).or_else(|| plan.stop.bytes.map(unpaced));
        let verified = planned.verified.as_ref().map(VerifiedPlan::in_words);
        Outline { sentences: [sentence].into_iter().chain(verified).collect(), written, time }
    }
}

/// The most blocks: what is known of each takes 8 bytes, and 4 more where it is read back continuously. Of a range that holds
/// more of them, blocks are used that are spread over it.
const BLOCKS_MAX: u64 = 1 << 27;
/// The least number of blocks for each write in flight: no two in flight go to one block, and which one is next is to be
/// drawn nearly as freely as without that.
const BLOCKS_PER_WRITE: u64 = 4;

/// How a load verifies what it writes.
#[derive(Clone, Debug)]
pub struct VerifiedPlan {
    /// What is asked.
    pub(super) asked: LoadVerification,
    /// What that means on the drive.
    pub(super) on_drive: StreamOnDrive,
    span: Span,
    /// Made when it is first asked for: it takes 8 bytes for each block.
    verification: OnceLock<SharedVerification>,
}

impl VerifiedPlan {
    /// What is asked of a load, on a drive of this geometry. Where the range has too few blocks, the error names the options
    /// that mend it.
    pub(super) fn new(
        asked: &LoadVerification,
        load: &LoadPlan,
        geometry: &Geometry,
    ) -> Result<VerifiedPlan, PlanError> {
        let span = load.span()?.thinned(BLOCKS_MAX);
        let blocks = span.blocks();
        let needed = BLOCKS_PER_WRITE * u64::from(load.queue_depth) * u64::from(load.workers);
        if blocks < needed {
            return Err(PlanError(format!(
                "--verify: the range holds {blocks} blocks, fewer than {needed}: use a larger --range, or less of --block-size, \
                 --queue-depth or --threads"
            )));
        }
        let on_drive = StreamOnDrive {
            logical_block_bytes: geometry.logical_block,
            range_bytes: [load.range.start.get(), load.range.end.get()],
            bytes: load.stop.bytes.map(ByteCount::get),
        };
        Ok(VerifiedPlan { asked: asked.clone(), on_drive, span, verification: OnceLock::new() })
    }

    /// How it is verified, in a sentence.
    fn in_words(&self) -> String {
        let when = match self.asked.read_back {
            ReadBack::Continuous => {
                "each block that was written is read back half a range of writes later, the rest at the end"
            }
            ReadBack::End => "each block that was written is read back at the end",
            ReadBack::No => "nothing is read back before --verify-after-crash",
        };
        let flushes = self.asked.flush_every;
        let flushes =
            flushes.map_or_else(String::new, |every| format!(", with a flush every {every} writes"));
        let which = match self.span.step() {
            1 => String::new(),
            2 => " at every second place of the range, as it holds too many".to_owned(),
            nth => format!(" at one place in {nth} of the range, as it holds too many"),
        };
        format!("self-describing blocks{which}{flushes}: {when}")
    }

    /// What was written, and what of it was read back.
    pub fn verification(&self) -> &SharedVerification {
        let nothing_yet = || SharedVerification::new(Verification::new(self.ledger()));
        self.verification.get_or_init(nothing_yet)
    }

    /// The blocks, of which nothing is written yet.
    pub(super) fn ledger(&self) -> Ledger {
        Ledger::of_places(self.span)
    }

    /// What tells the blocks of this load from those of every other.
    pub(super) fn run(&self) -> RunId {
        RunId(self.asked.blocks.0)
    }

    /// The phase of writing: that of the load, with the reads and the flushes that are added.
    pub(super) fn writing(&self, load: PhasePlan) -> PhasePlan {
        let reads = self.asked.read_back == ReadBack::Continuous;
        let more = [(reads, Op::Read), (self.asked.flush_every.is_some(), Op::Flush)];
        let ops = more
            .into_iter()
            .filter(|(is_asked, _)| *is_asked)
            .fold(load.limits.ops, |ops, (_, op)| ops.with(op));
        PhasePlan { limits: Limits { ops, ..load.limits }, ..load }
    }

    /// The writes of each of `engines` engines, which have a part of the range each. Where an engine serves several threads,
    /// it has the writes of all of them in flight.
    pub fn workloads(&self, load: &LoadPlan, engines: u16) -> Vec<VerifiedWrites> {
        let engines = engines.max(1);
        let in_flight = load.queue_depth * u32::from(load.workers.div_ceil(engines).max(1));
        let workload = |engine: u16| {
            let seed = load.seed.numbered(u64::from(engine));
            let manner = WriteManner {
                schedule: load.schedule(engine, engines, seed),
                depth: in_flight,
                flush_every: self.asked.flush_every,
                reads_behind: self.asked.read_back == ReadBack::Continuous,
            };
            VerifiedWrites::new(self.verification(), self.span.part(engine, engines), seed, manner)
        };
        (0..engines).map(workload).collect()
    }
}
