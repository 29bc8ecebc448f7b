//! A quick test before it is carried out: what it needs, its phases, and the plan in words.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op, OpSet};
use drivelab_documents::MeasuredPhases;
use drivelab_method::{Collected, CurveIo, EvenPlaces, LoadPlan, PhasePlan, StopRule};
use drivelab_stats::CurvePoint;
use drivelab_workload::{Mix, Seed};

use super::{Quick, QuickSettings};
use crate::one_load::random_load;
use crate::{Outline, PlanError, PlanResult, PlannedTime, Test, TestNeeds};

/// The phases that figures are taken from: the curves and the random reads.
const MEASURED: [&str; 3] = ["read curve", ACCESS, "write curve"];
pub(super) const ACCESS: &str = "random access";
/// Places of a curve.
pub const PLACES: u64 = 100;
/// Random reads of which the access time is the mean.
pub const ACCESSES: u64 = 100;
/// Both in words, as texts for a user have them.
pub const A_HUNDRED: &str = "a hundred";
const _: () = assert!(PLACES == 100 && ACCESSES == 100, "texts have another number");
/// Requests in flight at a place.
const DEPTH: u32 = 4;
/// The most bytes moved at one place.
const PLACE_MAX: u64 = 64 << 20;
/// Requests are whole pages, and blocks where those are larger.
const PAGE: u64 = 4096;
/// How long the random reads may take altogether; the sum of all limits is under a minute.
const ACCESS_LIMIT: Nanos = Nanos::from_secs(8);

/// What a quick test does to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuickPlan {
    pub(super) geometry: Geometry,
    pub(super) write: bool,
    seed: Seed,
}

impl Test for Quick {
    type Plan = QuickPlan;
    type Input = ();

    fn needs(settings: &QuickSettings, (): &()) -> TestNeeds {
        TestNeeds::new(settings.write, MeasuredPhases::Phases(MEASURED.map(str::to_owned).to_vec()))
    }

    fn plan(settings: &QuickSettings, (): &(), geometry: Geometry, seed: Seed) -> PlanResult<Self> {
        let plan = QuickPlan { geometry, write: settings.write, seed };
        let (capacity, least) = (geometry.capacity, ByteCount::new(plan.block() * 4 * PLACES));
        if capacity < least {
            return Err(PlanError(format!(
                "the target is {capacity} long: a quick test needs at least {least}, for {A_HUNDRED} places of four blocks"
            )));
        }
        Ok(plan)
    }

    fn outline(plan: &QuickPlan) -> Outline {
        let (what, curves) = if plan.write { ("read and written", 2) } else { ("read", 1) };
        let sentence =
            format!("{PLACES} places would be {what}, and one block at {ACCESSES} random ones read");
        let bytes = if plan.write { plan.places().bytes.get() * PLACES } else { 0 };
        // But for what is in flight at the ends of phases.
        let at_most = Nanos::new(plan.limits().1.get() * curves + ACCESS_LIMIT.get());
        Outline {
            sentences: vec![sentence],
            written: Some(ByteCount::new(bytes)),
            time: Some(PlannedTime::timed(at_most)),
        }
    }
}

impl QuickPlan {
    fn block(&self) -> u64 {
        PAGE.max(u64::from(self.geometry.logical_block))
    }

    fn all(&self) -> ByteRange {
        ByteRange::new(ByteCount::new(0), self.geometry.capacity)
    }

    fn places(&self) -> EvenPlaces {
        let share = self.geometry.capacity.get() / PLACES;
        let bytes = ByteCount::new(share.min(PLACE_MAX) / self.block() * self.block());
        EvenPlaces { range: self.all(), count: PLACES, bytes, block: self.block() }
    }

    /// How long is moved at one place, and how long a whole curve may take.
    fn limits(&self) -> (Nanos, Nanos) {
        if self.write {
            (Nanos::from_millis(180), Nanos::from_secs(24))
        } else {
            (Nanos::from_millis(300), Nanos::from_secs(45))
        }
    }

    /// The phase of a curve.
    pub fn curve_phase(&self, op: Op) -> PhasePlan {
        let stop = StopRule { duration: Some(self.limits().1), bytes: None };
        let ops = OpSet::EMPTY.with(op);
        PhasePlan { stop, ..PhasePlan::closed(format!("{op} curve"), DEPTH, self.places().request(), ops) }
    }

    /// The requests of a curve, and where its points will be.
    pub fn curve(&self, op: Op) -> (CurveIo, Collected<CurvePoint>) {
        self.places().curve(op, self.limits().0)
    }

    /// Writes of all that a curve may read, however long they take: a new simulated drive is empty, and would answer
    /// from its map without touching its flash.
    pub fn fill(&self) -> (PhasePlan, CurveIo) {
        let phase = self.curve_phase(Op::Write);
        let phase = PhasePlan { name: "fill".to_owned(), stop: StopRule::default(), ..phase };
        (phase, self.places().curve(Op::Write, Nanos::new(u64::MAX)).0)
    }

    /// Writes of the blocks that are read at random, for the same reason.
    pub fn fill_access(&self) -> LoadPlan {
        let stop = StopRule { duration: None, ..self.access().stop };
        LoadPlan { name: "fill".to_owned(), mix: Mix::Only(Op::Write), stop, ..self.access() }
    }

    /// Single-block reads all over the drive, one at a time.
    pub fn access(&self) -> LoadPlan {
        let block = u64::from(self.geometry.logical_block);
        let bytes = Some(ByteCount::new(block * ACCESSES));
        let stop = StopRule { duration: Some(ACCESS_LIMIT), bytes };
        LoadPlan { stop, ..random_load(ACCESS, Op::Read, block, self.all(), self.seed.child("access")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_small_is_refused() {
        let geometry =
            Geometry { capacity: ByteCount::new(1 << 20), logical_block: 512, physical_block: 4096 };
        assert!(Quick::plan(&QuickSettings { write: false }, &(), geometry, Seed::new(1)).is_err());
    }
}
