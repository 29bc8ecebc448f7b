//! The payload of self-describing blocks: made for every write, looked at after every read.

use drivelab_block::{Instant, Payload, Request, Sector};

use crate::verify::layout::SECTOR;
use crate::verify::sector::{Said, SectorMaker, SectorState};
use crate::verify::{ExpectedSector, Ledger, Piece, RunId, SharedVerification};

/// Self-describing blocks for one run.
pub struct Described<C> {
    maker: SectorMaker,
    verification: SharedVerification,
    clock: C,
    /// The number of the next write of a stream.
    number: u64,
    pieces: Vec<Piece>,
}

impl<C: FnMut() -> Instant + Send> Described<C> {
    /// The blocks of the run `run`; `clock` tells when a block is made.
    pub fn new(run: RunId, verification: SharedVerification, clock: C) -> Described<C> {
        Described { maker: SectorMaker::new(run), verification, clock, number: 0, pieces: Vec::new() }
    }

    /// The number of the write that is made now, and how often its place was written before.
    fn next_number(&mut self, request: &Request) -> (u64, u32) {
        let verification = self.verification.get();
        let ledger = &verification.ledger;
        let place = ledger.place_of(request.extent.start);
        let number = place.and_then(|place| ledger.number_at(place)).unwrap_or_else(|| {
            let number = self.number;
            self.number += 1;
            number
        });
        (number, ledger.generation(number))
    }
}

/// What a sector of the block at `place` has to say; `None` where that is not known.
fn wanted(ledger: &Ledger, place: u64, sector: u64) -> Option<Said> {
    match ledger.expected(place) {
        ExpectedSector::Write(number) | ExpectedSector::WriteOrLater(number) => {
            Some(Said { number, sector, at: 0, generation: ledger.generation(number) })
        }
        ExpectedSector::Nothing | ExpectedSector::Unknown => None,
    }
}

fn piece(ledger: &Ledger, place: u64, sector: u64, found: SectorState) -> Piece {
    match found {
        SectorState::Whole(said) if said.sector != sector => Piece::Elsewhere(Some(Sector::new(said.sector))),
        SectorState::Whole(said) if !ledger.is_of(said.number, place) => Piece::Elsewhere(None),
        SectorState::Whole(said) => Piece::Write(said.number),
        SectorState::OtherRun(_) => Piece::OtherRun,
        SectorState::Flipped(byte) => Piece::Flipped(byte as u64),
        SectorState::Other => Piece::Nothing,
    }
}

impl<C: FnMut() -> Instant + Send> Payload for Described<C> {
    fn fill(&mut self, buffer: &mut [u8]) {
        buffer.fill(0);
    }

    fn stamp(&mut self, request: &Request, buffer: &mut [u8]) {
        let (number, generation) = self.next_number(request);
        let at = (self.clock)().as_nanos();
        let first = request.extent.start.get();
        let block = self.maker.block(number, at, generation);
        let (sectors, _) = buffer.as_chunks_mut::<SECTOR>();
        for (bytes, sector) in sectors.iter_mut().zip(first..request.extent.end().get()) {
            block.make(sector, bytes);
        }
    }

    fn looks(&self) -> bool {
        true
    }

    fn returned(&mut self, request: &Request, buffer: &[u8]) {
        let mut verification = self.verification.get();
        if verification.is_paused {
            return;
        }
        let (sectors, _) = buffer.as_chunks::<SECTOR>();
        let of_block = usize::try_from(verification.ledger.span().block().get()).unwrap_or(1);
        let mut first = request.extent.start.get();
        for block in sectors.chunks(of_block) {
            let Some(place) = verification.ledger.place_of(Sector::new(first)) else { return };
            self.pieces.clear();
            for (bytes, sector) in block.iter().zip(first..) {
                let wanted = wanted(&verification.ledger, place, sector);
                let found = self.maker.find(bytes, wanted);
                if let SectorState::Whole(said) = found {
                    verification.note_made(Instant::from_nanos(said.at));
                }
                self.pieces.push(piece(&verification.ledger, place, sector, found));
            }
            verification.block(place, 1, &self.pieces);
            first += block.len() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Span;
    use drivelab_block::{ByteCount, SectorCount};

    use super::*;

    /// A sector whose number or whose address alone is another one's was made for another place.
    #[test]
    fn a_piece_is_in_its_place_by_number_and_by_address() {
        let span = Span::new(Sector::new(0), ByteCount::new(5 * 4096), SectorCount::new(8)).expect("a span");
        let ledger = Ledger::new(span);
        let found = |number, sector| {
            piece(&ledger, 2, 16, SectorState::Whole(Said { number, sector, at: 0, generation: 0 }))
        };
        assert_eq!(found(12, 16), Piece::Write(12));
        assert_eq!(found(11, 16), Piece::Elsewhere(None));
        assert_eq!(found(12, 17), Piece::Elsewhere(Some(Sector::new(17))));
    }
}
