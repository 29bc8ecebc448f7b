//! A load before it is carried out: what it needs, its phases, and the plan in words.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_method::{LoadError, LoadPlan, Pace, PhasePlan, StopRule};
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_workload::{Arrivals, Mix, Seed};

use super::{Load, LoadSettings, LoadVerification, Operation, Spacing, VerifiedPlan};
use crate::read_back::ReadBack;
use crate::{NeededDiscards, Outline, PlanError, Planned, PlannedTime, Test, TestNeeds, TestRules};

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
    pub fn phases(&self, outstanding_in_one: bool) -> Result<(PhasePlan, PhasePlan), LoadError> {
        let load = self.load.phase(&self.geometry, outstanding_in_one)?;
        let reading = VerifiedPlan::reading(&load);
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
        match &planned.verified {
            Some(verified) => lines.push(line("Data", verification(&verified.asked, verified.every()))),
            None => {
                lines.push(line(
                    "Data",
                    format!("random, {} % compressible", settings.compressibility_percent),
                ));
            }
        }
        lines
    }

    fn plan(settings: &LoadSettings, (): &(), geometry: Geometry, seed: Seed) -> Planned<Self> {
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
        load.phase(&geometry, false).map_err(PlanError::new)?;
        let verified = settings.verify.as_ref().map(|verify| VerifiedPlan::new(verify, &load, &geometry));
        Ok(PlannedLoad { verified: verified.transpose()?, load, geometry })
    }

    fn outline(planned: &PlannedLoad) -> Outline {
        let plan = &planned.load;
        let ByteRange { start, end } = plan.range;
        let range = ByteCount::new(end.get().saturating_sub(start.get()));
        let sentence = format!(
            "{} of {} bytes over {range}, {} in flight{}",
            plan.name,
            plan.block_size.get(),
            plan.queue_depth,
            of_threads(plan.workers)
        );
        let writes = !matches!(plan.mix, Mix::Only(Op::Read | Op::Flush | Op::Discard));
        let written = if writes {
            plan.stop.bytes.filter(|_| plan.mix == Mix::Only(Op::Write))
        } else {
            Some(ByteCount::new(0))
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
        let mut sentences = vec![sentence];
        sentences.extend(
            planned.verified.as_ref().map(|verified| verification(&verified.asked, verified.every())),
        );
        Outline { sentences, written, time }
    }
}

/// How it is verified, in a sentence; `every` says which of the blocks of the range are used.
fn verification(asked: &LoadVerification, every: u64) -> String {
    let when = match asked.read_back {
        ReadBack::Continuous => {
            "each block that was written is read back half a range of writes later, the rest at the end"
        }
        ReadBack::End => "each block that was written is read back at the end",
        ReadBack::No => "nothing is read back before --verify-after-crash",
    };
    let flushes =
        asked.flush_every.map_or_else(String::new, |every| format!(", with a flush every {every} writes"));
    let which = match every {
        1 => String::new(),
        2 => " at every second place of the range, as it holds too many".to_owned(),
        nth => format!(" at one place in {nth} of the range, as it holds too many"),
    };
    format!("self-describing blocks{which}{flushes}: {when}")
}
