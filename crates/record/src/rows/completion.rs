//! A completion as columns: the one place that says what a record on disk looks like.

use std::num::NonZeroU64;

use bytes::{Buf as _, BufMut as _};
use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};
use drivelab_stats::bucket_of;

use super::column::{Derived, Sparse, stored_columns};
use super::{Columns, Row};

// The schema of a segment. Times are nanoseconds; `sector` and `sectors` are units of 512 bytes.
//
// Latency is kept instead of the completion time because it is smaller, and its histogram bucket beside
// it so that `GROUP BY latency_bucket` in any SQL engine merges histograms exactly.
//
// How each column is encoded before zstd. Submissions follow each other closely; of latencies and addresses, which jump,
// each byte is compressed on its own; what hardly ever changes is left to zstd, which makes nothing of it faster than a
// dictionary would.
stored_columns!(CompletionColumns of "completion", {
    submit_time: Vec<i64> as DELTA_BINARY_PACKED, "REQUIRED INT64 submit_time_ns";
    latency: Vec<i64> as BYTE_STREAM_SPLIT, "REQUIRED INT64 latency_ns";
    sector: Vec<i64> as BYTE_STREAM_SPLIT, "REQUIRED INT64 sector";
    sectors: Vec<i32> as PLAIN, "REQUIRED INT32 sectors";
    operation: Vec<i32> as PLAIN, "REQUIRED INT32 operation (INTEGER(8, false))";
    status: Vec<i32> as PLAIN, "REQUIRED INT32 status (INTEGER(16, true))";
    queue: Vec<i32> as PLAIN, "REQUIRED INT32 queue (INTEGER(16, false))";
    phase: Vec<i32> as PLAIN, "REQUIRED INT32 phase (INTEGER(8, false))";
    intended_delta: Vec<i64> as BYTE_STREAM_SPLIT, "REQUIRED INT64 intended_delta_ns";
    issue_delta: Sparse as DELTA_BINARY_PACKED, "OPTIONAL INT64 issue_delta_ns";
    latency_bucket: Derived as BYTE_STREAM_SPLIT, "REQUIRED INT32 latency_bucket (INTEGER(16, false))";
});

impl Row for Completion {
    type Columns = CompletionColumns;
    const TAIL_MAGIC: [u8; 16] = *b"drivelab tail 3\n";
    const TAIL_BYTES: usize = 50;

    #[inline]
    fn time(&self) -> Instant {
        self.submitted_at
    }

    fn push_to(&self, buffer: &mut Vec<u8>) {
        buffer.put_u64_le(self.intended_at.as_nanos());
        buffer.put_u64_le(self.submitted_at.as_nanos());
        buffer.put_u64_le(self.issued_at.map_or(0, NonZeroU64::get));
        buffer.put_u64_le(self.completed_at.as_nanos());
        buffer.put_u64_le(self.extent.start.get());
        buffer.put_u32_le(self.extent.length.get());
        buffer.put_i16_le(self.status.code());
        buffer.put_u16_le(self.queue.0);
        buffer.put_u8(self.op.code());
        buffer.put_u8(self.phase.0);
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<Completion> {
        Some(Completion {
            intended_at: Instant::from_nanos(bytes.try_get_u64_le().ok()?),
            submitted_at: Instant::from_nanos(bytes.try_get_u64_le().ok()?),
            issued_at: NonZeroU64::new(bytes.try_get_u64_le().ok()?),
            completed_at: Instant::from_nanos(bytes.try_get_u64_le().ok()?),
            extent: Extent {
                start: Sector::new(bytes.try_get_u64_le().ok()?),
                length: SectorCount::new(bytes.try_get_u32_le().ok()?),
            },
            status: Status::from_code(bytes.try_get_i16_le().ok()?),
            queue: QueueId(bytes.try_get_u16_le().ok()?),
            op: Op::from_code(bytes.try_get_u8().ok()?)?,
            phase: PhaseId(bytes.try_get_u8().ok()?),
        })
    }
}

impl Columns for CompletionColumns {
    type Row = Completion;

    fn times(&self) -> &[i64] {
        &self.submit_time
    }

    /// A time before the submission wraps to a negative difference and comes back whole.
    #[expect(clippy::cast_possible_wrap, reason = "differences wrap, and wrap back on reading")]
    fn extend(&mut self, completions: &[Completion]) {
        for completion in completions {
            let submitted = completion.submitted_at.as_nanos();
            let latency = completion.completed_at.as_nanos().wrapping_sub(submitted);
            let issued = completion.issued_at.map(|issued| issued.get().wrapping_sub(submitted) as i64);
            self.submit_time.push(submitted as i64);
            self.latency.push(latency as i64);
            self.sector.push(completion.extent.start.get() as i64);
            self.sectors.push(completion.extent.length.get() as i32);
            self.operation.push(i32::from(completion.op.code()));
            self.status.push(i32::from(completion.status.code()));
            self.queue.push(i32::from(completion.queue.0));
            self.phase.push(i32::from(completion.phase.0));
            self.intended_delta.push(completion.intended_at.as_nanos().wrapping_sub(submitted) as i64);
            self.issue_delta.push(issued);
            self.latency_bucket.0.push(i32::from(bucket_of(latency)));
        }
    }

    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the wrapped differences of `extend`")]
    fn row(&self, row: usize) -> Option<Completion> {
        let submitted = *self.submit_time.get(row)? as u64;
        let issue_delta = self.issue_delta.get(row);
        let after = |delta: i64| Instant::from_nanos(submitted.wrapping_add(delta as u64));
        Some(Completion {
            intended_at: after(*self.intended_delta.get(row)?),
            submitted_at: Instant::from_nanos(submitted),
            issued_at: issue_delta.and_then(|delta| NonZeroU64::new(after(delta).as_nanos())),
            completed_at: after(*self.latency.get(row)?),
            extent: Extent {
                start: Sector::new(*self.sector.get(row)? as u64),
                length: SectorCount::new(*self.sectors.get(row)? as u32),
            },
            status: Status::from_code(i16::try_from(*self.status.get(row)?).ok()?),
            queue: QueueId(u16::try_from(*self.queue.get(row)?).ok()?),
            op: Op::from_code(u8::try_from(*self.operation.get(row)?).ok()?)?,
            phase: PhaseId(u8::try_from(*self.phase.get(row)?).ok()?),
        })
    }
}

#[cfg(test)]
pub mod fixture {
    use super::*;

    /// The completion with this number: plausible, and different from its neighbours.
    pub fn completion(number: u64) -> Completion {
        let at = Instant::from_nanos(1_000 + number * 10_000);
        Completion {
            intended_at: at,
            submitted_at: at,
            issued_at: None,
            completed_at: Instant::from_nanos(at.as_nanos() + 80_000 + number % 977),
            extent: Extent { start: Sector::new(number * 8 % 1_000_003), length: SectorCount::new(8) },
            status: Status::OK,
            queue: QueueId(0),
            op: Op::Write,
            phase: PhaseId(0),
        }
    }

    /// Gives a row an operation that there is not.
    pub fn spoil(columns: &mut CompletionColumns, row: usize) {
        columns.operation[row] = 9;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn any_completion()(
            times: [u64; 3], issued: Option<NonZeroU64>, start: u64, length: u32,
            status: i16, queue: u16, op in 0u8..4, phase: u8,
        ) -> Completion {
            Completion {
                intended_at: Instant::from_nanos(times[0]),
                submitted_at: Instant::from_nanos(times[1]),
                issued_at: issued,
                completed_at: Instant::from_nanos(times[2]),
                extent: Extent { start: Sector::new(start), length: SectorCount::new(length) },
                status: Status::from_code(status),
                queue: QueueId(queue),
                op: Op::from_code(op).expect("four operations"),
                phase: PhaseId(phase),
            }
        }
    }

    proptest! {
        #[test]
        fn every_completion_comes_back_whole(completions in proptest::collection::vec(any_completion(), 0..50)) {
            let mut columns = CompletionColumns::default();
            columns.extend(&completions);
            let mut again = Vec::new();
            prop_assert_eq!(columns.to_rows(0..completions.len(), &mut again), Some(()));
            prop_assert_eq!(again, completions);
        }
    }
}
