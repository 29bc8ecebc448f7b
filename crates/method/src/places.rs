//! Rates at places over a drive: sequential requests at one place after the other.

use drivelab_block::{
    ByteCount, ByteRange, Completion, Extent, Instant, Nanos, Op, SECTOR_BYTES, Sector, SectorCount,
};
use drivelab_stats::CurvePoint;
use drivelab_workload::{Ask, Next, Workload};

use crate::collected::Collected;

const REQUEST_MAX: u64 = 1 << 20;

/// Places that lie evenly over a range: the first at its begin, the last so that it ends with the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvenPlaces {
    /// First byte of the range, and one past its last.
    pub range: ByteRange,
    /// How many, at least two.
    pub count: u64,
    /// The most bytes moved at one place: whole blocks, at least four.
    pub bytes: ByteCount,
    /// What requests are whole numbers of, in bytes.
    pub block: u64,
}

impl EvenPlaces {
    /// The length of a request: a quarter of a place, up to 1 MiB.
    pub fn request(&self) -> ByteCount {
        let quarter = self.bytes.get() / 4 / self.block * self.block;
        ByteCount::new(quarter.min(REQUEST_MAX))
    }

    /// Where a place begins, in bytes.
    pub fn start_of(&self, place: u64) -> u64 {
        let (start, end) = (self.range.start.get(), self.range.end.get());
        let room = u128::from((end - start).saturating_sub(self.bytes.get()));
        let at = room * u128::from(place) / u128::from(self.count.max(2) - 1);
        start + u64::try_from(at).unwrap_or(u64::MAX) / self.block * self.block
    }

    /// The requests of a curve, for at most `limit` at each place, and where its points will be.
    pub fn curve(&self, op: Op, limit: Nanos) -> (CurveIo, Collected<CurvePoint>) {
        let points = Collected::with_room(usize::try_from(self.count).unwrap_or(0));
        let io = CurveIo {
            places: *self,
            limit,
            op,
            place: 0,
            at: 0,
            left: self.bytes.get(),
            in_flight: 0,
            seen: SeenPlace::default(),
            points: points.clone(),
        };
        (io, points)
    }
}

/// What was answered at the place under way.
#[derive(Clone, Copy, Debug, Default)]
struct SeenPlace {
    /// When the request that was answered first was asked, and when that was.
    first: Option<(Instant, Instant)>,
    /// When the last of those was answered that were asked before.
    opened_at: Instant,
    last_at: Instant,
    /// Behind that.
    bytes: u64,
    /// Until then.
    opening_bytes: u64,
}

impl SeenPlace {
    /// Takes an answer; returns when the request was asked that was answered first.
    fn add(&mut self, completion: &Completion) -> Instant {
        let Completion { submitted_at, completed_at, .. } = *completion;
        let bytes = completion.bytes().get();
        let is_first = self.first.is_none();
        let (asked_at, answered_at) = *self.first.get_or_insert((submitted_at, completed_at));
        self.last_at = completed_at;
        if is_first || submitted_at < answered_at {
            self.opened_at = completed_at;
            self.opening_bytes += std::mem::take(&mut self.bytes) + bytes;
        } else {
            self.bytes += bytes;
        }
        asked_at
    }
}

/// Sequential requests at one place after the other; nothing of two places is in flight at once.
#[derive(Debug)]
pub struct CurveIo {
    places: EvenPlaces,
    /// How long is moved at one place.
    limit: Nanos,
    op: Op,
    place: u64,
    at: u64,
    left: u64,
    in_flight: u64,
    seen: SeenPlace,
    points: Collected<CurvePoint>,
}

impl CurveIo {
    /// Ends the place: its rate is what came after the answers to all that was asked first. Those pay for the way there; and a
    /// drive that serves them side by side answers them together, so that counting from the first would count the others
    /// for nothing. Where the rest is less than half of the time (a place of a few requests), it is too little to say
    /// anything, and all of it counts.
    fn close(&mut self) {
        let SeenPlace { first, opened_at, last_at, bytes, opening_bytes } = self.seen;
        if let Some((asked_at, _)) = first {
            let (after, whole) = (last_at.since(opened_at), last_at.since(asked_at));
            let is_enough = bytes > 0 && after.get() * 2 >= whole.get();
            let (bytes, elapsed) = if is_enough { (bytes, after) } else { (bytes + opening_bytes, whole) };
            if elapsed > Nanos::ZERO {
                let start = Sector::new(self.places.start_of(self.place) / SECTOR_BYTES);
                self.points.add(&[CurvePoint { start, bytes: ByteCount::new(bytes), elapsed }]);
            }
        }
        self.place += 1;
        (self.at, self.left) = (0, self.places.bytes.get());
        self.seen = SeenPlace::default();
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
            let asked_at = self.seen.add(completion);
            if completion.completed_at.since(asked_at) >= self.limit {
                self.left = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(mebibytes: u64) -> EvenPlaces {
        let (start, end) = (ByteCount::new(1 << 20), ByteCount::new((mebibytes + 1) << 20));
        let bytes = ByteCount::new(((mebibytes << 20) / 100).min(64 << 20) / 4096 * 4096);
        EvenPlaces { range: ByteRange::new(start, end), count: 100, bytes, block: 4096 }
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

    fn completion(extent: Extent, submitted_at: Instant, completed_at: Instant) -> Completion {
        Completion {
            intended_at: submitted_at,
            submitted_at,
            issued_at: None,
            completed_at,
            extent,
            status: drivelab_block::Status::OK,
            queue: drivelab_block::QueueId(0),
            op: Op::Read,
            phase: drivelab_block::PhaseId(0),
        }
    }

    /// The rate at the first place of a drive that takes 10 ms for the way there, and then as long for each request: one after
    /// the other, or four side by side. Asked as a run asks, which holds a request in hand.
    fn rate_of(side_by_side: bool) -> f64 {
        let (mut io, points) = places(1000).curve(Op::Read, Nanos::from_secs(1));
        let mut now = Instant::ORIGIN;
        let mut waiting = std::collections::VecDeque::new();
        let mut in_hand = io.next_ask();
        while io.place == 0 {
            while waiting.len() < 4
                && let Next::Ask(ask) = in_hand
            {
                waiting.push_back((ask.extent, now));
                in_hand = io.next_ask();
            }
            let way = if now == Instant::ORIGIN { 10 } else { 0 };
            now += Nanos::from_millis(10 + way);
            let together = if side_by_side { 4 } else { 1 };
            for (extent, asked_at) in waiting.drain(..together.min(waiting.len())).collect::<Vec<_>>() {
                io.answered(&[completion(extent, asked_at, now)], Instant::ORIGIN);
            }
            if matches!(in_hand, Next::AfterAnswer) {
                in_hand = io.next_ask();
            }
        }
        points.all().first().expect("a point").rate()
    }

    #[test]
    fn the_rate_of_a_place_leaves_out_the_way_there() {
        let one = places(1000).request().get() as f64 * 100.0;
        assert!((rate_of(false) / one - 1.0).abs() < 1e-9, "{} is not {one}", rate_of(false));
        // Ten requests: four, four more 10 ms later, and two.
        assert!((rate_of(true) / one - 3.0).abs() < 1e-9, "{} is not {}", rate_of(true), 3.0 * one);
    }
}
