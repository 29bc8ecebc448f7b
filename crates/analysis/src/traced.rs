//! All that is known of a trace.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use drivelab_block::{Op, TracedIo};

use crate::bunching::Bunching;
use crate::{Distribution, Moments};

/// Up to where an I/O counts as quick, and from where as long, in nanoseconds: the headline buckets.
const QUICK: u64 = 1_000_000;
const LONG: u64 = 100_000_000;

/// Classes of sizes: of `2^n` bytes and less, from 512 bytes on.
pub const SIZE_CLASSES: usize = 24;

/// A latency, and the shares of it that are told first.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    /// How it is distributed.
    pub distribution: Distribution,
    quick: u64,
    long: u64,
}

impl Latency {
    fn add(&mut self, nanos: u64) {
        self.distribution.add(nanos);
        self.quick += u64::from(nanos < QUICK);
        self.long += u64::from(nanos > LONG);
    }

    fn merge(&mut self, other: &Latency) {
        self.distribution.merge(&other.distribution);
        self.quick += other.quick;
        self.long += other.long;
    }

    /// The share of values below 1 ms, exact; `None` without a value.
    pub fn under_1ms(&self) -> Option<f64> {
        self.share(self.quick)
    }

    /// The share of values above 100 ms, exact; `None` without a value.
    pub fn over_100ms(&self) -> Option<f64> {
        self.share(self.long)
    }

    /// The share of values from 1 to 100 ms, both included, exact; `None` without a value.
    pub fn from_1_to_100ms(&self) -> Option<f64> {
        self.share(self.distribution.moments().count() - self.quick - self.long)
    }

    fn share(&self, count: u64) -> Option<f64> {
        let all = self.distribution.moments().count();
        (all > 0).then(|| count as f64 / all as f64)
    }
}

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

/// The class of a size; `None` for nothing.
fn size_class(bytes: u64) -> Option<usize> {
    let sectors = bytes.div_ceil(512);
    (sectors > 0).then(|| (sectors.next_power_of_two().ilog2() as usize).min(SIZE_CLASSES - 1))
}

/// The most bytes of a size class.
#[must_use]
pub const fn size_class_bytes(class: usize) -> u64 {
    512 << class
}

/// One pass over a trace's I/Os, in the order of their issue.
#[derive(Clone, Debug, Default)]
pub struct TraceAnalysis {
    ops: [TracedOp; 4],
    failed: u64,
    first: Option<u64>,
    last: u64,
    /// When everything so far was complete.
    busy_until: u64,
    gaps: Moments,
    /// Completions of what is in flight, the next one first.
    in_flight: BinaryHeap<Reverse<u64>>,
    depth: Moments,
    /// Where the last I/O of each device and kind ended.
    ends: Vec<[u64; 4]>,
    /// Slow reads, and slow writes.
    bunching: [Bunching; 2],
    together: Bunching,
}

impl TraceAnalysis {
    /// Takes the next I/O.
    pub fn add(&mut self, io: &TracedIo) {
        let at = io.issued_at.as_nanos();
        let kind = usize::from(io.op.code());
        let is_sequential = self.follows(io, kind);
        self.ops[kind].add(io, is_sequential);
        self.failed += u64::from(!io.status.is_ok());
        if self.first.is_none() {
            (self.first, self.busy_until) = (Some(at), at);
        }
        self.last = self.last.max(at);
        if let Some(service) = io.service {
            self.timed(io, at, service.get());
        }
    }

    /// Whether the I/O begins where the one before of its device and kind ended.
    fn follows(&mut self, io: &TracedIo, kind: usize) -> bool {
        let device = usize::from(io.device.0);
        if self.ends.len() <= device {
            self.ends.resize(device + 1, [u64::MAX; 4]);
        }
        let end = &mut self.ends[device][kind];
        let is_sequential = *end == io.extent.start.get() && io.extent.length.get() > 0;
        *end = io.extent.end().get();
        is_sequential
    }

    fn timed(&mut self, io: &TracedIo, at: u64, service: u64) {
        let completed = at.saturating_add(service);
        if at > self.busy_until {
            self.gaps.add(at - self.busy_until);
        }
        self.busy_until = self.busy_until.max(completed);
        while self.in_flight.peek().is_some_and(|Reverse(next)| *next <= at) {
            self.in_flight.pop();
        }
        self.in_flight.push(Reverse(completed));
        self.depth.add(self.in_flight.len() as u64);
        let written = if io.op == Op::Write { io.bytes().get() } else { 0 };
        match io.op {
            Op::Read => self.bunching[0].add(at, service, written),
            Op::Write => self.bunching[1].add(at, service, written),
            Op::Discard | Op::Flush => {}
        }
        self.together.add(at, service, written);
    }

    /// What one kind of operation did.
    pub fn op(&self, op: Op) -> &TracedOp {
        &self.ops[usize::from(op.code())]
    }

    /// All requests.
    pub fn requests(&self) -> u64 {
        self.ops.iter().map(|op| op.requests).sum()
    }

    /// Requests that ended with an error.
    pub fn failed(&self) -> u64 {
        self.failed
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

    /// The spans in which nothing was in flight, in nanoseconds; none where the source knows no durations.
    pub fn idle(&self) -> Option<&Moments> {
        (self.depth.count() > 0).then_some(&self.gaps)
    }

    /// How many I/Os were in flight when one was issued, that one included; none where durations are not known.
    pub fn queue_depth(&self) -> Option<&Moments> {
        (self.depth.count() > 0).then_some(&self.depth)
    }

    /// Whether slow reads, or slow writes, come in bunches.
    ///
    /// # Panics
    /// For any other operation.
    pub fn bunching(&self, op: Op) -> &Bunching {
        match op {
            Op::Read => &self.bunching[0],
            Op::Write => &self.bunching[1],
            Op::Discard | Op::Flush => panic!("bunches are looked for among reads and among writes"),
        }
    }

    /// Whether slow I/Os of any kind come in bunches.
    pub fn bunching_of_all(&self) -> &Bunching {
        &self.together
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, Instant, Nanos, Sector, SectorCount};

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
        assert_eq!(service.under_1ms(), Some(0.25));
        assert_eq!(service.from_1_to_100ms(), Some(0.5));
        assert_eq!(service.over_100ms(), Some(0.25));
        assert_eq!(analysis.span(), 301_000_000 - 1_000);
        let idle = analysis.idle().expect("durations are known");
        assert_eq!((idle.count(), idle.sum()), (1, u128::from(300_000_000u64 - 200_001_300)));
        assert_eq!(analysis.queue_depth().and_then(Moments::max), Some(3));
    }
}
