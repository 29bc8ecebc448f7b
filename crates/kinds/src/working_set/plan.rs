//! A test of working sets before it is carried out: what it needs, its phases, and the plan in words.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_documents::{Condition, MeasuredPhases};
use drivelab_method::{LoadPlan, StopRule};
use drivelab_view::format::{self, block_size, long_time};
use drivelab_workload::Seed;

use super::findings::LASTED_MIN_NS;
use super::{WorkingSet, WorkingSetSettings};
use crate::one_load::{fill_of, random_load};
use crate::{Outline, PlanError, PlanResult, PlannedTime, RangeOf, Test, TestNeeds, TestRules};

/// The first part of a range of 64 GiB or more; of a smaller one, the 64th of it.
const SMALLEST: u64 = 1 << 30;
/// Each part is this many times the one before.
const GROWTH: u64 = 4;
/// The least number of parts: those of a small drive begin below 1 GiB.
const PARTS_MIN: u32 = 4;

/// Reads of growing parts of a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct WorkingSetPlan {
    pub(super) geometry: Geometry,
    pub(super) settings: WorkingSetSettings,
    pub(super) range: ByteRange,
    /// The lengths of the parts, in rising order; the last is the whole range.
    pub(super) parts: Vec<ByteCount>,
    seed: Seed,
}

/// The phase in which a part of this many bytes is read.
pub(super) fn phase_of(bytes: u64) -> String {
    format!("reads of {}", size(bytes))
}

/// A size in binary units where it is round in those, as all parts but the whole drive are.
pub(super) fn size(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 20) { block_size(bytes as f64) } else { format::bytes(bytes as f64) }
}

impl Test for WorkingSet {
    type Plan = WorkingSetPlan;
    type Input = ();

    const RULES: TestRules = TestRules { is_announced: true, ..TestRules::USUAL };
    const RANGE: RangeOf<WorkingSetSettings> = |settings| Some(&mut settings.range);

    fn needs(settings: &WorkingSetSettings, (): &()) -> TestNeeds {
        TestNeeds {
            name_of_reading: Some("working-set without --precondition fill".to_owned()),
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(settings.fill, MeasuredPhases::Every)
        }
    }

    fn plan(settings: &WorkingSetSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        let range = settings.range.on(&geometry);
        let block = settings.block_size_bytes.max(1);
        let parts = parts(range.length().get(), block);
        let plan = WorkingSetPlan { geometry, settings: settings.clone(), range, parts, seed };
        let all = plan.read(plan.parts.last().copied().unwrap_or(ByteCount::new(0)));
        all.phase(&geometry, true)?;
        if plan.parts.len() < PARTS_MIN as usize {
            let least = ByteCount::new(block * GROWTH.pow(PARTS_MIN - 1));
            return Err(PlanError(format!(
                "the range is too small for growing parts of it: they need at least {least}; choose a larger --range or target"
            )));
        }
        Ok(plan)
    }

    fn conditions(settings: &WorkingSetSettings, _: &WorkingSetPlan) -> Vec<Condition> {
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let (bytes, depth) = (settings.block_size_bytes, settings.queue_depth);
        vec![
            line("Random reads", format!("{bytes} bytes, {depth} in flight")),
            line("Range", settings.range.to_string()),
            line("Duration", format!("{} s for each part", settings.cell_duration_ns as f64 / 1e9)),
            line("Precondition", if settings.fill { "fill" } else { "none" }.to_owned()),
        ]
    }

    fn outline(plan: &WorkingSetPlan) -> Outline {
        let asked = &plan.settings;
        let written = if asked.fill { plan.range.length() } else { ByteCount::new(0) };
        let (parts, cell) = (plan.parts.len() as u64, Nanos::new(asked.cell_duration_ns));
        let first = asked.fill.then(|| format!("first {written} are written once, in sequence"));
        let reads = format!(
            "random reads of {parts} growing parts, each for {} after a warm-up of half as long",
            long_time(cell.as_secs_f64())
        );
        let timed = Nanos::new((cell.get() + cell.get() / 2).saturating_mul(parts));
        Outline {
            sentences: first.into_iter().chain([reads]).chain(cells_too_short(cell)).collect(),
            written: Some(written),
            time: Some(PlannedTime { timed, unpaced: written, ..PlannedTime::default() }),
        }
    }
}

impl WorkingSetPlan {
    /// Random reads of the first bytes of the range.
    pub(super) fn read(&self, length: ByteCount) -> LoadPlan {
        let (asked, start) = (&self.settings, self.range.start);
        let range = ByteRange::new(start, ByteCount::new(start.get() + length.get()));
        let seed = self.seed.child(&format!("reads of {} bytes", length.get()));
        LoadPlan {
            queue_depth: asked.queue_depth,
            stop: StopRule { duration: Some(Nanos::new(asked.cell_duration_ns)), bytes: None },
            ..random_load(&phase_of(length.get()), Op::Read, asked.block_size_bytes, range, seed)
        }
    }

    /// The same before they are measured, of other places.
    pub(super) fn warm_up(&self, length: ByteCount) -> LoadPlan {
        let duration = Nanos::new((self.settings.cell_duration_ns / 2).max(1));
        LoadPlan {
            name: format!("warm-up of {}", size(length.get())),
            seed: self.seed.child("warm-up"),
            stop: StopRule { duration: Some(duration), bytes: None },
            ..self.read(length)
        }
    }

    /// Writes of the whole range, in sequence.
    pub(super) fn fill(&self) -> LoadPlan {
        fill_of(self.range, &self.geometry, self.seed)
    }
}

/// What is said before a test whose cells are too short to be judged; none where they are long enough.
fn cells_too_short(cell_duration: Nanos) -> Option<String> {
    (cell_duration.get() < LASTED_MIN_NS).then(|| {
        format!(
            "no rate can be shown of parts that are read for {}, which is less than {}: write --cell-duration 1s or more",
            long_time(cell_duration.as_secs_f64()),
            long_time(Nanos::new(LASTED_MIN_NS).as_secs_f64())
        )
    })
}

/// The lengths of the parts of a range, in whole blocks and rising order.
fn parts(length: u64, block: u64) -> Vec<ByteCount> {
    let small = length / GROWTH.pow(PARTS_MIN - 1);
    let first = SMALLEST.min(small) / block * block;
    let growing = std::iter::successors(Some(first), |part| part.checked_mul(GROWTH));
    let below = growing.take_while(|part| *part > 0 && *part <= length / 2);
    below.chain([length / block * block]).map(ByteCount::new).filter(|part| part.get() > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_grow_from_1_gib_to_the_whole_range() {
        let gib =
            |length: u64| parts(length << 30, 4096).iter().map(|part| part.get() >> 20).collect::<Vec<_>>();
        assert_eq!(gib(223), [1_024, 4_096, 16_384, 65_536, 223 << 10]);
        assert_eq!(gib(1_024), [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20]);
        assert_eq!(gib(2), [32, 128, 512, 2_048]);
        assert_eq!(parts(20_000, 4096), [ByteCount::new(16_384)], "too small");
    }
}
