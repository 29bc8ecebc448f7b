//! Threads on a drive that has no file system: each has a part of the range, and as many requests are in flight as there are
//! threads; whose turn it is goes round.

use drivelab_block::{ByteCount, Extent, Nanos, Op, OpSet, SECTOR_BYTES, Sector, SectorCount, Work};
use drivelab_method::{PhasePlan, StopRule};
use drivelab_workload::{Ask, Draw, Next, Seed, Workload};

/// The length of a step of random work.
pub const RANDOM_STEP: ByteCount = ByteCount::new(4096);
/// The length of a write while a range is filled.
const FILL_STEP: ByteCount = ByteCount::new(1 << 20);

/// What threads ask of a range that begins with the drive.
#[derive(Clone, Debug)]
pub struct ThreadAsks {
    op: Op,
    random: Option<Draw>,
    /// Sectors of a step, and steps of each thread's part.
    step: u32,
    steps: u64,
    /// The next step of each thread.
    threads: Vec<u64>,
    /// Whose turn it is.
    turn: usize,
    /// Steps until the end, and the sector where it is, where there is one.
    left: Option<(u64, u64)>,
}

impl ThreadAsks {
    /// The work of so many threads on the first `bytes` of a drive; only reads and writes, in order or anywhere.
    pub fn new(work: Work, threads: u16, bytes: ByteCount, request: ByteCount, seed: Seed) -> ThreadAsks {
        let step = if work.is_random() { RANDOM_STEP } else { request };
        let steps = (bytes.get() / u64::from(threads.max(1)) / step.get()).max(1);
        ThreadAsks {
            op: if work.only_reads() { Op::Read } else { Op::Write },
            random: work.is_random().then(|| seed.child("addresses").draw()),
            step: u32::try_from(step.get() / SECTOR_BYTES).unwrap_or(u32::MAX),
            steps,
            threads: vec![0; usize::from(threads.max(1))],
            turn: 0,
            left: None,
        }
    }

    /// Writes the first `bytes` of a drive once, in whole steps of random work: all that is asked for afterwards.
    pub fn fill(bytes: ByteCount) -> ThreadAsks {
        let asks = ThreadAsks::new(Work::SeqWrite, 1, bytes, FILL_STEP, Seed::new(0));
        let steps = bytes.get().div_ceil(FILL_STEP.get());
        let end = (bytes.get() / RANDOM_STEP.get() * RANDOM_STEP.get()).max(RANDOM_STEP.get()) / SECTOR_BYTES;
        ThreadAsks { steps, left: Some((steps, end)), ..asks }
    }

    /// The phase in which they are asked: a closed loop with as many requests in flight as there are threads.
    pub fn phase(&self, name: &str, duration: Option<Nanos>) -> PhasePlan {
        let threads = u32::try_from(self.threads.len()).unwrap_or(u32::MAX);
        let step = ByteCount::new(u64::from(self.step) * SECTOR_BYTES);
        let stop = StopRule { duration, bytes: None };
        PhasePlan { stop, ..PhasePlan::closed(name, threads, step, OpSet::EMPTY.with(self.op)) }
    }
}

impl Workload for ThreadAsks {
    fn next_ask(&mut self) -> Next {
        match &mut self.left {
            Some((0, _)) => return Next::End,
            Some((left, _)) => *left -= 1,
            None => {}
        }
        let thread = self.turn;
        self.turn = (thread + 1) % self.threads.len();
        let next = &mut self.threads[thread];
        let step = self.random.as_mut().map_or(*next, |draw| draw.below(self.steps));
        *next = (*next + 1) % self.steps;
        let start = (thread as u64 * self.steps + step) * u64::from(self.step);
        let end = self.left.map_or(u64::MAX, |(_, end)| end);
        let length = u32::try_from(end.saturating_sub(start)).map_or(self.step, |left| left.min(self.step));
        let extent = Extent { start: Sector::new(start), length: SectorCount::new(length) };
        Next::Ask(Ask { due: None, op: self.op, extent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(mut asks: ThreadAsks, count: usize) -> Vec<u64> {
        let next = |_| match asks.next_ask() {
            Next::Ask(ask) => Some(ask.extent.start.byte_offset()),
            _ => None,
        };
        (0..count).map_while(next).collect()
    }

    #[test]
    fn each_thread_goes_through_its_own_part_and_begins_again() {
        let (bytes, request) = (ByteCount::new(400_000), ByteCount::new(65_536));
        let asks = ThreadAsks::new(Work::SeqRead, 2, bytes, request, Seed::new(1));
        let part = 3 * 65_536;
        assert_eq!(starts(asks, 8), [0, part, 65_536, part + 65_536, 131_072, part + 131_072, 0, part]);
        let asks = ThreadAsks::new(Work::RandomWrite, 4, bytes, request, Seed::new(1));
        assert_eq!(asks.phase("", None).limits.queue_depth, 4);
        for (index, start) in starts(asks, 1_000).into_iter().enumerate() {
            let part = 24 * 4096;
            assert_eq!(start / part, index as u64 % 4, "{start}");
            assert!(start.is_multiple_of(4096));
        }
        assert_eq!(starts(ThreadAsks::fill(ByteCount::new(3 << 20)), 9), [0, 1 << 20, 2 << 20]);
    }

    #[test]
    fn a_fill_leaves_no_part_of_its_range_out() {
        for bytes in [4096, 65_536, 2_093_056, 10_000_000] {
            let mut asks = ThreadAsks::fill(ByteCount::new(bytes));
            let written = std::iter::from_fn(|| match asks.next_ask() {
                Next::Ask(ask) => Some(ask.extent.length.get()),
                _ => None,
            });
            assert_eq!(u64::from(written.sum::<u32>()) * SECTOR_BYTES, bytes / 4096 * 4096);
        }
    }
}
