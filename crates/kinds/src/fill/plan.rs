//! A fill before it is carried out: what it needs, its phases, and the plan in words.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_documents::{Condition, MeasuredPhases};
use drivelab_method::{LoadPlan, StopRule, check_range};
use drivelab_view::format::{bytes, counted, long_time, seconds};
use drivelab_workload::{Order, Seed};

use super::{Fill, FillSettings};
use crate::one_load::random_load;
use crate::range::exact_bytes;
use crate::whole::whole_part;
use crate::{Outline, PlanError, PlanResult, PlannedTime, PurgeOption, RangeOf, Test, TestNeeds, TestRules};

pub(super) const MEASURED: &str = "fill";
/// Steps of a curve, at most.
const STEPS: u64 = 2_000;
/// Steps of the curve before and after a rest, at most.
const STEPS_OF_BURST: u64 = 400;
/// A step has at least this many blocks, so that one slow I/O among those in flight does not make it slow.
const BLOCKS_OF_STEP: u64 = 8;
/// A curve has at least this many steps: a plateau of 1 % and a smaller one need a few each.
const STEPS_MIN: u64 = 40;
const REST_MAX: Nanos = Nanos::from_secs(24 * 3600);
/// The shortest and the longest rest before the cache is filled.
const SETTLING: (Nanos, Nanos) = (Nanos::from_secs(10), Nanos::from_secs(300));
/// After a rest this many times the bytes of the first plateau are written.
const BURST: f64 = 1.25;

/// A fill on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct FillPlan {
    pub(super) geometry: Geometry,
    pub(super) settings: FillSettings,
    /// The first byte that is written, and the one past the last.
    pub(super) written: ByteRange,
    seed: Seed,
}

/// What is written before and after a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Burst {
    /// Written right before the rest, so that the cache is full.
    pub before: ByteRange,
    /// Written after it.
    pub after: ByteRange,
}

impl Test for Fill {
    type Plan = FillPlan;
    type Input = ();

    const RULES: TestRules = TestRules { is_announced: true, ..TestRules::USUAL };
    const RANGE: RangeOf<FillSettings> = |settings| Some(&mut settings.range);

    fn needs(settings: &FillSettings, (): &()) -> TestNeeds {
        TestNeeds {
            purge: settings.purge,
            compressibility_percent: settings.compressibility_percent,
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(true, MeasuredPhases::Phase(MEASURED.to_owned()))
        }
    }

    fn plan(settings: &FillSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        let settings = FillSettings { purge: settings.purge.of_range(&settings.range)?, ..settings.clone() };
        let written = settings.written(&geometry);
        let plan = FillPlan { geometry, settings, written, seed };
        let range = plan.settings.range.on(&geometry);
        check_range(range, &geometry, 1)?;
        plan.check_length(range.length())?;
        plan.write(MEASURED, range).phase(&geometry, false)?;
        plan.check_recovery()?;
        Ok(plan)
    }

    fn conditions(settings: &FillSettings, _: &FillPlan) -> Vec<Condition> {
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let seconds = settings.rests_ns.iter().map(|rest| long_time(*rest as f64 / 1e9)).collect::<Vec<_>>();
        let (bytes, depth) = (settings.block_size_bytes, settings.queue_depth);
        let mut lines = vec![
            line("Sequential writes", format!("{bytes} bytes, {depth} in flight")),
            line("Range", settings.range.to_string()),
        ];
        lines.extend(settings.bytes.map(|bytes| line("Amount", format!("{bytes} bytes"))));
        if !seconds.is_empty() {
            lines.push(line("Rests", seconds.join(", ")));
            let filled: Vec<String> =
                settings.filled_percent.iter().map(|percent| format!("{percent} %")).collect();
            lines.push(line("Filled before", filled.join(", ")));
        }
        lines.push(line("Data", format!("random, {} % compressible", settings.compressibility_percent)));
        lines
    }

    fn outline(plan: &FillPlan) -> Outline {
        let mut sentences: Vec<String> = plan.settings.purge.outline("the range").into_iter().collect();
        sentences
            .push(format!("{} are written once, in sequence", bytes(plan.written.length().get() as f64)));
        let rests: Vec<Nanos> = plan.rests().collect();
        if rests.is_empty() {
            let time = PlannedTime { unpaced: plan.written.length(), ..PlannedTime::default() };
            return Outline { sentences, written: Some(plan.written.length()), time: Some(time) };
        }
        let levels = &plan.settings.filled_percent;
        let listed: Vec<String> = levels.iter().map(|percent| format!("{percent} %")).collect();
        sentences.push(format!(
            "then the range is filled to {}, and {} written on twice as far as the drive was fast: how much that is depends on \
             the drive",
            listed.join(", "),
            if rests.len() == 1 { "for one rest".to_owned() } else { format!("for each of {} rests", counted(rests.len())) }
        ));
        let rested = rests.iter().map(|rest| rest.get()).sum::<u64>().saturating_mul(levels.len() as u64);
        sentences.push(format!("rests of {} in all", seconds(Nanos::new(rested).as_secs_f64())));
        let settling = plan.settling();
        let settled = settling.get().saturating_mul(rests.len() as u64).saturating_mul(levels.len() as u64);
        sentences.push(format!(
            "and before each of them what was written there is discarded, the drive rests {}, and its cache is filled",
            seconds(settling.as_secs_f64())
        ));
        // How much is written at the levels is known; how far the drive is fast is not.
        let share: f64 = 1.0 + levels.iter().sum::<f64>() / 100.0;
        let unpaced = ByteCount::new(whole_part(plan.written.length().get() as f64 * share));
        let time = PlannedTime {
            timed: Nanos::new(rested.saturating_add(settled)),
            unpaced,
            ..PlannedTime::default()
        };
        Outline { sentences, written: None, time: Some(time) }
    }
}

impl FillPlan {
    /// Checks that what is to be written is in the range, and enough to see something.
    fn check_length(&self, range: ByteCount) -> Result<(), PlanError> {
        if let Some(asked) = self.settings.bytes.map(ByteCount::new).filter(|asked| *asked > range) {
            return Err(PlanError(format!(
                "--bytes {asked} is more than the {range} of the range: give less, or leave --bytes out to write all of it"
            )));
        }
        let (length, block) = (self.written.length(), self.settings.block_size_bytes);
        let least = block.saturating_mul(BLOCKS_OF_STEP * STEPS_MIN);
        if length.get() >= least {
            return Ok(());
        }
        Err(PlanError(format!(
            "{length} are too few to see where the rate changes: a fill by blocks of {} writes at least {}; choose a larger \
             --range, --bytes or target, or a smaller --block-size",
            exact_bytes(ByteCount::new(block)),
            exact_bytes(ByteCount::new(least))
        )))
    }

    fn check_recovery(&self) -> Result<(), PlanError> {
        if let Some(rest) = self.rests().find(|rest| *rest > REST_MAX) {
            let text = format!("--rests has {} s: a rest lasts a day at most, 24h", rest.as_secs_f64());
            return Err(PlanError(text));
        }
        let too_full = self.settings.filled_percent.iter().find(|percent| **percent > 95.0);
        if let Some(percent) = too_full {
            let text =
                format!("--filled {percent}% leaves no room to write in after a rest: write at most 95%");
            return Err(PlanError(text));
        }
        if self.rests().next().is_some() && self.settings.purge == PurgeOption::None {
            let text = "--rests and --filled begin with an empty drive, and --purge none leaves it as it is: leave one of \
                        them out";
            return Err(PlanError(text.to_owned()));
        }
        Ok(())
    }

    /// The rests after which recovery is measured.
    pub(super) fn rests(&self) -> impl Iterator<Item = Nanos> {
        self.settings.rests_ns.iter().copied().map(Nanos::new)
    }

    /// How long the drive rests before its cache is filled, so that it is empty then: as long as the longest of the rests, within
    /// bounds.
    pub(super) fn settling(&self) -> Nanos {
        self.rests().max().unwrap_or(Nanos::ZERO).clamp(SETTLING.0, SETTLING.1)
    }

    /// Bytes of a step of the curve of the fill.
    pub(super) fn step(&self) -> ByteCount {
        step_of_fill(self.written.length(), self.settings.block_size_bytes)
    }

    /// Bytes of a step of the curve before and after a rest.
    pub(super) fn step_of_burst(&self, burst: Burst) -> ByteCount {
        step_of(burst.after.length(), STEPS_OF_BURST, self.settings.block_size_bytes)
    }

    /// Sequential writes of a part of the range.
    pub(super) fn write(&self, name: &str, range: ByteRange) -> LoadPlan {
        LoadPlan {
            order: Order::Sequential,
            queue_depth: self.settings.queue_depth,
            stop: StopRule { duration: None, bytes: Some(range.length()) },
            ..random_load(name, Op::Write, self.settings.block_size_bytes, range, self.seed.child(name))
        }
    }

    /// The part of the range that is full at this level, but for what is written right before each rest.
    pub(super) fn filled(&self, burst: Burst) -> ByteRange {
        ByteRange::new(self.written.start, burst.before.start)
    }

    /// What is written before and after a rest at this level, where the first plateau was `fast` bytes long: what follows a
    /// rest is a quarter more than that, as far as there is room. None where there is hardly any.
    pub(super) fn burst(&self, percent: f64, fast: ByteCount) -> Option<Burst> {
        let (start, end) = (self.written.start.get(), self.written.end.get());
        let block = self.settings.block_size_bytes;
        let blocks = |bytes: f64| whole_part(bytes) / block * block;
        let burst = blocks(fast.get() as f64 * BURST);
        let level = blocks((end - start) as f64 * percent / 100.0);
        let before = start + level.saturating_sub(burst);
        let rest_at = (before + burst).min(end);
        let after = (rest_at + burst).min(end);
        let least = (block * BLOCKS_OF_STEP).max(burst / 10);
        (after - rest_at >= least).then_some(Burst {
            before: ByteRange::new(ByteCount::new(before), ByteCount::new(rest_at)),
            after: ByteRange::new(ByteCount::new(rest_at), ByteCount::new(after)),
        })
    }
}

/// Bytes of a step of the curve of a fill of this length in blocks of this size.
pub(super) fn step_of_fill(bytes: ByteCount, block: u64) -> ByteCount {
    step_of(bytes, STEPS, block)
}

fn step_of(bytes: ByteCount, steps: u64, block: u64) -> ByteCount {
    ByteCount::new((bytes.get() / steps / block.max(1)).max(BLOCKS_OF_STEP) * block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RangeEnd, RangeOption};

    fn plan(filled_percent: Vec<f64>) -> PlanResult<Fill> {
        let settings = FillSettings {
            range: RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) },
            bytes: None,
            block_size_bytes: 1 << 20,
            queue_depth: 8,
            purge: PurgeOption::Discard,
            rests_ns: vec![1],
            filled_percent,
            compressibility_percent: 0,
            until_warm_ns: None,
        };
        let geometry =
            Geometry { capacity: ByteCount::new(100 << 30), logical_block: 512, physical_block: 4096 };
        Fill::plan(&settings, &(), geometry, Seed::new(1))
    }

    #[test]
    fn the_cache_is_filled_up_to_the_level_and_what_follows_the_rest_lies_behind_it() {
        let plan = plan(vec![0.0, 50.0]).expect("a plan");
        let gib = |range: ByteRange| (range.start.get() >> 30, range.end.get() >> 30);
        let burst = plan.burst(50.0, ByteCount::new(8 << 30)).expect("there is room");
        assert_eq!((gib(burst.before), gib(burst.after)), ((40, 50), (50, 60)));
        let empty = plan.burst(0.0, ByteCount::new(8 << 30)).expect("there is room");
        assert_eq!((gib(empty.before), gib(empty.after)), ((0, 10), (10, 20)));
        let large = plan.burst(0.0, ByteCount::new(72 << 30)).expect("a little room");
        assert_eq!((gib(large.before), gib(large.after)), ((0, 90), (90, 100)));
        assert_eq!(plan.burst(0.0, ByteCount::new(80 << 30)), None, "all of it is fast");
    }

    #[test]
    fn what_leaves_no_room_or_is_too_short_is_refused() {
        assert!(plan(vec![96.0]).is_err_and(|error| error.to_string().contains("at most 95%")));
        let short = FillSettings { bytes: Some(100 << 20), ..plan(vec![]).expect("a plan").settings };
        let geometry =
            Geometry { capacity: ByteCount::new(100 << 30), logical_block: 512, physical_block: 4096 };
        let refused = Fill::plan(&short, &(), geometry, Seed::new(1)).expect_err("a hundred blocks");
        assert!(refused.to_string().contains("--bytes"), "{refused}");
        let long = FillSettings { bytes: Some(101 << 30), ..short.clone() };
        let refused = Fill::plan(&long, &(), geometry, Seed::new(1)).expect_err("more than the drive");
        assert!(refused.to_string().starts_with("--bytes 108.4 GB is more than the 107.4 GB"), "{refused}");
        let end = RangeEnd::Percent(0.0005);
        let range = RangeOption { start: RangeEnd::Percent(0.0), end };
        let empty = FillSettings { bytes: None, range, ..short };
        let refused = Fill::plan(&empty, &(), geometry, Seed::new(1)).expect_err("not one block");
        assert!(refused.to_string().contains("at least 320 MiB"), "{refused}");
    }
}
