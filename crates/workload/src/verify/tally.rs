//! What a verification found.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use drivelab_block::{ByteCount, Instant, Sector};

use crate::verify::spread::FaultSpread;
use crate::verify::{ExpectedSector, Fault, Ledger, Piece, judge, judge_flushed};

/// The most faults that are kept one by one; all are counted.
const REPORTS_MAX: usize = 1_000;

/// A fault, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// What is wrong.
    pub fault: Fault,
    /// The first sector of the block.
    pub block: Sector,
    /// The first sector that is not as it should be.
    pub sector: Sector,
    /// The first byte of the target that is not as it should be, as far as that is known; else the first one of the sector.
    pub byte: u64,
    /// The write that should be there: after a power cut the last one that was flushed, where it is older than that.
    pub expected: ExpectedSector,
    /// What the first wrong piece is instead.
    pub found: Piece,
}

/// What of a stream was read back, and what was wrong with it.
#[derive(Clone, Debug)]
pub struct Verification {
    /// What was acknowledged.
    pub ledger: Ledger,
    /// Blocks that were read back and judged.
    pub blocks: u64,
    /// Blocks that were read and could not be judged, since nothing is known of what they should hold.
    pub not_judged: u64,
    /// Blocks whose read failed, each alone.
    pub unreadable: u64,
    faults: BTreeMap<Fault, u64>,
    /// The first thousand faults.
    pub reports: Vec<FaultReport>,
    spread: FaultSpread,
    /// When the latest sector of this run was made that was found, on the run's clock; none where none was found.
    pub latest: Option<Instant>,
    /// Whether what is read is not judged at the moment, as it is no part of what is verified.
    pub is_paused: bool,
}

impl Verification {
    /// Nothing read yet, of a stream that keeps this ledger.
    pub fn new(ledger: Ledger) -> Verification {
        Verification {
            ledger,
            blocks: 0,
            not_judged: 0,
            unreadable: 0,
            faults: BTreeMap::new(),
            reports: Vec::new(),
            spread: FaultSpread::default(),
            latest: None,
            is_paused: false,
        }
    }

    /// Judges the block at `place` from its pieces, each of which is `sectors` long. A fault is counted, and kept where it is one
    /// of the first.
    pub fn block(&mut self, place: u64, sectors: u64, pieces: &[Piece]) {
        let block = self.ledger.span().sector_of(place);
        self.ledger.note_read(place);
        let expected = self.ledger.expected(place);
        if let ExpectedSector::Nothing | ExpectedSector::Unknown = expected {
            self.not_judged += 1;
            return;
        }
        self.blocks += 1;
        let pieces_of = || pieces.iter().copied();
        let flushed = self.ledger.flushed(place);
        let judged = match flushed {
            Some(flushed) => judge_flushed(expected, flushed, pieces_of()),
            None => judge(expected, pieces_of()),
        };
        let Some((fault, piece)) = judged else { return self.spread.well(block) };
        let sector = Sector::new(block.get() + piece as u64 * sectors);
        let found = pieces.get(piece).copied().unwrap_or(Piece::Nothing);
        if fault != Fault::Unflushed {
            self.spread.faulty(block, sector, found);
        }
        *self.faults.entry(fault).or_default() += 1;
        if self.reports.len() >= REPORTS_MAX {
            return;
        }
        let within = if let Piece::Flipped(byte) = found { byte } else { 0 };
        let byte = sector.byte_offset() + within;
        let flushed =
            flushed.filter(|flushed| fault != Fault::Unflushed && *flushed != ExpectedSector::Nothing);
        let expected = flushed.unwrap_or(expected);
        self.reports.push(FaultReport { fault, block, sector, byte, expected, found });
    }

    /// Notes that the read of the block at a place failed.
    pub fn note_unreadable(&mut self, place: u64) {
        self.unreadable += 1;
        self.ledger.note_unreadable(place);
    }

    /// Notes that a whole sector of this run was found which was made at this moment of its clock.
    pub(crate) fn note_made(&mut self, at: Instant) {
        self.latest = self.latest.max(Some(at));
    }

    /// Blocks with this fault.
    pub fn count(&self, fault: Fault) -> u64 {
        self.faults.get(&fault).copied().unwrap_or(0)
    }

    /// Blocks with any fault.
    pub fn faulty(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Blocks that are not as they were written; what a power cut may take is no fault.
    pub fn not_as_written(&self) -> u64 {
        self.faulty() - self.count(Fault::Unflushed)
    }

    /// The first sector of the lowest block that is not as it was written.
    pub fn lowest_faulty(&self) -> Option<Sector> {
        self.spread.lowest()
    }

    /// The first wrong sector of the lowest block behind all that are as they were written; none if fewer than four lie there, or
    /// if more than a tenth of the faulty ones lie below it.
    pub fn faulty_behind(&self) -> Option<Sector> {
        self.spread.edge()
    }

    /// The bytes that the drive keeps, where what is written behind them goes over what lies before them: nearly every
    /// faulty block holds what was written a multiple of them away. None where that is not shown.
    pub fn wraps_at(&self) -> Option<ByteCount> {
        let sectors = self.spread.wraps_at(self.ledger.span().block().get().into())?;
        Some(ByteCount::new(Sector::new(sectors).byte_offset()))
    }
}

/// A verification that the stream's writer and reader share.
#[derive(Clone, Debug)]
pub struct SharedVerification(Arc<Mutex<Verification>>);

impl SharedVerification {
    /// Shares a verification.
    pub fn new(verification: Verification) -> SharedVerification {
        SharedVerification(Arc::new(Mutex::new(verification)))
    }

    /// The verification itself. Whoever panicked with it left counts that are right as far as they go.
    pub fn get(&self) -> MutexGuard<'_, Verification> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use crate::Span;
    use drivelab_block::{Completion, Extent, Op, PhaseId, QueueId, SectorCount, Status};

    use super::*;

    #[test]
    fn every_fault_is_counted_and_the_first_thousand_are_kept_each_with_its_place() {
        const PLACES: u64 = 1_001;
        let span = Span::new(Sector::new(24), ByteCount::new(PLACES * 4096), SectorCount::new(8));
        let mut verification = Verification::new(Ledger::new(span.expect("some blocks")));
        for place in 0..PLACES {
            let start = verification.ledger.span().sector_of(place);
            let at = Instant::ORIGIN;
            let completion = Completion {
                intended_at: at,
                submitted_at: at,
                issued_at: None,
                completed_at: at,
                extent: Extent { start, length: SectorCount::new(8) },
                op: Op::Write,
                status: Status::OK,
                queue: QueueId(0),
                phase: PhaseId(0),
            };
            verification.ledger.note(&[completion]);
            verification.block(place, 4, &[Piece::Write(place), Piece::Nothing]);
        }
        assert_eq!((verification.faulty(), verification.count(Fault::Torn)), (PLACES, PLACES));
        assert_eq!(verification.reports.len(), 1_000);
        let last = verification.reports[999];
        assert_eq!((last.block.get(), last.sector.get()), (24 + 999 * 8, 24 + 999 * 8 + 4));
        assert_eq!((last.expected, last.found), (ExpectedSector::Write(999), Piece::Nothing));
    }
}
