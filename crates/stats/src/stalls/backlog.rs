//! The buffer that a stream needs: what would have waited to be written, had the drive answered as it did.

use crate::{Distribution, StreamWrites, whole};

/// What a stream of a constant rate would have had waiting in its buffer.
///
/// The run is replayed with its own write times. Block i (from 0) is there at `(i + 1) B / R`; it is written as soon as it
/// is there and the one before is done, and takes as long as in the run: `s(i) = c(i) - max(c(i-1), a(i))`, where `a` and
/// `c` are the submission and the completion of the run's own write (with one write in flight, its completion time).
/// While block i is being written, the backlog grows to `R e(i) - i B` bytes at its end `e(i)`: that is what the buffer has
/// to hold. A run whose drive is slower than the stream has no largest backlog: it grows as long as the run goes on.
#[derive(Clone, Debug)]
pub struct Backlog {
    /// The stream's rate in bytes a second.
    pub rate: f64,
    /// The largest backlog in bytes.
    pub largest: u64,
    /// Whether the drive keeps up with the stream on average, over all writes and over the late ones: those of the last pass
    /// where the range was written at least twice, otherwise the last quarter. Where it does not, the backlog grows with the
    /// run.
    pub sustained: bool,
    /// When the last write of the stream would have ended, in nanoseconds from its start.
    pub lasted: u64,
    waiting: Distribution,
}

impl Backlog {
    /// Replays a run for a stream of `rate` bytes a second, above 0.
    pub fn from_stream(stream: &StreamWrites, rate: f64) -> Backlog {
        Backlog::follow(stream, rate, |_, _| {})
    }

    /// The same, telling the backlog in bytes at the end of every write, with its time in nanoseconds from the start of
    /// the stream.
    pub fn follow(stream: &StreamWrites, rate: f64, mut tell: impl FnMut(f64, u64)) -> Backlog {
        let block = stream.block_bytes as f64;
        let block_time = block / rate * 1e9;
        let mut waiting = Distribution::default();
        let (mut largest, mut end) = (0u64, 0.0f64);
        // All of the work, and that of the late writes.
        let (writes, late) = (stream.judged().count(), stream.late_writes());
        let late_from = writes - late;
        let (mut busy, mut busy_late) = (0.0f64, 0.0f64);
        for (number, service) in stream.service().enumerate() {
            let service = service as f64;
            let there = (number + 1) as f64 * block_time;
            end = end.max(there) + service;
            busy += service;
            busy_late += if number >= late_from { service } else { 0.0 };
            let backlog = whole((rate * end / 1e9 - number as f64 * block).ceil()) as u64;
            largest = largest.max(backlog);
            waiting.add(backlog);
            tell(end, backlog);
        }
        let keeps_up = |work: f64, writes: usize| work <= writes as f64 * block_time;
        let sustained = keeps_up(busy, writes) && keeps_up(busy_late, late);
        Backlog { rate, largest, sustained, lasted: whole(end.ceil()) as u64, waiting }
    }

    /// The share of writes at whose end more than `buffer` bytes had come together, within 1 % of `buffer`: how likely a
    /// buffer of that size is too small for a block. The largest backlog is exact: 0 where `buffer` holds it, as before
    /// the first write, and one write's share at least where it does not.
    pub fn overflow(&self, buffer: u64) -> f64 {
        if self.largest <= buffer {
            return 0.0;
        }
        let over: u64 = self
            .waiting
            .histogram()
            .occupied()
            .filter(|(bucket, _)| crate::bucket_range(*bucket).0 > buffer)
            .map(|(_, count)| count)
            .sum();
        over.max(1) as f64 / self.waiting.moments().count().max(1) as f64
    }
}
