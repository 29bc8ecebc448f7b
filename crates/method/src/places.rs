//! Rates at places over a drive: sequential requests at one place after the other.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_analysis::CurvePoint;
use drivelab_block::{ByteCount, Completion, Extent, Instant, Nanos, Op, SECTOR_BYTES, Sector, SectorCount};
use drivelab_workload::{Ask, Next, Workload};

/// The longest request.
const REQUEST_MAX: u64 = 1 << 20;

/// Places that lie evenly over a range: the first at its begin, the last so that it ends with the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// First byte of the range, and one past its last.
    pub range: (ByteCount, ByteCount),
    /// How many, at least two.
    pub count: u64,
    /// The most bytes moved at one place: whole blocks, at least four.
    pub bytes: ByteCount,
    /// What requests are whole numbers of, in bytes.
    pub block: u64,
}

impl Places {
    /// The length of a request: a quarter of a place, up to 1 MiB.
    pub fn request(&self) -> ByteCount {
        let quarter = self.bytes.get() / 4 / self.block * self.block;
        ByteCount::new(quarter.min(REQUEST_MAX))
    }

    /// Where a place begins, in bytes.
    pub fn start_of(&self, place: u64) -> u64 {
        let (start, end) = (self.range.0.get(), self.range.1.get());
        let room = u128::from((end - start).saturating_sub(self.bytes.get()));
        let at = room * u128::from(place) / u128::from(self.count.max(2) - 1);
        start + u64::try_from(at).unwrap_or(u64::MAX) / self.block * self.block
    }

    /// The requests of a curve, for at most `limit` at each place, and where its points will be.
    pub fn curve(&self, op: Op, limit: Nanos) -> (CurveIo, CurvePoints) {
        let points = CurvePoints::new(self.count);
        let io = CurveIo {
            places: *self,
            limit,
            op,
            place: 0,
            at: 0,
            left: self.bytes.get(),
            in_flight: 0,
            seen: Seen::default(),
            points: points.clone(),
        };
        (io, points)
    }
}

/// The points of a curve as they become known.
#[derive(Clone, Debug)]
pub struct CurvePoints(Arc<Mutex<Vec<CurvePoint>>>);

impl CurvePoints {
    /// Room for every place, so that nothing is allocated while the clock runs.
    fn new(places: u64) -> CurvePoints {
        CurvePoints(Arc::new(Mutex::new(Vec::with_capacity(usize::try_from(places).unwrap_or(0)))))
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
    places: Places,
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
                let start = Sector::new(self.places.start_of(self.place) / SECTOR_BYTES);
                self.points.add(CurvePoint { start, bytes: ByteCount::new(bytes), elapsed });
            }
        }
        self.place += 1;
        (self.at, self.left) = (0, self.places.bytes.get());
        self.seen = Seen::default();
    }
}

impl Workload for CurveIo {
    fn next_ask(&mut self) -> Next {
        let request = self.places.request().get();
        if self.left < request {
            if self.in_flight > 0 {
                return Next::AfterAnswer;
            }
            self.close();
        }
        if self.place >= self.places.count {
            return Next::End;
        }
        let start = Sector::new((self.places.start_of(self.place) + self.at) / SECTOR_BYTES);
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

    fn places(mebibytes: u64) -> Places {
        let (start, end) = (ByteCount::new(1 << 20), ByteCount::new((mebibytes + 1) << 20));
        let bytes = ByteCount::new(((mebibytes << 20) / 100).min(64 << 20) / 4096 * 4096);
        Places { range: (start, end), count: 100, bytes, block: 4096 }
    }

    #[test]
    fn places_reach_from_the_first_block_to_the_last_and_never_beyond() {
        for mebibytes in [2, 64, 100_000] {
            let places = places(mebibytes);
            let (mut io, _) = places.curve(Op::Read, Nanos::from_secs(1));
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
            assert_eq!(first, 1 << 20);
            let end = (mebibytes + 1) << 20;
            assert!(last <= end && end - last < places.request().get() + places.block, "{last} of {end}");
            assert!(count >= 4 * places.count);
        }
    }

    #[test]
    fn the_rate_of_a_place_leaves_out_the_way_there() {
        let (mut io, points) = places(1000).curve(Op::Read, Nanos::from_millis(300));
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
        assert!((rate / (places(1000).request().get() as f64 * 100.0) - 1.0).abs() < 1e-9, "{rate}");
    }
}
