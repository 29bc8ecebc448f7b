//! The I/Os of a load that verifies what it writes: random writes, and the reads and flushes among them.

use std::collections::VecDeque;

use drivelab_block::{Completion, Extent, Instant, Op};
use drivelab_workload::verify::{Ledger, SharedVerification};
use drivelab_workload::{Ask, Draw, Next, Schedule, Seed, Span, Workload};

/// Random writes of which no two to the same block are in flight at once: after two of them the block might hold either.
///
/// A block is drawn until one is found of which nothing is in flight. All blocks of the part are as likely, but for those.
#[derive(Debug)]
pub struct VerifiedWrites {
    verification: SharedVerification,
    asks: Asks,
}

/// How the writes are made, and what is done among them.
#[derive(Debug)]
pub(super) struct WriteManner {
    /// When writes are due in an open loop; none in a closed one. Reads and flushes have no place of their own in it.
    pub schedule: Option<Schedule>,
    /// The most I/Os in flight.
    pub depth: u32,
    /// After how many writes there is a flush; none where there is none.
    pub flush_every: Option<u32>,
    /// Whether a read follows each write, of the block that was written half as many writes ago as there are blocks.
    pub reads_behind: bool,
}

/// What is asked next, as far as what is in flight allows it.
#[derive(Debug)]
struct Asks {
    /// The blocks of the range, and of them the first that is written and their number.
    span: Span,
    first: u64,
    blocks: u64,
    draw: Draw,
    manner: WriteManner,
    /// I/Os that were asked for and not answered.
    in_flight: u64,
    written_since_flush: u32,
    behind: Option<ReadsBehind>,
}

/// Reads of blocks that were written a while ago.
#[derive(Debug)]
struct ReadsBehind {
    /// How many writes lie between that of a block and its read.
    lag: usize,
    /// The blocks that were written last, oldest first.
    written: VecDeque<u32>,
    /// Whether a write was asked for since the last read.
    is_due: bool,
}

impl VerifiedWrites {
    /// Writes to the blocks of `part`, which is a part of the range that is verified.
    pub(super) fn new(
        verification: &SharedVerification,
        part: Span,
        seed: Seed,
        manner: WriteManner,
    ) -> VerifiedWrites {
        let (span, first) = {
            let verification = verification.get();
            let ledger = &verification.ledger;
            (*ledger.span(), ledger.place_of(part.start()).unwrap_or(0))
        };
        let lag = usize::try_from(part.blocks() / 2).unwrap_or(usize::MAX);
        let behind = || ReadsBehind { lag, written: VecDeque::with_capacity(lag + 2), is_due: false };
        let asks = Asks {
            span,
            first,
            blocks: part.blocks(),
            draw: seed.child("addresses").draw(),
            in_flight: 0,
            written_since_flush: 0,
            behind: manner.reads_behind.then(behind),
            manner,
        };
        VerifiedWrites { verification: verification.clone(), asks }
    }
}

impl Asks {
    fn flush(&mut self) -> Option<Next> {
        self.manner.flush_every.filter(|every| self.written_since_flush >= *every)?;
        self.written_since_flush = 0;
        self.in_flight += 1;
        Some(Next::Ask(Ask { due: None, op: Op::Flush, extent: Extent::default() }))
    }

    /// The read that follows a write; none where the writing is not far enough ahead, or the block is written again, and
    /// read after that.
    fn read(&mut self, ledger: &mut Ledger) -> Option<Next> {
        let behind = self.behind.as_mut().filter(|behind| behind.is_due)?;
        behind.is_due = false;
        if behind.written.len() <= behind.lag {
            return None;
        }
        let place = u64::from(behind.written.pop_front()?);
        if ledger.is_busy(place) || !ledger.is_unread(place) {
            return None;
        }
        ledger.begin(place, Op::Read);
        self.in_flight += 1;
        Some(Next::Ask(Ask { due: None, op: Op::Read, extent: extent(&self.span, place) }))
    }

    fn write(&mut self, ledger: &mut Ledger) -> Next {
        let due = match &mut self.manner.schedule {
            None => None,
            Some(schedule) => match schedule.next() {
                None => return Next::End,
                due => due,
            },
        };
        // There are at least four blocks for each I/O in flight.
        let place = loop {
            let place = self.first + self.draw.below(self.blocks);
            if !ledger.is_busy(place) {
                break place;
            }
        };
        // More than fit were asked for: the load has ended, and those that were due and never sent are counted.
        if self.in_flight <= u64::from(self.manner.depth) {
            ledger.begin(place, Op::Write);
            self.in_flight += 1;
            self.written_since_flush += 1;
            if let (Some(behind), Ok(place)) = (&mut self.behind, u32::try_from(place)) {
                behind.is_due = true;
                behind.written.push_back(place);
            }
        }
        Next::Ask(Ask { due, op: Op::Write, extent: extent(&self.span, place) })
    }
}

fn extent(span: &Span, place: u64) -> Extent {
    Extent { start: span.sector_of(place), length: span.block() }
}

impl Workload for VerifiedWrites {
    fn next_ask(&mut self) -> Next {
        if let Some(flush) = self.asks.flush() {
            return flush;
        }
        let mut verification = self.verification.get();
        let ledger = &mut verification.ledger;
        let read = self.asks.read(ledger);
        read.unwrap_or_else(|| self.asks.write(ledger))
    }

    fn answered(&mut self, completions: &[Completion], _: Instant) {
        if !completions.is_empty() {
            self.asks.in_flight = self.asks.in_flight.saturating_sub(completions.len() as u64);
            self.verification.get().ledger.note(completions);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use drivelab_block::{ByteCount, PhaseId, QueueId, Sector, SectorCount, Status};
    use drivelab_workload::verify::Verification;

    use super::*;

    const DEPTH: usize = 8;
    const BLOCKS: u64 = 4 * DEPTH as u64;

    fn verification() -> SharedVerification {
        let span = Span::new(Sector::new(64), ByteCount::new(BLOCKS * 4096), SectorCount::new(8));
        SharedVerification::new(Verification::new(Ledger::of_places(span.expect("blocks"))))
    }

    fn writes(
        verification: &SharedVerification,
        flush_every: Option<u32>,
        reads_behind: bool,
    ) -> VerifiedWrites {
        let span = *verification.get().ledger.span();
        let manner = WriteManner { schedule: None, depth: 8, flush_every, reads_behind };
        VerifiedWrites::new(verification, span, Seed::new(1), manner)
    }

    fn completion(ask: Ask) -> Completion {
        let at = Instant::ORIGIN;
        Completion {
            intended_at: at,
            submitted_at: at,
            issued_at: None,
            completed_at: at,
            extent: ask.extent,
            op: ask.op,
            status: Status::OK,
            queue: QueueId(0),
            phase: PhaseId(0),
        }
    }

    /// Keeps as many in flight as there may be, and answers them in a random order; what was asked for.
    fn carry_out(writes: &mut VerifiedWrites, count: usize) -> Vec<Ask> {
        let (mut in_flight, mut asked) = (Vec::<Ask>::new(), Vec::new());
        let mut draw = Seed::new(2).draw();
        while asked.len() < count {
            let ask = writes.next_ask().ask().expect("they never end");
            let is_block = |other: &&Ask| other.op != Op::Flush;
            let busy: HashSet<Extent> = in_flight.iter().filter(is_block).map(|other| other.extent).collect();
            assert!(ask.op == Op::Flush || !busy.contains(&ask.extent), "two in flight at one block");
            asked.push(ask);
            in_flight.push(ask);
            while in_flight.len() == DEPTH || (!in_flight.is_empty() && draw.below(3) == 0) {
                let answered = usize::try_from(draw.below(in_flight.len() as u64)).expect("small");
                writes.answered(&[completion(in_flight.swap_remove(answered))], Instant::ORIGIN);
            }
        }
        asked
    }

    #[test]
    fn no_two_ios_of_a_block_are_in_flight_and_every_block_is_written() {
        let verification = verification();
        let asked = carry_out(&mut writes(&verification, None, false), 10_000);
        let mut counts = std::collections::BTreeMap::<Extent, u64>::new();
        asked.iter().for_each(|ask| *counts.entry(ask.extent).or_default() += 1);
        assert_eq!(counts.len() as u64, BLOCKS);
        // Six standard deviations of a block's share.
        let mean = 10_000.0 / BLOCKS as f64;
        assert!(counts.values().all(|count| (*count as f64 - mean).abs() < 6.0 * mean.sqrt()), "{counts:?}");
    }

    #[test]
    fn a_flush_follows_its_number_of_writes() {
        let asked = carry_out(&mut writes(&verification(), Some(10), false), 1_100);
        for (place, ask) in asked.iter().enumerate() {
            assert_eq!(ask.op == Op::Flush, place % 11 == 10, "{place}");
        }
    }

    #[test]
    fn what_was_written_is_read_half_a_range_of_writes_later() {
        let asked = carry_out(&mut writes(&verification(), None, true), 5_000);
        let mut written = Vec::new();
        let mut reads = 0;
        for ask in asked {
            if ask.op == Op::Write {
                written.push(ask.extent);
                continue;
            }
            reads += 1;
            let lag = usize::try_from(BLOCKS / 2).expect("small");
            assert_eq!(written.iter().rev().nth(lag), Some(&ask.extent), "the block that was written then");
        }
        assert!(reads > 1_000, "{reads}");
    }

    /// As when a load has ended, and those that were due and never sent are counted.
    #[test]
    fn what_is_never_sent_takes_no_block() {
        let verification = verification();
        let mut writes = writes(&verification, None, false);
        (0..10_000).for_each(|_| assert!(writes.next_ask().ask().is_some()));
        let busy = (0..BLOCKS).filter(|place| verification.get().ledger.is_busy(*place)).count();
        assert_eq!(busy, DEPTH + 1);
    }
}
