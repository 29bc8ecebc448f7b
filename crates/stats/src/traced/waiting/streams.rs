//! I/Os by operation, size and order: the I/O streams of SNIA's "Real World Storage Workload Performance Test Specification".

use drivelab_block::{Op, TracedIo};

use super::IoWork;

/// Sizes that are told apart: multiples of a sector up to 1 MiB. What is longer counts together.
const SECTORS: usize = 2048;

/// I/Os of one operation, size and order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoStream {
    /// Reads or writes.
    pub op: Op,
    /// Their size in bytes; none for all that are longer than 1 MiB.
    pub bytes: Option<u64>,
    /// Whether each begins where the one before of its process ended.
    pub is_sequential: bool,
    /// How many.
    pub ios: u64,
}

/// All streams of a trace.
#[derive(Clone, Debug)]
pub struct IoStreams {
    /// By the reads and writes of [`IoWork`], in its order, and sectors; the last place is for longer ones.
    counts: [Vec<u64>; 4],
}

impl Default for IoStreams {
    fn default() -> IoStreams {
        IoStreams { counts: std::array::from_fn(|_| vec![0; SECTORS + 2]) }
    }
}

impl IoStreams {
    pub(super) fn add(&mut self, io: &TracedIo, work: IoWork) {
        // Discards and flushes stand behind the reads and writes.
        let Some(counts) = self.counts.get_mut(work as usize) else { return };
        let sectors = usize::try_from(io.extent.length.get()).unwrap_or(usize::MAX);
        counts[sectors.min(SECTORS + 1)] += 1;
    }

    /// The streams, the most I/Os first.
    pub fn all(&self) -> Vec<IoStream> {
        let kinds = [(Op::Read, true), (Op::Read, false), (Op::Write, true), (Op::Write, false)];
        let mut found: Vec<IoStream> = Vec::new();
        for ((op, is_sequential), counts) in kinds.into_iter().zip(self.counts.iter()) {
            for (sectors, ios) in counts.iter().enumerate().filter(|(_, ios)| **ios > 0) {
                let bytes = (sectors <= SECTORS).then_some(sectors as u64 * 512);
                found.push(IoStream { op, bytes, is_sequential, ios: *ios });
            }
        }
        found.sort_by_key(|stream| std::cmp::Reverse(stream.ios));
        found
    }
}
