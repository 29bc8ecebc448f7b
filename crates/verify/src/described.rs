//! The payload of a cyclic stream: made for every write, looked at after every read.

use drivelab_block::{Instant, Payload, Request};

use crate::sector::{SECTOR, Said, SectorMaker, SectorState};
use crate::{ExpectedSector, Ledger, Piece, RunId, SharedVerification};

/// Self-describing blocks for one stream.
pub struct Described<C> {
    maker: SectorMaker,
    verification: SharedVerification,
    clock: C,
    /// The places of the stream.
    places: u64,
    /// The number of the next write.
    number: u64,
    pieces: Vec<Piece>,
}

impl<C: FnMut() -> Instant + Send> Described<C> {
    /// The blocks of the run `run`; `clock` tells when a block is made.
    pub fn new(run: RunId, verification: SharedVerification, clock: C) -> Described<C> {
        let places = verification.get().ledger().span().blocks();
        Described { maker: SectorMaker::new(run), verification, clock, places, number: 0, pieces: Vec::new() }
    }
}

/// What a sector of the block at `place` has to say; `None` where that is not known.
fn wanted(ledger: &Ledger, place: u64, sector: u64) -> Option<Said> {
    match ledger.expected(place) {
        ExpectedSector::Write(number) | ExpectedSector::WriteOrLater(number) => {
            Some(Said { number, sector, at: 0, generation: generation(number, ledger.span().blocks()) })
        }
        ExpectedSector::Nothing | ExpectedSector::Unknown => None,
    }
}

/// How often a place was written before the write with this number, in a stream of so many places.
fn generation(number: u64, places: u64) -> u32 {
    u32::try_from(number / places).unwrap_or(u32::MAX)
}

fn piece(ledger: &Ledger, place: u64, sector: u64, found: SectorState) -> Piece {
    match found {
        SectorState::Whole(said)
            if said.sector != sector || said.number % ledger.span().blocks() != place =>
        {
            Piece::Elsewhere
        }
        SectorState::Whole(said) => Piece::Write(said.number),
        SectorState::OtherRun(_) => Piece::OtherRun,
        SectorState::Flipped(_) => Piece::Flipped,
        SectorState::Other => Piece::Nothing,
    }
}

impl<C: FnMut() -> Instant + Send> Payload for Described<C> {
    const LOOKS: bool = true;

    fn fill(&mut self, buffer: &mut [u8]) {
        buffer.fill(0);
    }

    fn stamp(&mut self, request: &Request, buffer: &mut [u8]) {
        let number = self.number;
        self.number += 1;
        let generation = generation(number, self.places);
        let at = (self.clock)().as_nanos();
        let first = request.extent.start.get();
        let (sectors, _) = buffer.as_chunks_mut::<SECTOR>();
        for (bytes, sector) in sectors.iter_mut().zip(first..request.extent.end().get()) {
            self.maker.make(Said { number, sector, at, generation }, bytes);
        }
    }

    fn returned(&mut self, request: &Request, buffer: &[u8]) {
        let mut verification = self.verification.get();
        let Some(place) = verification.ledger().place_of(request.extent.start) else { return };
        let (sectors, _) = buffer.as_chunks::<SECTOR>();
        self.pieces.clear();
        for (bytes, sector) in sectors.iter().zip(request.extent.start.get()..) {
            let wanted = wanted(verification.ledger(), place, sector);
            let found = self.maker.find(bytes, wanted);
            if let SectorState::Whole(said) = found {
                verification.note_made(Instant::from_nanos(said.at));
            }
            self.pieces.push(piece(verification.ledger(), place, sector, found));
        }
        verification.block(place, 1, &self.pieces);
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, Sector, SectorCount};
    use drivelab_workload::Span;

    use super::*;

    #[test]
    fn a_place_counts_the_writes_that_it_has_had() {
        assert_eq!([0, 4, 5, 9, 10, 27].map(|number| generation(number, 5)), [0, 0, 1, 1, 2, 5]);
        assert_eq!(generation(u64::MAX, 1), u32::MAX);
    }

    /// A sector whose number or whose address alone is another one's was made for another place.
    #[test]
    fn a_piece_is_in_its_place_by_number_and_by_address() {
        let span = Span::new(Sector::new(0), ByteCount::new(5 * 4096), SectorCount::new(8)).expect("a span");
        let ledger = Ledger::new(span);
        let found = |number, sector| {
            piece(&ledger, 2, 16, SectorState::Whole(Said { number, sector, at: 0, generation: 0 }))
        };
        assert_eq!(found(12, 16), Piece::Write(12));
        assert_eq!(found(11, 16), Piece::Elsewhere);
        assert_eq!(found(12, 17), Piece::Elsewhere);
    }
}
