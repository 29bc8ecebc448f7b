//! All that is known of a trace.

mod in_flight;
mod latency;
mod sizes;
pub mod waiting;

pub use latency::{BriefLatency, Latency, Shares};
pub use sizes::{SIZE_CLASSES, size_class_bytes};

use drivelab_block::{Op, TracedIo};

use crate::Moments;
use crate::bunching::{Bunching, Thresholds};
use crate::course::Courses;
use in_flight::InFlightCounts;
use sizes::size_class;
use waiting::{AwaitedWrites, WaitBins, Waiting, Waits};

/// What one kind of operation did.
#[derive(Clone, Debug, Default)]
pub struct TracedOp {
    /// How many were asked for.
    pub requests: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// Of those, requests that began where the one before of the same kind and device had ended.
    pub sequential: u64,
    /// From issue to completion, or whatever the trace's source measured.
    pub service: Latency,
    /// With the wait before the issue, where that is known.
    pub response: Latency,
    /// Requests by size: `sizes[n]` holds those above `2^(n + 8)` and up to `2^(n + 9)` bytes.
    pub sizes: [u64; SIZE_CLASSES],
}

impl TracedOp {
    fn add(&mut self, io: &TracedIo, is_sequential: bool) {
        let bytes = io.bytes().get();
        self.requests += 1;
        self.bytes += bytes;
        self.sequential += u64::from(is_sequential);
        if let Some(class) = size_class(bytes) {
            self.sizes[class] += 1;
        }
        if let Some(service) = io.service {
            self.service.add(service.get());
        }
        if let Some(response) = io.response() {
            self.response.add(response.get());
        }
    }
}

/// What one direction did on one device.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceOp {
    /// How many were asked for.
    pub requests: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// From issue to completion, or whatever the trace's source measured.
    pub service: BriefLatency,
}

/// What one device did.
#[derive(Clone, Copy, Debug)]
pub struct TracedDevice {
    /// Reads.
    pub reads: DeviceOp,
    /// Writes.
    pub writes: DeviceOp,
    /// Where the last I/O of each kind ended.
    ends: [u64; 4],
}

impl Default for TracedDevice {
    fn default() -> TracedDevice {
        TracedDevice { reads: DeviceOp::default(), writes: DeviceOp::default(), ends: [u64::MAX; 4] }
    }
}

impl TracedDevice {
    /// Whether an I/O begins where the one before of its kind ended.
    fn follows(&mut self, io: &TracedIo) -> bool {
        let end = &mut self.ends[usize::from(io.op.code())];
        let is_sequential = *end == io.extent.start.get() && io.extent.length.get() > 0;
        *end = io.extent.end().get();
        is_sequential
    }

    fn add(&mut self, io: &TracedIo) {
        let op = match io.op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Discard | Op::Flush => return,
        };
        op.requests += 1;
        op.bytes += io.bytes().get();
        if let Some(service) = io.service {
            op.service.add(service.get());
        }
    }
}

/// One pass over a trace's I/Os, in the order of their issue.
#[derive(Clone, Debug, Default)]
pub struct TraceAnalysis {
    ops: [TracedOp; 4],
    /// Requests that ended with an error.
    pub failed: u64,
    first: Option<u64>,
    last: u64,
    /// When everything so far was complete.
    busy_until: u64,
    gaps: Moments,
    in_flight: InFlightCounts,
    /// By their place in the trace's list; the figures of one that is alone are those of all.
    devices: Vec<TracedDevice>,
    /// Slow reads, and slow writes.
    bunching: [Bunching; 2],
    /// Slow I/Os of any kind, and how they are clustered.
    pub bunching_of_all: Bunching,
    waiting: Waiting,
    /// How long the clock had shown its day when the trace began, in nanoseconds.
    nanos_of_day: u64,
    /// Only where they were asked for.
    pub courses: Option<Box<Courses>>,
}

impl TraceAnalysis {
    /// One that counts slow I/Os at these thresholds.
    pub fn new(thresholds: Thresholds) -> TraceAnalysis {
        let bunching = || Bunching::new(thresholds);
        TraceAnalysis {
            bunching: [bunching(), bunching()],
            bunching_of_all: bunching(),
            ..TraceAnalysis::default()
        }
    }

    /// One that counts slow I/Os at these thresholds, of a trace at whose beginning the clock had shown its day for this many
    /// nanoseconds: hours and days are those of the clock.
    pub fn begun_at(thresholds: Thresholds, nanos_of_day: u64) -> TraceAnalysis {
        TraceAnalysis {
            waiting: Waiting::new(AwaitedWrites::default(), nanos_of_day),
            nanos_of_day,
            ..TraceAnalysis::new(thresholds)
        }
    }

    /// The same, counting these writes as waited for.
    #[must_use]
    pub fn with_awaited(self, awaited: AwaitedWrites) -> TraceAnalysis {
        TraceAnalysis { waiting: Waiting::new(awaited, self.nanos_of_day), ..self }
    }

    /// The same, following the trace's course as well.
    #[must_use]
    pub fn with_course(self) -> TraceAnalysis {
        TraceAnalysis { courses: Some(Box::new(Courses::begun_at(self.nanos_of_day))), ..self }
    }

    /// Takes the next I/O.
    pub fn add(&mut self, io: &TracedIo) {
        let at = io.issued_at.as_nanos();
        let is_sequential = self.device(io).follows(io);
        if self.devices.len() > 1 {
            self.device(io).add(io);
        }
        self.ops[usize::from(io.op.code())].add(io, is_sequential);
        self.waiting.add(io);
        self.failed += u64::from(!io.status.is_ok());
        if self.first.is_none() {
            (self.first, self.busy_until) = (Some(at), at);
        }
        self.last = self.last.max(at);
        let slow = io.service.map_or(0, |service| self.timed(io, at, service.get()));
        if let Some(courses) = &mut self.courses {
            courses.add(io, slow, io.service.and_then(|_| self.in_flight.now()));
        }
    }

    fn device(&mut self, io: &TracedIo) -> &mut TracedDevice {
        let device = usize::from(io.device.0);
        if self.devices.len() <= device {
            if let [alone] = self.devices[..] {
                self.devices[0] = self.alone(alone);
            }
            self.devices.resize(device + 1, TracedDevice::default());
        }
        &mut self.devices[device]
    }

    /// What the only device did: all that was done. It is not counted apart, which would cost every I/O time.
    fn alone(&self, device: TracedDevice) -> TracedDevice {
        let [reads, writes] = [Op::Read, Op::Write].map(|op| {
            let TracedOp { requests, bytes, service, .. } = self.op(op);
            DeviceOp { requests: *requests, bytes: *bytes, service: service.brief() }
        });
        TracedDevice { reads, writes, ..device }
    }

    /// Takes an I/O whose duration is known, and gives a bit for each threshold at which it is slow.
    fn timed(&mut self, io: &TracedIo, at: u64, service: u64) -> u8 {
        let completed = at.saturating_add(service);
        if at > self.busy_until {
            self.gaps.add(at - self.busy_until);
        }
        self.busy_until = self.busy_until.max(completed);
        self.in_flight.add(at, completed);
        let written = if io.op == Op::Write { io.bytes().get() } else { 0 };
        self.bunching_of_all.add(at, service, written);
        match io.op {
            Op::Read => self.bunching[0].add(at, service, written),
            Op::Write => {
                self.bunching[0].wrote(written);
                self.bunching[1].add(at, service, written)
            }
            Op::Discard | Op::Flush => 0,
        }
    }

    /// What one kind of operation did.
    pub fn op(&self, op: Op) -> &TracedOp {
        &self.ops[usize::from(op.code())]
    }

    /// All requests.
    pub fn requests(&self) -> u64 {
        self.ops.iter().map(|op| op.requests).sum()
    }

    /// The service times of all operations.
    pub fn service(&self) -> Latency {
        self.joined(|op| &op.service)
    }

    /// The response times of all operations.
    pub fn response(&self) -> Latency {
        self.joined(|op| &op.response)
    }

    fn joined(&self, pick: impl Fn(&TracedOp) -> &Latency) -> Latency {
        let mut joined = Latency::default();
        self.ops.iter().for_each(|op| joined.merge(pick(op)));
        joined
    }

    /// From the first issue to the last issue or completion, in nanoseconds.
    pub fn span(&self) -> u64 {
        self.first.map_or(0, |first| self.last.max(self.busy_until) - first)
    }

    /// The spans in which nothing was in flight, in nanoseconds; none where the source does not know nearly all durations: what
    /// ended nobody knows when may have been in flight.
    pub fn idle(&self) -> Option<&Moments> {
        self.knows_durations().then_some(&self.gaps)
    }

    /// How many I/Os were in flight when one was issued, that one included; none where nearly all durations are not
    /// known, or where that was ever above 2^20.
    pub fn queue_depth(&self) -> Option<&Moments> {
        self.in_flight.depth().filter(|_| self.knows_durations())
    }

    /// Whether the durations of 99 % of all I/Os are known.
    fn knows_durations(&self) -> bool {
        let known = self.in_flight.known;
        known > 0 && known >= self.requests() - self.requests() / 100
    }

    /// Slow reads, or slow writes, and how they are clustered.
    ///
    /// # Panics
    /// For any other operation.
    pub fn bunching(&self, op: Op) -> &Bunching {
        match op {
            Op::Read => &self.bunching[0],
            Op::Write => &self.bunching[1],
            Op::Discard | Op::Flush => panic!("clustering is looked for among reads and among writes"),
        }
    }

    /// Slow reads and slow writes, whose threshold is chosen together.
    pub fn directions(&self) -> [&Bunching; 2] {
        self.bunching.each_ref()
    }

    /// What each device did, by its place in the trace's list; those after the last that was met are left out.
    pub fn devices(&self) -> Vec<TracedDevice> {
        match self.devices[..] {
            [alone] => vec![self.alone(alone)],
            _ => self.devices.clone(),
        }
    }

    /// Who waited, when, for what, and what else went on meanwhile; none where the source does not know nearly all durations.
    pub fn waits(&self) -> Option<Waits<'_>> {
        self.knows_durations().then(|| self.waiting.found())
    }

    /// When programs waited; none where the source does not know nearly all durations.
    pub fn wait_bins(&self) -> Option<&WaitBins> {
        self.knows_durations().then_some(&self.waiting.bins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{DeviceId, Extent, Instant, Nanos, Sector, SectorCount};

    fn io(at: u64, op: Op, start: u64, sectors: u32, service: u64) -> TracedIo {
        let extent = Extent { start: Sector::new(start), length: SectorCount::new(sectors) };
        TracedIo { service: Some(Nanos::new(service)), ..TracedIo::new(Instant::from_nanos(at), op, extent) }
    }

    #[test]
    fn a_small_trace_by_hand() {
        let mut analysis = TraceAnalysis::default();
        for io in [
            io(1_000, Op::Read, 0, 8, 500),
            io(1_200, Op::Read, 8, 8, 2_000_000),
            io(1_300, Op::Write, 16, 1, 200_000_000),
            io(300_000_000, Op::Read, 100, 1025, 1_000_000),
        ] {
            analysis.add(&io);
        }
        let reads = analysis.op(Op::Read);
        assert_eq!((reads.requests, reads.bytes, reads.sequential), (3, 1041 * 512, 1));
        assert_eq!((reads.sizes[3], reads.sizes[11]), (2, 1), "4 KiB, and up to 1 MiB");
        assert_eq!(size_class_bytes(3), 4096);
        let service = analysis.service();
        let shares = Shares { under_1ms: 0.25, from_1_to_100ms: 0.5, over_100ms: 0.25 };
        assert_eq!(service.shares(), Some(shares));
        let device = analysis.devices()[0];
        assert_eq!((device.reads.requests, device.writes.requests, device.writes.bytes), (3, 1, 512));
        assert_eq!(device.writes.service.moments.max(), Some(200_000_000));
        assert_eq!(analysis.span(), 301_000_000 - 1_000);
        let idle = analysis.idle().expect("durations are known");
        assert_eq!((idle.count(), idle.sum()), (1, u128::from(300_000_000u64 - 200_001_300)));
        assert_eq!(analysis.queue_depth().and_then(Moments::max), Some(3));
        // A second device: the first one keeps what it did alone.
        let other = TracedIo { device: DeviceId(1), ..io(400_000_000, Op::Read, 0, 8, 5) };
        analysis.add(&other);
        analysis.add(&io(500_000_000, Op::Write, 0, 8, 7));
        let figures = |place: usize| {
            let device = analysis.devices()[place];
            (device.reads.bytes, device.writes.requests, device.writes.service.moments.count())
        };
        assert_eq!((figures(0), figures(1)), ((1041 * 512, 2, 2), (4_096, 0, 0)));
    }

    /// Idle time and depth say nothing where more than one of a hundred I/Os may have been in flight at any time.
    #[test]
    fn of_99_in_100_the_durations_have_to_be_known() {
        let knows = |known: u64, requests: u64| {
            let mut analysis = TraceAnalysis::default();
            for number in 0..requests {
                let io = io(number * 1_000, Op::Read, 0, 8, 100);
                analysis.add(&if number < known { io } else { TracedIo { service: None, ..io } });
            }
            analysis.idle().is_some() && analysis.queue_depth().is_some()
        };
        assert_eq!(
            [knows(198, 200), knows(197, 200), knows(0, 50), knows(0, 0)],
            [true, false, false, false]
        );
    }

    #[test]
    fn writes_reads_failures_and_waits_are_told_apart() {
        let mut analysis = TraceAnalysis::new(Thresholds::default()).with_course();
        let failed = TracedIo { status: drivelab_block::Status::from_code(5), ..io(2, Op::Read, 0, 8, 5) };
        let waited = TracedIo { queued_for: Some(Nanos::new(7)), ..io(4, Op::Write, 8, 8, 20_000_000) };
        for io in [io(1, Op::Write, 0, 8, 5), failed, failed, waited, io(5, Op::Read, 8, 0, 20_000_000)] {
            analysis.add(&io);
        }
        assert_eq!((analysis.requests(), analysis.failed), (5, 2));
        // What has no length follows nothing.
        assert_eq!([Op::Read, Op::Write].map(|op| analysis.op(op).sequential), [0, 1]);
        assert_eq!(analysis.response().distribution.moments().max(), Some(20_000_007));
        let slow = |bunching: &Bunching| {
            bunching.thresholds().next().map(|slow| (bunching.count(), slow.tally.slow))
        };
        assert_eq!(analysis.directions().map(slow), [Some((3, 1)), Some((2, 1))]);
        assert_eq!([Op::Read, Op::Write].map(|op| slow(analysis.bunching(op))), [Some((3, 1)), Some((2, 1))]);
        assert_eq!(slow(&analysis.bunching_of_all), Some((5, 2)));
        let before = |bunching: &Bunching| {
            bunching.thresholds().next().map(|slow| slow.tally.episodes.list()[0].bytes_before)
        };
        let (reads, all) = (before(analysis.bunching(Op::Read)), before(&analysis.bunching_of_all));
        assert_eq!((reads, all), (Some(8_192), Some(4_096)), "the drive goes by all that it writes");
        let courses = analysis.courses.as_ref().expect("they were followed");
        assert_eq!(courses.busy.bins[0].requests, [3, 2]);
        assert_eq!(courses.by_clock.bins, courses.busy.bins);
        assert!(TraceAnalysis::default().courses.is_none());
    }
}
