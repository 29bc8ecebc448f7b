//! What every place has to hold, as the completions of the writes say.

use crate::Span;
use drivelab_block::{Completion, Instant, Op, Sector};

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

/// How the writes are numbered that a ledger keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    /// From 0 over all places: the write with number n goes to place n % places.
    OfStream,
    /// From 0 at each place, whatever the order of the places.
    OfPlace,
}

/// The writes that were acknowledged, by place.
///
/// Writes to one place have to be acknowledged in the order in which they were made. In a cyclic stream all other places
/// lie between them; whoever writes in another order has no two of them in flight at once ([`Ledger::begin`]).
#[derive(Clone, Debug)]
pub struct Ledger {
    span: Span,
    numbering: Numbering,
    places: Vec<LedgerPlace>,
    open_end: bool,
    /// When the last flush was submitted that was completed, and how often each place was written before; 0 also where the
    /// last of these writes failed. None where flushes do not count.
    flushed: Option<(Instant, Vec<u32>)>,
    /// Of every write, in the order in which they were begun, its place and its number there; none where that is not kept.
    begun: Option<Vec<(u32, u32)>>,
}

#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "there is one for each block of the drive, and each changes by itself"
)]
struct LedgerPlace {
    /// How often it was written, failed writes included.
    writes: u32,
    failed: bool,
    /// Whether it was read back since.
    read: bool,
    /// Whether a read of it alone has failed since.
    unreadable: bool,
    /// Whether a write or a read of it is in flight, as far as that is noted.
    busy: bool,
}

impl LedgerPlace {
    /// Whether it is known what it holds, and it was not read back.
    fn is_unread(self) -> bool {
        self.writes > 0 && !self.failed && !self.read
    }
}

impl Ledger {
    /// A cyclic stream over the blocks of `span` of which nothing is written yet.
    pub fn new(span: Span) -> Ledger {
        Ledger::numbered(span, Numbering::OfStream)
    }

    /// Writes to the blocks of `span` in any order, none of which is made yet. The writes of each place are numbered from 0.
    pub fn of_places(span: Span) -> Ledger {
        Ledger::numbered(span, Numbering::OfPlace)
    }

    fn numbered(span: Span, numbering: Numbering) -> Ledger {
        let places = usize::try_from(span.blocks()).unwrap_or(usize::MAX);
        let places = vec![LedgerPlace::default(); places];
        Ledger { span, numbering, places, open_end: false, flushed: None, begun: None }
    }

    /// Keeps of every write which place it goes to, in the order in which they are begun, 8 bytes for each: for a drive that
    /// keeps the numbers of its write commands in place of data. Of a stream that is known without it.
    pub fn keep_order(&mut self) {
        if self.numbering == Numbering::OfPlace {
            self.begun = Some(Vec::new());
        }
    }

    /// Notes a write, or a read, of a place that is about to be made: none is to be made there until it is completed.
    pub fn begin(&mut self, place: u64, op: Op) {
        let Some(known) = self.known_mut(place) else { return };
        known.busy = true;
        let writes = known.writes;
        if let (Some(begun), Op::Write) = (&mut self.begun, op) {
            begun.push((u32::try_from(place).unwrap_or(u32::MAX), writes));
        }
    }

    /// Whether a write or a read of a place is in flight.
    pub fn is_busy(&self, place: u64) -> bool {
        self.known(place).busy
    }

    /// Whether the last write of a place was acknowledged, and not read back since.
    pub fn is_unread(&self, place: u64) -> bool {
        self.known(place).is_unread()
    }

    /// The number of the write of a place that is made now; none in a stream, which counts its writes itself.
    pub(crate) fn number_at(&self, place: u64) -> Option<u64> {
        (self.numbering == Numbering::OfPlace).then(|| u64::from(self.known(place).writes))
    }

    /// How often a place was written before the write with this number.
    pub(crate) fn generation(&self, number: u64) -> u32 {
        let generation = match self.numbering {
            Numbering::OfStream => number / self.span.blocks(),
            Numbering::OfPlace => number,
        };
        u32::try_from(generation).unwrap_or(u32::MAX)
    }

    /// Whether the write with this number can be one of this place.
    pub(crate) fn is_of(&self, number: u64, place: u64) -> bool {
        match self.numbering {
            Numbering::OfStream => number % self.span.blocks() == place,
            Numbering::OfPlace => true,
        }
    }

    /// The place and the number of the write that was begun as the `nth` one, from 0; none where that is not kept.
    pub fn nth_write(&self, nth: u64) -> Option<(u64, u64)> {
        match self.numbering {
            Numbering::OfStream => Some((nth % self.span.blocks(), nth)),
            Numbering::OfPlace => {
                let begun = self.begun.as_ref()?.get(usize::try_from(nth).ok()?)?;
                Some((u64::from(begun.0), u64::from(begun.1)))
            }
        }
    }

    /// The blocks that are written.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// Takes it that later writes than those that are noted may have been made, as after a crash.
    pub fn open_end(&mut self) {
        self.open_end = true;
    }

    /// Notes what was completed; only writes and reads count.
    pub fn note(&mut self, completions: &[Completion]) {
        let moved = |completion: &&Completion| matches!(completion.op, Op::Write | Op::Read);
        for completion in completions.iter().filter(moved) {
            let Some(index) = self.index_of(completion.extent.start) else { continue };
            let Some(place) = self.places.get_mut(index) else { continue };
            place.busy = false;
            if completion.op == Op::Write {
                place.writes += 1;
                place.failed = !completion.status.is_ok();
                (place.read, place.unreadable) = (false, false);
                if let Some((_, flushed)) =
                    self.flushed.as_mut().filter(|(at, _)| completion.completed_at <= *at)
                {
                    flushed[index] = if place.failed { 0 } else { place.writes };
                }
            }
        }
    }

    fn index_of(&self, sector: Sector) -> Option<usize> {
        usize::try_from(self.place_of(sector)?).ok()
    }

    /// Tells what a power cut may take from what it may not: what was completed by `at`, when the last flush was submitted that
    /// was completed, was on the drive then. Without such a flush a power cut may take everything.
    #[must_use]
    pub fn flushed_at(self, at: Option<Instant>) -> Ledger {
        let none = vec![0; self.places.len()];
        Ledger { flushed: Some((at.unwrap_or(Instant::ORIGIN), none)), ..self }
    }

    /// The place in which a sector lies; `None` outside of the stream.
    pub fn place_of(&self, sector: Sector) -> Option<u64> {
        self.span.block_of(sector)
    }

    /// What a place has to hold.
    pub fn expected(&self, place: u64) -> ExpectedSector {
        match self.known(place) {
            LedgerPlace { writes: 0, .. } => ExpectedSector::Nothing,
            LedgerPlace { failed: true, .. } => ExpectedSector::Unknown,
            LedgerPlace { writes, .. } => {
                let number = self.number(place, writes);
                if self.open_end {
                    ExpectedSector::WriteOrLater(number)
                } else {
                    ExpectedSector::Write(number)
                }
            }
        }
    }

    /// What a place has to hold after a power cut as well: what was acknowledged before the last flush that was completed, or
    /// anything later. None where flushes do not count.
    pub fn flushed(&self, place: u64) -> Option<ExpectedSector> {
        let (_, flushed) = self.flushed.as_ref()?;
        let writes = usize::try_from(place).ok().and_then(|place| flushed.get(place)).copied()?;
        Some(match writes {
            0 => ExpectedSector::Nothing,
            writes => ExpectedSector::WriteOrLater(self.number(place, writes)),
        })
    }

    /// The number of the last one of `writes` writes of a place, at least one.
    fn number(&self, place: u64, writes: u32) -> u64 {
        match self.numbering {
            Numbering::OfStream => place + u64::from(writes - 1) * self.span.blocks(),
            Numbering::OfPlace => u64::from(writes - 1),
        }
    }

    fn known(&self, place: u64) -> LedgerPlace {
        usize::try_from(place).ok().and_then(|place| self.places.get(place)).copied().unwrap_or_default()
    }

    fn known_mut(&mut self, place: u64) -> Option<&mut LedgerPlace> {
        self.places.get_mut(usize::try_from(place).ok()?)
    }

    pub(crate) fn note_read(&mut self, place: u64) {
        if let Some(place) = self.known_mut(place) {
            place.read = true;
        }
    }

    /// Notes that a read of a place alone failed.
    pub(crate) fn note_unreadable(&mut self, place: u64) {
        if let Some(place) = self.known_mut(place) {
            place.unreadable = true;
        }
    }

    /// The places whose last write was acknowledged and not read back since, in order. What a write that failed has left is not
    /// known, and nothing to be read.
    pub fn unread(&self) -> impl Iterator<Item = u64> + '_ {
        let places = (0..).zip(&self.places);
        places.filter(|(_, place)| place.is_unread()).map(|(number, _)| number)
    }

    /// How many of these no read has failed of.
    pub fn left(&self) -> u64 {
        self.places.iter().filter(|place| place.is_unread() && !place.unreadable).count() as u64
    }

    /// How many places are not known to hold anything, as the last write failed and none was read back since.
    pub fn unknown(&self) -> u64 {
        self.places.iter().filter(|place| place.writes > 0 && place.failed && !place.read).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, Extent, PhaseId, QueueId, SectorCount, Status};

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

    fn completion(place: u64, op: Op, is_ok: bool, at: u64) -> Completion {
        let at = Instant::from_nanos(at);
        Completion {
            intended_at: at,
            submitted_at: at,
            issued_at: None,
            completed_at: at,
            extent: Extent { start: Sector::new(24 + place * 8), length: SectorCount::new(8) },
            op,
            status: if is_ok { Status::OK } else { Status::errno(5) },
            queue: QueueId(0),
            phase: PhaseId(0),
        }
    }

    fn places() -> Ledger {
        let span = Span::new(Sector::new(24), ByteCount::new(3 * 4096), SectorCount::new(8));
        Ledger::of_places(span.expect("3 blocks"))
    }

    #[test]
    fn writes_in_any_order_are_numbered_at_their_places() {
        let mut ledger = places();
        ledger.keep_order();
        for place in [1, 0, 1, 1] {
            assert!(!ledger.is_busy(place));
            ledger.begin(place, Op::Write);
            assert!(ledger.is_busy(place));
            assert_eq!(ledger.number_at(place), Some(u64::from(ledger.known(place).writes)));
            ledger.note(&[completion(place, Op::Write, true, 1)]);
        }
        assert_eq!([0, 1, 2].map(|place| ledger.expected(place)), {
            use ExpectedSector::{Nothing, Write};
            [Write(0), Write(2), Nothing]
        });
        let begun: Vec<_> = (0..5).map(|nth| ledger.nth_write(nth)).collect();
        assert_eq!(begun, [Some((1, 0)), Some((0, 0)), Some((1, 1)), Some((1, 2)), None]);
        assert_eq!(ledger.unread().collect::<Vec<_>>(), [0, 1]);
        ledger.note_read(1);
        assert_eq!(ledger.unread().collect::<Vec<_>>(), [0]);
        // A write that fails leaves the place as unknown, until the next one.
        ledger.note(&[completion(1, Op::Write, false, 1)]);
        assert_eq!(ledger.expected(1), ExpectedSector::Unknown);
        assert_eq!((ledger.unread().collect::<Vec<_>>(), ledger.unknown()), (vec![0], 1));
        ledger.note_unreadable(0);
        assert_eq!((ledger.unread().count(), ledger.left()), (1, 0), "it may be read again");
        ledger.note(&[completion(1, Op::Write, true, 1)]);
        assert_eq!(ledger.expected(1), ExpectedSector::Write(4));
    }

    #[test]
    fn a_flush_covers_what_was_completed_when_it_was_submitted() {
        let mut ledger = places().flushed_at(Some(Instant::from_nanos(20)));
        for (place, is_ok, at) in
            [(0, true, 10), (0, true, 20), (0, true, 21), (1, true, 21), (2, true, 10), (2, false, 15)]
        {
            ledger.note(&[completion(place, Op::Write, is_ok, at)]);
        }
        let flushed = [0, 1, 2].map(|place| ledger.flushed(place));
        let nothing = Some(ExpectedSector::Nothing);
        assert_eq!(flushed, [Some(ExpectedSector::WriteOrLater(1)), nothing, nothing]);
        assert_eq!(ledger.expected(0), ExpectedSector::Write(2));
        assert_eq!(places().flushed(0), None);
        assert_eq!(places().flushed_at(None).flushed(0), nothing);
    }
}
