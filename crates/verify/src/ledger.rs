//! What every place of a cyclic stream has to hold, as its completions say.

use drivelab_block::{Completion, Op, Sector};
use drivelab_workload::Span;

/// What a place has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedSector {
    /// It was never written.
    Nothing,
    /// The write with this number.
    Write(u64),
    /// The write with this number or a later one: the records end while writes were in flight.
    WriteOrLater(u64),
    /// Not known: the last write to it failed, and may have left anything.
    Unknown,
}

/// The writes of a cyclic stream that were acknowledged, by place.
///
/// The stream's writes are numbered from 0 and go to place `number % places`. Writes to one place are acknowledged in
/// the order in which they were made, since all other places lie between them.
#[derive(Clone, Debug)]
pub struct Ledger {
    span: Span,
    places: Vec<Place>,
    open_end: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// How often it was written, failed writes included.
    writes: u32,
    failed: bool,
    /// Whether it was read back since.
    read: bool,
}

impl Ledger {
    /// A stream over the blocks of `span` of which nothing is written yet.
    pub fn new(span: Span) -> Ledger {
        let places = usize::try_from(span.blocks()).unwrap_or(usize::MAX);
        Ledger { span, places: vec![Place::default(); places], open_end: false }
    }

    /// The blocks of the stream.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// Takes it that later writes than those that are noted may have been made, as after a crash.
    pub fn open_end(&mut self) {
        self.open_end = true;
    }

    /// Notes what was completed; only writes count.
    pub fn note(&mut self, completions: &[Completion]) {
        for completion in completions.iter().filter(|completion| completion.op == Op::Write) {
            let Some(place) = self.place_of(completion.extent.start) else { continue };
            if let Some(place) = usize::try_from(place).ok().and_then(|place| self.places.get_mut(place)) {
                place.writes += 1;
                place.failed = !completion.status.is_ok();
                place.read = false;
            }
        }
    }

    /// The place in which a sector lies; `None` outside of the stream.
    pub fn place_of(&self, sector: Sector) -> Option<u64> {
        let offset = sector.get().checked_sub(self.span.start().get())?;
        Some(offset / u64::from(self.span.block().get())).filter(|place| *place < self.span.blocks())
    }

    /// What a place has to hold.
    pub fn expected(&self, place: u64) -> ExpectedSector {
        let known = usize::try_from(place).ok().and_then(|place| self.places.get(place));
        match known.copied().unwrap_or_default() {
            Place { writes: 0, .. } => ExpectedSector::Nothing,
            Place { failed: true, .. } => ExpectedSector::Unknown,
            Place { writes, .. } => {
                let number = place + u64::from(writes - 1) * self.span.blocks();
                if self.open_end {
                    ExpectedSector::WriteOrLater(number)
                } else {
                    ExpectedSector::Write(number)
                }
            }
        }
    }

    /// Notes that a place was read back.
    pub(crate) fn note_read(&mut self, place: u64) {
        if let Some(place) = usize::try_from(place).ok().and_then(|place| self.places.get_mut(place)) {
            place.read = true;
        }
    }

    /// The places that were written and not read back since, in order.
    pub fn unread(&self) -> impl Iterator<Item = u64> + '_ {
        let places = (0..).zip(&self.places);
        places.filter(|(_, place)| place.writes > 0 && !place.read).map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, SectorCount};

    use super::*;

    #[test]
    fn what_lies_beside_the_stream_is_none_of_its_places() {
        let span =
            Span::new(Sector::new(24), ByteCount::new(3 * 4096), SectorCount::new(8)).expect("3 blocks");
        let ledger = Ledger::new(span);
        for (sector, place) in [
            (0, None),
            (23, None),
            (24, Some(0)),
            (31, Some(0)),
            (32, Some(1)),
            (47, Some(2)),
            (48, None),
            (90, None),
        ] {
            assert_eq!(ledger.place_of(Sector::new(sector)), place, "sector {sector}");
        }
    }
}
