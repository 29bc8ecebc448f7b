//! Where every mapping unit is, which unit every place holds, and which places are current.

use super::memory::{prefetch, zeros};

/// A mapping unit of the host's addresses: 4 KiB number so and so.
pub(crate) type Unit = u32;
/// A place in flash that holds one mapping unit: block x units a block + offset.
pub(crate) type FlashPlace = u32;
/// The tag that stands for the contents of one mapping unit: the number of the write that made them.
pub type Tag = u64;

/// No place. Entries are one more than the place, so that a fresh map is all zeros and costs no memory
/// before it is touched.
const UNMAPPED: u32 = 0;
/// Entries of either map that share a line of the processor's cache.
pub(super) const LINE_ENTRIES: u32 = 16;

/// The two maps, and a bit a place that says whether the place is current.
#[derive(Debug)]
pub(super) struct UnitMap {
    to_place: Vec<u32>,
    to_unit: Vec<u32>,
    /// A bit for each place, 64 a word.
    pub(super) valid: Vec<u64>,
    /// How many units are mapped.
    pub(super) mapped: u64,
}

impl UnitMap {
    pub(super) fn new(units: usize, places: usize) -> UnitMap {
        UnitMap {
            to_place: zeros(units),
            to_unit: zeros(places),
            valid: zeros(places.div_ceil(64)),
            mapped: 0,
        }
    }

    #[inline]
    pub(super) fn place_of(&self, unit: Unit) -> Option<FlashPlace> {
        self.to_place[unit as usize].checked_sub(1)
    }

    /// What the place holds, or held last.
    #[inline]
    pub(super) fn unit_at(&self, place: FlashPlace) -> Unit {
        self.to_unit[place as usize]
    }

    #[inline]
    pub(super) fn is_valid(&self, place: FlashPlace) -> bool {
        self.valid[place as usize / 64] >> (place % 64) & 1 == 1
    }

    pub(super) fn units(&self) -> usize {
        self.to_place.len()
    }

    pub(super) fn places(&self) -> usize {
        self.to_unit.len()
    }

    /// Marks `count` places, at most 64, from `place` on as holding the units from `unit` on; [`UnitMap::point`]
    /// makes the units point there.
    #[inline]
    pub(super) fn occupy(&mut self, place: FlashPlace, unit: Unit, count: u32) {
        let first = place as usize;
        for (offset, entry) in (0..count).zip(&mut self.to_unit[first..first + count as usize]) {
            *entry = unit + offset;
        }
        self.occupy_run(place, count);
    }

    /// Marks a place as holding nothing current.
    #[inline]
    pub(super) fn vacate(&mut self, place: FlashPlace) {
        self.valid[place as usize / 64] &= !(1 << (place % 64));
    }

    /// Points the unit to its new place; returns the old one, which is still marked as occupied.
    #[inline]
    pub(super) fn point(&mut self, unit: Unit, place: FlashPlace) -> Option<FlashPlace> {
        let old = std::mem::replace(&mut self.to_place[unit as usize], place + 1);
        self.mapped += u64::from(old == UNMAPPED);
        old.checked_sub(1)
    }

    /// Forgets the unit; returns its place, which is still marked as occupied.
    #[inline]
    pub(super) fn forget(&mut self, unit: Unit) -> Option<FlashPlace> {
        let old = std::mem::replace(&mut self.to_place[unit as usize], UNMAPPED);
        self.mapped -= u64::from(old != UNMAPPED);
        old.checked_sub(1)
    }

    pub(super) fn clear(&mut self) {
        if self.mapped > 0 {
            self.to_place.fill(UNMAPPED);
            self.valid.fill(0);
            self.mapped = 0;
        }
    }

    /// Moves the units at the places that `bits` names within `word` to the places from `to` on, and frees
    /// the first. For each of them it asks for the map entry of the next unit that `ahead` comes to.
    #[inline]
    pub(super) fn relocate(&mut self, word: usize, bits: u64, to: FlashPlace, ahead: &mut Ahead) {
        let count = bits.count_ones();
        let first = (word * 64) as u32;
        self.valid[word] &= !bits;
        self.occupy_run(to, count);
        let mut left = bits;
        for target in to..to + count {
            let from = first + left.trailing_zeros();
            left &= left - 1;
            self.ask(ahead);
            let unit = self.to_unit[from as usize];
            self.to_unit[target as usize] = unit;
            self.to_place[unit as usize] = target + 1;
        }
    }

    /// Marks `count` places, at most 64, from `first` on as current.
    #[inline]
    fn occupy_run(&mut self, first: FlashPlace, count: u32) {
        let bits = (!0u64) >> (64 - count);
        let (word, shift) = (first as usize / 64, first % 64);
        self.valid[word] |= bits << shift;
        if shift + count > 64 {
            self.valid[word + 1] |= bits >> (64 - shift);
        }
    }

    #[inline]
    pub(super) fn prefetch_unit(&self, unit: Unit) {
        prefetch(&self.to_place, unit as usize);
    }

    #[inline]
    pub(super) fn prefetch_validity(&self, place: FlashPlace) {
        prefetch(&self.valid, place as usize / 64);
    }

    #[inline]
    pub(super) fn prefetch_place(&self, place: FlashPlace) {
        prefetch(&self.to_unit, place as usize);
    }

    /// Asks for the map entry of the next unit of a block that is being emptied, if there is one.
    #[inline]
    pub(super) fn ask(&self, ahead: &mut Ahead) {
        while ahead.left == 0 {
            if ahead.word >= ahead.end {
                return;
            }
            ahead.left = self.valid[ahead.word as usize];
            ahead.word += 1;
            // What the next word's places hold, by the time that they are asked for.
            for line in 0..64 / LINE_ENTRIES {
                self.prefetch_place(ahead.word * 64 + line * LINE_ENTRIES);
            }
        }
        let place = (ahead.word - 1) * 64 + ahead.left.trailing_zeros();
        ahead.left &= ahead.left - 1;
        prefetch(&self.to_place, self.to_unit[place as usize] as usize);
    }
}

/// How far the map entries of a block that is being emptied were asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// The next word of validity bits.
    word: u32,
    end: u32,
    /// The bits of the word before it that were not come to.
    left: u64,
}

impl Ahead {
    /// Of the block with the places from `first` to `end`: nothing was asked for.
    pub(super) fn new(first: FlashPlace, end: FlashPlace) -> Ahead {
        Ahead { word: first / 64, end: end.div_ceil(64), left: 0 }
    }
}
