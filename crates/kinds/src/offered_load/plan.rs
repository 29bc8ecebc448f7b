//! A test at offered loads before it is carried out: what it needs, its phases, and the plan in words.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_documents::{Condition, MeasuredPhases};
use drivelab_method::{LoadPlan, Pace, RATE_MAX, StopRule};
use drivelab_view::format::{long_time, nanos, things};
use drivelab_workload::{Arrivals, Seed};

use super::{LoadOption, OfferedLoad, OfferedLoadSettings};
use crate::one_load::{fill_of, random_load};
use crate::{Outline, PlanError, PlanResult, PlannedTime, RangeOf, Test, TestNeeds, TestRules};

/// The I/Os in flight at an offered load, at most: a drive that has more than that to do is overloaded.
const SLOTS: u32 = 1_024;

/// A test at offered loads on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct OfferedLoadPlan {
    pub(super) geometry: Geometry,
    pub(super) settings: OfferedLoadSettings,
    pub(super) range: ByteRange,
    seed: Seed,
}

/// The phase in which a load is offered.
pub(super) fn phase_of(asked: LoadOption) -> String {
    match asked {
        LoadOption::Percent(percent) => format!("load of {percent} %"),
        LoadOption::Iops(iops) => format!("load of {iops} IOPS"),
    }
}

impl Test for OfferedLoad {
    type Plan = OfferedLoadPlan;
    type Input = ();

    const RULES: TestRules = TestRules { is_announced: true, ..TestRules::USUAL };
    const RANGE: RangeOf<OfferedLoadSettings> = |settings| Some(&mut settings.range);

    fn needs(settings: &OfferedLoadSettings, (): &()) -> TestNeeds {
        TestNeeds {
            name_of_reading: Some("offered-load with --rw randread".to_owned()),
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(settings.fill || settings.operation.writes(), MeasuredPhases::Every)
        }
    }

    fn plan(settings: &OfferedLoadSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        let range = settings.range.on(&geometry);
        let plan = OfferedLoadPlan { geometry, settings: settings.clone(), range, seed };
        plan.peak().phase(&geometry, true)?;
        let is_too_high =
            |load: &&LoadOption| matches!(load, LoadOption::Iops(iops) if *iops > f64::from(RATE_MAX));
        if let Some(asked) = settings.loads.iter().find(is_too_high) {
            let most = things(u64::from(RATE_MAX), "I/O");
            return Err(PlanError(format!("--loads has {asked}: a load is at most {most} a second")));
        }
        Ok(plan)
    }

    fn conditions(settings: &OfferedLoadSettings, _: &OfferedLoadPlan) -> Vec<Condition> {
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let loads: Vec<String> = settings.loads.iter().map(LoadOption::to_string).collect();
        let loads = format!("{} (per cent: of the peak), exponential gaps (Poisson)", loads.join("; "));
        let seconds = settings.cell_duration_ns as f64 / 1e9;
        let mut lines = vec![
            line("I/Os", format!("{}, {} bytes each", settings.operation, settings.block_size_bytes)),
            line("Peak", format!("closed loop, {} in flight", settings.queue_depth)),
            line("Loads", loads),
            line("Duration", format!("{seconds} s for the peak and for each load")),
            line("Range", settings.range.to_string()),
            line("Precondition", if settings.fill { "fill" } else { "none" }.to_owned()),
        ];
        lines.extend(settings.limit_ns.map(|limit| line("Limit of p99", nanos(limit as f64))));
        lines
    }

    fn outline(plan: &OfferedLoadPlan) -> Outline {
        let asked = &plan.settings;
        let filled = if asked.fill { plan.range.length() } else { ByteCount::new(0) };
        let first = asked.fill.then(|| format!("first {filled} are written once, in sequence"));
        let loads = format!(
            "the peak of {}, then {}, each for {}",
            asked.operation,
            things(asked.loads.len() as u64, "load"),
            long_time(Nanos::new(asked.cell_duration_ns).as_secs_f64())
        );
        let timed = Nanos::new(asked.cell_duration_ns.saturating_mul(asked.loads.len() as u64 + 1));
        Outline {
            sentences: first.into_iter().chain([loads]).collect(),
            written: (!asked.operation.writes()).then_some(filled),
            time: Some(PlannedTime { timed, unpaced: filled, ..PlannedTime::default() }),
        }
    }
}

impl OfferedLoadPlan {
    /// As many I/Os as the drive takes in a closed loop.
    pub(super) fn peak(&self) -> LoadPlan {
        let asked = &self.settings;
        let (order, mix) = asked.operation.order_and_mix();
        let seed = self.seed.child("peak");
        LoadPlan {
            order,
            mix,
            queue_depth: asked.queue_depth,
            stop: StopRule { duration: Some(Nanos::new(asked.cell_duration_ns)), bytes: None },
            ..random_load("peak", Op::Read, asked.block_size_bytes, self.range, seed)
        }
    }

    /// The loads and their I/Os a second, in rising order, where the peak has this many.
    pub(super) fn loads(&self, peak_iops: f64) -> Vec<(LoadOption, f64)> {
        let mut loads: Vec<(LoadOption, f64)> =
            self.settings.loads.iter().map(|load| (*load, load.iops(peak_iops))).collect();
        loads.sort_by(|one, other| one.1.total_cmp(&other.1));
        loads
    }

    /// I/Os that arrive at random, this many a second on average.
    pub(super) fn offered(&self, asked: LoadOption, rate: f64) -> LoadPlan {
        let name = phase_of(asked);
        LoadPlan {
            seed: self.seed.child(&name),
            name,
            queue_depth: SLOTS,
            pace: Pace::Open { rate, arrivals: Arrivals::Poisson },
            ..self.peak()
        }
    }

    /// Writes of the whole range, in sequence.
    pub(super) fn fill(&self) -> LoadPlan {
        fill_of(self.range, &self.geometry, self.seed.child("peak"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Operation;
    use crate::{RangeEnd, RangeOption};

    #[test]
    fn shares_and_rates_are_offered_in_rising_order() {
        let settings = OfferedLoadSettings {
            operation: Operation::Randread,
            range: RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) },
            block_size_bytes: 4096,
            queue_depth: 32,
            loads: vec![LoadOption::Percent(10.0), LoadOption::Percent(50.0), LoadOption::Iops(3_000.0)],
            cell_duration_ns: 1_000_000_000,
            limit_ns: None,
            fill: false,
            until_warm_ns: None,
        };
        let geometry =
            Geometry { capacity: ByteCount::new(1 << 30), logical_block: 512, physical_block: 4096 };
        let plan = OfferedLoad::plan(&settings, &(), geometry, Seed::new(1)).expect("a plan");
        let loads = plan.loads(10_000.0);
        assert_eq!(loads.iter().map(|(_, iops)| *iops).collect::<Vec<_>>(), [1_000.0, 3_000.0, 5_000.0]);
        let percents: Vec<f64> = loads.iter().map(|(asked, _)| asked.percent(10_000.0)).collect();
        assert_eq!(percents, [10.0, 30.0, 50.0]);
    }
}
