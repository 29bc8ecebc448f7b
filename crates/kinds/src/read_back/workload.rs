//! The reads that verify what was written.

use std::ops::Range;

use drivelab_block::{ByteCount, Completion, Extent, Instant, Op, OpSet, SectorCount};
use drivelab_method::PhasePlan;
use drivelab_workload::verify::{Ledger, SharedVerification};
use drivelab_workload::{Ask, Next, Span, Workload};

/// A read of this many bytes is about as fast as longer ones, on disks and on flash.
const LONG: u64 = 128 << 10;
/// What all reads in flight of one engine are to take of memory.
const MEMORY: u64 = 64 << 20;
/// A mapping unit of a simulated drive, which says of whole ones what they hold.
const UNIT: u64 = 4096;

/// The phase of reading back blocks of this length, several with a read, with `queue_depth` reads in flight.
pub(crate) fn read_back_phase(block: ByteCount, queue_depth: u32) -> PhasePlan {
    let longest = longest_read(block, queue_depth);
    PhasePlan::closed("read back", queue_depth, longest, OpSet::EMPTY.with(Op::Read))
}

/// The longest read back of blocks of this length, with `queue_depth` in flight: a whole number of blocks.
fn longest_read(block: ByteCount, queue_depth: u32) -> ByteCount {
    let block = block.get().max(1);
    let most = LONG.min(MEMORY / u64::from(queue_depth.max(1)));
    if !block.is_multiple_of(UNIT) {
        return ByteCount::new(block);
    }
    ByteCount::new((most / block).max(1) * block)
}

/// Reads what was written and not read back since, in the order of addresses: blocks that follow each other at once, and each
/// block of a read that failed by itself.
#[derive(Debug)]
pub struct ReadEach {
    verification: SharedVerification,
    span: Span,
    /// The most blocks of a read.
    longest: u64,
    /// What is left to be read, the last first.
    left: Vec<Range<u64>>,
    /// Reads of several blocks that are in flight: what fails of them is read again.
    long_in_flight: u64,
}

impl ReadEach {
    /// The reads that are left to be made for a verification, each of which is at most `longest` long.
    pub fn new(verification: &SharedVerification, longest: ByteCount) -> ReadEach {
        let ranges = unread(&verification.get().ledger);
        ReadEach::of_ranges(verification, longest, ranges)
    }

    /// The same for `engines` engines, each of which reads a share of the blocks.
    pub fn shared(verification: &SharedVerification, longest: ByteCount, engines: u16) -> Vec<ReadEach> {
        let mut ranges = unread(&verification.get().ledger);
        ranges.reverse();
        let engines = engines.max(1);
        let share = ranges.iter().map(blocks).sum::<u64>().div_ceil(u64::from(engines)).max(1);
        let of = |_| ReadEach::of_ranges(verification, longest, first(&mut ranges, share));
        (0..engines).map(of).collect()
    }

    fn of_ranges(
        verification: &SharedVerification,
        longest: ByteCount,
        mut ranges: Vec<Range<u64>>,
    ) -> ReadEach {
        ranges.reverse();
        let span = *verification.get().ledger.span();
        // Between blocks that do not follow each other lies what was not written.
        let longest = if span.step() > 1 { 1 } else { (longest.get() / span.block().bytes().get()).max(1) };
        ReadEach { verification: verification.clone(), span, longest, left: ranges, long_in_flight: 0 }
    }

    /// Bytes that are left to be read.
    pub fn bytes(&self) -> ByteCount {
        let blocks: u64 = self.left.iter().map(blocks).sum();
        ByteCount::new(blocks * self.span.block().bytes().get())
    }

    /// Has each block of a read that failed be read by itself; a block whose own read failed cannot be read.
    fn take_failed(&mut self, extent: Extent) {
        let Some(first) = self.verification.get().ledger.place_of(extent.start) else { return };
        let blocks = extent.length.get() / self.span.block().get();
        if blocks <= 1 {
            self.verification.get().note_unreadable(first);
        } else {
            self.left.extend((first..first + u64::from(blocks)).rev().map(|place| place..place + 1));
        }
    }
}

fn blocks(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// The places that were written and not read back since, as ranges.
fn unread(ledger: &Ledger) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for place in ledger.unread() {
        match ranges.last_mut() {
            Some(last) if last.end == place => last.end += 1,
            _ => ranges.push(place..place + 1),
        }
    }
    ranges
}

/// Takes `share` blocks off ranges, of which the last comes first.
fn first(ranges: &mut Vec<Range<u64>>, mut share: u64) -> Vec<Range<u64>> {
    let mut taken = Vec::new();
    while share > 0
        && let Some(mut range) = ranges.pop()
    {
        let end = range.end.min(range.start + share);
        share -= end - range.start;
        taken.push(range.start..end);
        range.start = end;
        if !range.is_empty() {
            ranges.push(range);
        }
    }
    taken
}

impl Workload for ReadEach {
    fn next_ask(&mut self) -> Next {
        let Some(range) = self.left.last_mut() else {
            return if self.long_in_flight == 0 { Next::End } else { Next::AfterAnswer };
        };
        let (place, blocks) = (range.start, blocks(range).min(self.longest));
        range.start += blocks;
        if range.is_empty() {
            self.left.pop();
        }
        self.long_in_flight += u64::from(blocks > 1);
        let sectors = u32::try_from(blocks).unwrap_or(u32::MAX).saturating_mul(self.span.block().get());
        let extent = Extent { start: self.span.sector_of(place), length: SectorCount::new(sectors) };
        Next::Ask(Ask { due: None, op: Op::Read, extent })
    }

    fn answered(&mut self, completions: &[Completion], _started_at: Instant) {
        for completion in completions {
            self.long_in_flight -= u64::from(completion.extent.length > self.span.block());
            if !completion.status.is_ok() {
                self.take_failed(completion.extent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{PhaseId, QueueId, Sector, Status};
    use drivelab_workload::verify::Verification;

    use super::*;

    fn completion(place: u64, blocks: u32, op: Op, is_ok: bool) -> Completion {
        let at = Instant::from_nanos(1);
        Completion {
            intended_at: at,
            submitted_at: at,
            issued_at: None,
            completed_at: at,
            extent: Extent { start: Sector::new(place * 8), length: SectorCount::new(8 * blocks) },
            op,
            status: if is_ok { Status::OK } else { Status::errno(5) },
            queue: QueueId(0),
            phase: PhaseId(0),
        }
    }

    /// A hundred blocks of 4 KiB, of which these were written.
    fn written(places: impl Iterator<Item = u64>) -> SharedVerification {
        let span =
            Span::new(Sector::new(0), ByteCount::new(100 * 4096), SectorCount::new(8)).expect("blocks");
        let mut ledger = Ledger::of_places(span);
        places.for_each(|place| ledger.note(&[completion(place, 1, Op::Write, true)]));
        SharedVerification::new(Verification::new(ledger))
    }

    /// The reads, as the first block and the number of blocks, until nothing more is asked for before an answer.
    fn asked(reads: &mut ReadEach) -> Vec<(u64, u32)> {
        let asks = std::iter::from_fn(|| reads.next_ask().ask());
        asks.map(|ask| (ask.extent.start.get() / 8, ask.extent.length.get() / 8)).collect()
    }

    #[test]
    fn neighbours_are_read_together_and_each_block_once() {
        let verification = written((0..40).chain([50, 51, 99]));
        let mut reads = ReadEach::new(&verification, ByteCount::new(16 * 4096));
        assert_eq!(reads.bytes(), ByteCount::new(43 * 4096));
        assert_eq!(asked(&mut reads), [(0, 16), (16, 16), (32, 8), (50, 2), (99, 1)]);
        for engines in [1, 2, 3, 7, 50] {
            let mut each = ReadEach::shared(&verification, ByteCount::new(4 * 4096), engines);
            assert_eq!(each.len(), usize::from(engines));
            let read =
                each.iter_mut().flat_map(asked).flat_map(|(place, blocks)| place..place + u64::from(blocks));
            let read: Vec<u64> = read.collect();
            assert_eq!(read, (0..40).chain([50, 51, 99]).collect::<Vec<u64>>(), "{engines} engines");
        }
    }

    #[test]
    fn what_lies_between_blocks_that_are_spread_is_not_read() {
        let span =
            Span::new(Sector::new(0), ByteCount::new(100 * 4096), SectorCount::new(8)).expect("blocks");
        let mut ledger = Ledger::of_places(span.thinned(50));
        [0, 2, 4, 98].into_iter().for_each(|at| ledger.note(&[completion(at, 1, Op::Write, true)]));
        let verification = SharedVerification::new(Verification::new(ledger));
        let mut reads = ReadEach::new(&verification, ByteCount::new(16 * 4096));
        assert_eq!(asked(&mut reads), [(0, 1), (2, 1), (4, 1), (98, 1)]);
    }

    #[test]
    fn the_blocks_of_a_failed_read_are_read_by_themselves() {
        let verification = written(0..6);
        let mut reads = ReadEach::new(&verification, ByteCount::new(4 * 4096));
        assert_eq!(asked(&mut reads), [(0, 4), (4, 2)]);
        assert_eq!(reads.next_ask(), Next::AfterAnswer, "one of them may fail");
        let answer = |reads: &mut ReadEach, place, blocks, is_ok| {
            reads.answered(&[completion(place, blocks, Op::Read, is_ok)], Instant::ORIGIN);
        };
        answer(&mut reads, 4, 2, true);
        answer(&mut reads, 0, 4, false);
        assert_eq!(asked(&mut reads), [(0, 1), (1, 1), (2, 1), (3, 1)]);
        [0, 1, 3].into_iter().for_each(|place| answer(&mut reads, place, 1, true));
        answer(&mut reads, 2, 1, false);
        assert_eq!(reads.next_ask(), Next::End);
        assert_eq!(verification.get().unreadable, 1);
    }

    #[test]
    fn a_read_is_long_within_memory_and_holds_whole_blocks() {
        let of = |block: u64, depth| longest_read(ByteCount::new(block), depth).get();
        assert_eq!(
            [of(4096, 32), of(12_288, 32), of(3 << 20, 1), of(512, 8)],
            [131_072, 122_880, 3 << 20, 512]
        );
        assert_eq!((of(4096, 1_024), of(4096, 32_768)), (65_536, 4096));
    }
}
