//! A quick look at a drive: rates at a hundred places, and the time of a random access.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_analysis::{CurvePoint, LoopKind};
use drivelab_block::{
    ByteCount, Completion, Extent, Geometry, Instant, Limits, Nanos, Op, OpSet, SECTOR_BYTES, Sector,
    SectorCount,
};
use drivelab_workload::{Ask, Mix, Next, Order, Seed, Workload};

use crate::{LoadPlan, Pace, PhasePlan, StopRule};

/// The name of the phase of random reads.
pub const ACCESS: &str = "random access";
/// Places of a curve.
pub const PLACES: u64 = 100;
/// Random reads of which the access time is the mean.
pub const ACCESSES: u64 = 100;
/// Requests in flight at a place.
const DEPTH: u32 = 4;
/// The longest request.
const REQUEST_MAX: u64 = 1 << 20;
/// The most bytes moved at one place.
const PLACE_MAX: u64 = 64 << 20;
/// Requests are whole pages, and blocks where those are larger.
const PAGE: u64 = 4096;
/// How long the random reads may take altogether; the sum of all limits is under a minute.
const ACCESS_LIMIT: Nanos = Nanos::from_secs(8);

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuickPlan {
    geometry: Geometry,
    write: bool,
    seed: Seed,
}

/// A target on which a hundred places do not lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the target is {capacity} long: a quick test needs at least {least}, for a hundred places of four blocks"
)]
pub struct TooSmall {
    capacity: ByteCount,
    least: ByteCount,
}

impl QuickPlan {
    /// A look at a target of this geometry; with `write` the rate of writing, too.
    ///
    /// # Errors
    /// [`TooSmall`].
    pub fn new(geometry: Geometry, write: bool, seed: Seed) -> Result<QuickPlan, TooSmall> {
        let plan = QuickPlan { geometry, write, seed };
        let least = ByteCount::new(plan.block() * 4 * PLACES);
        if geometry.capacity < least {
            return Err(TooSmall { capacity: geometry.capacity, least });
        }
        Ok(plan)
    }

    fn block(&self) -> u64 {
        PAGE.max(u64::from(self.geometry.logical_block))
    }

    /// The most bytes moved at one place: at least four blocks.
    pub fn place_bytes(&self) -> ByteCount {
        let share = self.geometry.capacity.get() / PLACES;
        ByteCount::new(share.min(PLACE_MAX) / self.block() * self.block())
    }

    /// The length of a request of the curve.
    pub fn request(&self) -> ByteCount {
        let quarter = self.place_bytes().get() / 4 / self.block() * self.block();
        ByteCount::new(quarter.min(REQUEST_MAX))
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
        PhasePlan {
            name: format!("{op} curve"),
            loop_kind: LoopKind::Closed,
            limits: Limits { queue_depth: DEPTH, max_transfer: self.request(), ops: OpSet::EMPTY.with(op) },
            stop: StopRule { duration: Some(self.limits().1), bytes: None },
        }
    }

    /// The requests of a curve, and where its points will be.
    pub fn curve(&self, op: Op) -> (CurveIo, CurvePoints) {
        self.places(op, self.limits().0)
    }

    /// Writes of all that a curve may read, however long they take: a new simulated drive is empty, and would answer
    /// from its map without touching its flash.
    pub fn fill(&self) -> (PhasePlan, CurveIo) {
        let phase = self.curve_phase(Op::Write);
        let phase = PhasePlan { name: "fill".to_owned(), stop: StopRule::default(), ..phase };
        (phase, self.places(Op::Write, Nanos::new(u64::MAX)).0)
    }

    /// Writes of the blocks that are read at random, for the same reason.
    pub fn fill_access(&self) -> LoadPlan {
        let stop = StopRule { duration: None, ..self.access().stop };
        LoadPlan { name: "fill".to_owned(), mix: Mix::Only(Op::Write), stop, ..self.access() }
    }

    fn places(&self, op: Op, limit: Nanos) -> (CurveIo, CurvePoints) {
        let points = CurvePoints::new();
        let io = CurveIo {
            plan: *self,
            limit,
            op,
            place: 0,
            at: 0,
            left: self.place_bytes().get(),
            in_flight: 0,
            seen: Seen::default(),
            points: points.clone(),
        };
        (io, points)
    }

    /// Single-block reads all over the drive, one at a time.
    pub fn access(&self) -> LoadPlan {
        let block = ByteCount::new(u64::from(self.geometry.logical_block));
        let bytes = Some(ByteCount::new(block.get() * ACCESSES));
        LoadPlan {
            name: ACCESS.to_owned(),
            order: Order::Uniform,
            mix: Mix::Only(Op::Read),
            block_size: block,
            range: (ByteCount::new(0), self.geometry.capacity),
            queue_depth: 1,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule { duration: Some(ACCESS_LIMIT), bytes },
            seed: self.seed.child("access"),
        }
    }

    /// Where a place begins: the first at the drive's begin, the last so that it ends with the drive.
    fn start_of(&self, place: u64) -> u64 {
        let room = u128::from(self.geometry.capacity.get() - self.place_bytes().get());
        let at = room * u128::from(place) / u128::from(PLACES - 1);
        u64::try_from(at).unwrap_or(u64::MAX) / self.block() * self.block()
    }
}

/// The points of a curve as they become known.
#[derive(Clone, Debug)]
pub struct CurvePoints(Arc<Mutex<Vec<CurvePoint>>>);

impl CurvePoints {
    /// Room for every place, so that nothing is allocated while the clock runs.
    #[expect(clippy::cast_possible_truncation, reason = "a hundred")]
    fn new() -> CurvePoints {
        CurvePoints(Arc::new(Mutex::new(Vec::with_capacity(PLACES as usize))))
    }

    /// All of them so far.
    pub fn all(&self) -> Vec<CurvePoint> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, point: CurvePoint) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(point);
    }
}

/// What was answered at the place under way.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    asked_at: Option<Instant>,
    first_at: Option<Instant>,
    last_at: Instant,
    /// Behind the first completion.
    bytes: u64,
    /// With it.
    first_bytes: u64,
}

/// Sequential requests at one place after the other; nothing of two places is in flight at once.
#[derive(Debug)]
pub struct CurveIo {
    plan: QuickPlan,
    /// How long is moved at one place.
    limit: Nanos,
    op: Op,
    place: u64,
    at: u64,
    left: u64,
    in_flight: u64,
    seen: Seen,
    points: CurvePoints,
}

impl CurveIo {
    /// Ends the place: its rate is what came after its first completion. Where that is less than half of its time (a
    /// place of a few requests, which come together), it is too little to say anything, and all of it counts.
    fn close(&mut self) {
        let Seen { asked_at, first_at, last_at, bytes, first_bytes } = self.seen;
        if let (Some(asked_at), Some(first_at)) = (asked_at, first_at) {
            let (after, whole) = (last_at.since(first_at), last_at.since(asked_at));
            let is_enough = after.get() * 2 >= whole.get();
            let (bytes, elapsed) = if is_enough { (bytes, after) } else { (bytes + first_bytes, whole) };
            if elapsed > Nanos::ZERO {
                let start = Sector::new(self.plan.start_of(self.place) / SECTOR_BYTES);
                self.points.add(CurvePoint { start, bytes: ByteCount::new(bytes), elapsed });
            }
        }
        self.place += 1;
        (self.at, self.left) = (0, self.plan.place_bytes().get());
        self.seen = Seen::default();
    }
}

impl Workload for CurveIo {
    fn next_ask(&mut self) -> Next {
        let request = self.plan.request().get();
        if self.left < request {
            if self.in_flight > 0 {
                return Next::AfterAnswer;
            }
            self.close();
        }
        if self.place >= PLACES {
            return Next::End;
        }
        let start = Sector::new((self.plan.start_of(self.place) + self.at) / SECTOR_BYTES);
        let sectors = u32::try_from(request / SECTOR_BYTES).unwrap_or(u32::MAX);
        self.at += request;
        self.left -= request;
        self.in_flight += 1;
        let extent = Extent { start, length: SectorCount::new(sectors) };
        Next::Ask(Ask { due: None, op: self.op, extent })
    }

    fn answered(&mut self, completions: &[Completion], _started_at: Instant) {
        for completion in completions {
            self.in_flight = self.in_flight.saturating_sub(1);
            self.seen.last_at = completion.completed_at;
            let asked_at = *self.seen.asked_at.get_or_insert(completion.submitted_at);
            if self.seen.first_at.is_some() {
                self.seen.bytes += completion.bytes().get();
            } else {
                self.seen.first_at = Some(completion.completed_at);
                self.seen.first_bytes = completion.bytes().get();
            }
            if completion.completed_at.since(asked_at) >= self.limit {
                self.left = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(mebibytes: u64) -> QuickPlan {
        let geometry =
            Geometry { capacity: ByteCount::new(mebibytes << 20), logical_block: 512, physical_block: 4096 };
        QuickPlan::new(geometry, false, Seed::new(1)).expect("large enough")
    }

    #[test]
    fn places_reach_from_the_first_block_to_the_last_and_never_beyond() {
        for mebibytes in [2, 64, 100_000] {
            let plan = plan(mebibytes);
            let (mut io, _) = plan.curve(Op::Read);
            let (mut first, mut last, mut count) = (u64::MAX, 0, 0_u64);
            loop {
                match io.next_ask() {
                    Next::Ask(ask) => {
                        first = first.min(ask.extent.start.byte_offset());
                        last = last.max(ask.extent.end().byte_offset());
                        count += 1;
                    }
                    Next::End => break,
                    _ => io.in_flight = 0,
                }
            }
            assert_eq!(first, 0);
            let end = mebibytes << 20;
            assert!(last <= end && end - last < plan.request().get() + plan.block(), "{last} of {end}");
            assert!(count >= 4 * PLACES);
        }
    }

    #[test]
    fn the_rate_of_a_place_leaves_out_the_way_there() {
        let (mut io, points) = plan(1000).curve(Op::Read);
        let mut now = Instant::ORIGIN;
        while io.place == 0 {
            let Next::Ask(ask) = io.next_ask() else { break };
            // The first of a place takes 20 ms more than the others, 10 ms each.
            let late = if io.seen.first_at.is_none() { Nanos::from_millis(20) } else { Nanos::ZERO };
            let submitted_at = now;
            now = now + late + Nanos::from_millis(10);
            let completion = Completion {
                intended_at: submitted_at,
                submitted_at,
                issued_at: None,
                completed_at: now,
                extent: ask.extent,
                status: drivelab_block::Status::OK,
                queue: drivelab_block::QueueId(0),
                op: Op::Read,
                phase: drivelab_block::PhaseId(0),
            };
            // As if it had been asked just before: the limit of time is another matter.
            io.seen.asked_at = Some(io.seen.asked_at.unwrap_or(submitted_at));
            io.answered(&[completion], Instant::ORIGIN);
        }
        let all = points.all();
        let rate = all.first().expect("a point").rate();
        assert!((rate / (plan(1000).request().get() as f64 * 100.0) - 1.0).abs() < 1e-9, "{rate}");
    }

    #[test]
    fn what_is_too_small_is_refused() {
        let geometry =
            Geometry { capacity: ByteCount::new(1 << 20), logical_block: 512, physical_block: 4096 };
        assert!(QuickPlan::new(geometry, false, Seed::new(1)).is_err());
    }
}
