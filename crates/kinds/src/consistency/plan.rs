//! A test of consistency before it is carried out: what it needs, its phases, and the plan in words.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_documents::{Condition, MeasuredPhases};
use drivelab_method::{LoadPlan, StopRule};
use drivelab_workload::{Order, Seed};

use super::{Consistency, ConsistencyPrecondition, ConsistencySettings};
use crate::one_load::random_load;
use crate::one_pass::check_purged;
use crate::whole::whole_part;
use crate::{OnePassPlan, Outline, PlanError, PlanResult, PlannedTime, RangeOf, Test, TestNeeds};

const MEASURED: &str = "random write";
pub(super) const FILL: &str = "fill";
const FILL_BLOCK: u64 = 128 << 10;

/// What is done to a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsistencyPlan {
    /// What is asked; the purge is the one that suits the range.
    pub(super) settings: ConsistencySettings,
    /// The part of the drive to use before the share that stays unwritten is taken off; first byte and one past the last.
    pub(super) range: ByteRange,
    /// The pass over the flash, where it is written once before the random writes.
    pub(super) one_pass: Option<OnePassPlan>,
    pub(super) geometry: Geometry,
    seed: Seed,
}

impl Test for Consistency {
    type Plan = ConsistencyPlan;
    type Input = ();

    const RANGE: RangeOf<ConsistencySettings> = |settings| Some(&mut settings.range);

    fn needs(settings: &ConsistencySettings, (): &()) -> TestNeeds {
        TestNeeds {
            purge: settings.purge,
            compressibility_percent: settings.compressibility_percent,
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(true, MeasuredPhases::Phase(MEASURED.to_owned()))
        }
    }

    fn label(target: &str, settings: &ConsistencySettings) -> String {
        if settings.over_provisioning_percent == 0.0 {
            target.to_owned()
        } else {
            format!("{target}, {}", settings.over_provisioning())
        }
    }

    fn plan(settings: &ConsistencySettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        let purge = settings.purge.of_range(&settings.range)?;
        let asked = ConsistencySettings { purge, ..settings.clone() };
        let range = asked.range.on(&geometry);
        let mut plan = ConsistencyPlan { settings: asked, range, one_pass: None, geometry, seed };
        if settings.precondition == ConsistencyPrecondition::OnePass {
            check_purged(settings.purge)?;
            let (found, written) = (settings.flash_over_provisioning, plan.written_range());
            plan.one_pass = Some(OnePassPlan::new(found, settings.range, &geometry, written)?);
        }
        let writes = plan.random_writes();
        writes.phase(&geometry, false).map_err(|error| match writes.span() {
            Err(empty) if empty == error => PlanError(format!(
                "{} bytes with {}% over-provisioning hold no block of {} bytes: choose a smaller --over-provisioning or \
                 --block-size, or a larger --range or target",
                range.length().get(),
                settings.over_provisioning_percent,
                settings.block_size_bytes
            )),
            _ => error,
        })?;
        Ok(plan)
    }

    fn conditions(settings: &ConsistencySettings, plan: &ConsistencyPlan) -> Vec<Condition> {
        let ByteRange { start, end } = plan.written_range();
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let (bytes, depth) = (settings.block_size_bytes, settings.queue_depth);
        let (from, until) = (plan.range.start.get(), plan.range.end.get());
        let of = if settings.range.is_whole() {
            "the user capacity".to_owned()
        } else {
            format!("bytes {from} to {until}")
        };
        let steady = format!(
            "five windows of {} s, after the cliff if there is one: max - min at most 20 %, slope at most 10 % of the mean",
            settings.window_s
        );
        let mut lines = vec![
            line("Random writes", format!("{bytes} bytes, {depth} in flight, uniform, closed loop")),
            line("Duration", format!("{} s", Nanos::new(settings.duration_ns).as_secs_f64())),
            line("Written range", format!("bytes {} to {}", start.get(), end.get())),
            line("Extra over-provisioning", format!("{} % of {of}", settings.over_provisioning_percent)),
            line("Data", format!("random, {} % compressible", settings.compressibility_percent)),
            line("Steady state", steady),
        ];
        lines.extend(plan.one_pass.as_ref().map(OnePassPlan::condition));
        lines
    }

    fn outline(plan: &ConsistencyPlan) -> Outline {
        let (asked, written) = (&plan.settings, plan.written_range());
        let (start, end, range) = (written.start.get(), written.end.get(), written.length());
        let duration = Nanos::new(asked.duration_ns);
        let purged = format!("bytes {} to {}", plan.range.start.get(), plan.range.end.get());
        let (prepared, unpaced) = match (asked.precondition, &plan.one_pass) {
            (_, Some(pass)) => (Some(format!("{} would be written", pass.in_words())), pass.bytes()),
            (ConsistencyPrecondition::Fill, _) => {
                (Some(format!("bytes {start} to {end} ({range}) would be written in sequence")), range)
            }
            _ => (None, ByteCount::new(0)),
        };
        let random_writes = format!(
            "{} s of random writes of {} bytes over {range}, {} in flight, would follow",
            duration.as_secs_f64(),
            asked.block_size_bytes,
            asked.queue_depth
        );
        let before = asked.purge.outline(&purged).into_iter().chain(prepared);
        let time = Some(PlannedTime { timed: duration, unpaced, ..PlannedTime::default() });
        Outline { sentences: before.chain([random_writes]).collect(), written: None, time }
    }
}

impl ConsistencyPlan {
    /// What is written before the random writes; none where nothing is.
    pub(super) fn preparing(&self) -> Option<LoadPlan> {
        match self.settings.precondition {
            ConsistencyPrecondition::None => None,
            ConsistencyPrecondition::Fill => Some(self.fill()),
            ConsistencyPrecondition::OnePass => Some(self.one_pass?.load(&self.random_writes())),
        }
    }

    /// The range that is written: (100 - over-provisioning) % of what was chosen, in whole blocks of the fill where
    /// that leaves any, in whole blocks of the random writes otherwise.
    pub(super) fn written_range(&self) -> ByteRange {
        let (start, length) = (self.range.start, self.range.length().get());
        let share = 1.0 - self.settings.over_provisioning_percent / 100.0;
        let used = whole_part((length as f64 * share).round());
        let block = self.settings.block_size_bytes.max(1);
        let step =
            if used >= 64 * FILL_BLOCK && FILL_BLOCK.is_multiple_of(block) { FILL_BLOCK } else { block };
        let used = used.min(length);
        ByteRange::new(start, ByteCount::new(start.get() + used - used % step))
    }

    /// The fill; its block size is that of the random writes where 128 KiB do not suit the range.
    fn fill(&self) -> LoadPlan {
        let suits = self.written_range().length().get().is_multiple_of(FILL_BLOCK)
            && FILL_BLOCK.is_multiple_of(u64::from(self.geometry.logical_block));
        let block = if suits { FILL_BLOCK } else { self.settings.block_size_bytes };
        LoadPlan {
            name: FILL.to_owned(),
            order: Order::SequentialOnce,
            block_size: ByteCount::new(block),
            stop: StopRule::default(),
            seed: self.seed.child("fill"),
            ..self.random_writes()
        }
    }

    pub(super) fn random_writes(&self) -> LoadPlan {
        let (asked, seed) = (&self.settings, self.seed.child(MEASURED));
        LoadPlan {
            queue_depth: asked.queue_depth,
            stop: StopRule { duration: Some(Nanos::new(asked.duration_ns)), bytes: None },
            ..random_load(MEASURED, Op::Write, asked.block_size_bytes, self.written_range(), seed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PurgeOption, RangeEnd, RangeOption};

    fn plan(over_provisioning_percent: f64, size: u64) -> ConsistencyPlan {
        let settings = ConsistencySettings {
            over_provisioning_percent,
            range: RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) },
            block_size_bytes: 4096,
            queue_depth: 32,
            duration_ns: 1_000_000_000,
            window_s: 60,
            purge: PurgeOption::Discard,
            precondition: ConsistencyPrecondition::Fill,
            flash_over_provisioning: None,
            compressibility_percent: 0,
            until_warm_ns: None,
        };
        let geometry = Geometry { capacity: ByteCount::new(size), logical_block: 512, physical_block: 4096 };
        Consistency::plan(&settings, &(), geometry, Seed::new(1)).expect("a plan")
    }

    #[test]
    fn over_provisioning_shortens_the_range_by_its_share() {
        let ByteRange { start, end } = plan(25.0, 240_000_000_000).written_range();
        assert_eq!(start.get(), 0);
        assert!(180_000_000_000 - end.get() < FILL_BLOCK && end.get() % FILL_BLOCK == 0);
    }
}
