//! Where every mapping unit is, which unit every place holds, and which places are current.

use super::prefetch::prefetch;

/// A mapping unit of the host's addresses: 4 KiB number so and so.
pub(crate) type Unit = u32;
/// A place in flash that holds one mapping unit: block x units a block + offset.
pub(crate) type Place = u32;

/// No place. Entries are one more than the place, so that a fresh map is all zeros and costs no memory
/// before it is touched.
const UNMAPPED: u32 = 0;

/// The two maps, and a bit a place that says whether the place is current.
#[derive(Debug)]
pub(super) struct Map {
    to_place: Vec<u32>,
    to_unit: Vec<u32>,
    valid: Vec<u64>,
    mapped: u64,
}

impl Map {
    pub(super) fn new(units: usize, places: usize) -> Map {
        let valid = vec![0; places.div_ceil(64)];
        Map { to_place: vec![UNMAPPED; units], to_unit: vec![0; places], valid, mapped: 0 }
    }

    /// Where the unit is.
    #[inline]
    pub(super) fn place_of(&self, unit: Unit) -> Option<Place> {
        self.to_place[unit as usize].checked_sub(1)
    }

    /// What the place holds, or held last.
    #[inline]
    pub(super) fn unit_at(&self, place: Place) -> Unit {
        self.to_unit[place as usize]
    }

    #[inline]
    pub(super) fn is_valid(&self, place: Place) -> bool {
        self.valid[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// How many units are mapped.
    pub(super) fn mapped(&self) -> u64 {
        self.mapped
    }

    pub(super) fn units(&self) -> usize {
        self.to_place.len()
    }

    pub(super) fn places(&self) -> usize {
        self.to_unit.len()
    }

    /// Marks a place as holding a unit; [`Map::point`] makes the unit point there.
    #[inline]
    pub(super) fn occupy(&mut self, place: Place, unit: Unit) {
        self.to_unit[place as usize] = unit;
        self.valid[place as usize / 64] |= 1 << (place % 64);
    }

    /// Marks a place as holding nothing current.
    #[inline]
    pub(super) fn vacate(&mut self, place: Place) {
        self.valid[place as usize / 64] &= !(1 << (place % 64));
    }

    /// Points the unit to its new place; returns the old one, which is still marked as occupied.
    #[inline]
    pub(super) fn point(&mut self, unit: Unit, place: Place) -> Option<Place> {
        let old = std::mem::replace(&mut self.to_place[unit as usize], place + 1);
        self.mapped += u64::from(old == UNMAPPED);
        old.checked_sub(1)
    }

    /// Forgets the unit; returns its place, which is still marked as occupied.
    #[inline]
    pub(super) fn forget(&mut self, unit: Unit) -> Option<Place> {
        let old = std::mem::replace(&mut self.to_place[unit as usize], UNMAPPED);
        self.mapped -= u64::from(old != UNMAPPED);
        old.checked_sub(1)
    }

    /// Forgets every unit.
    pub(super) fn clear(&mut self) {
        if self.mapped > 0 {
            self.to_place.fill(UNMAPPED);
            self.valid.fill(0);
            self.mapped = 0;
        }
    }

    /// Moves a unit from a current place to another, and frees the first.
    #[inline]
    pub(super) fn relocate(&mut self, from: Place, to: Place) {
        let unit = self.unit_at(from);
        self.vacate(from);
        self.occupy(to, unit);
        self.to_place[unit as usize] = to + 1;
    }

    /// The first current place from `place` on, below `end`.
    #[inline]
    pub(super) fn next_valid(&self, place: Place, end: Place) -> Option<Place> {
        if place >= end {
            return None;
        }
        let mut word = place as usize / 64;
        let mut bits = self.valid[word] & (!0 << (place % 64));
        while bits == 0 {
            word += 1;
            if word * 64 >= end as usize {
                return None;
            }
            bits = self.valid[word];
        }
        let found = (word * 64) as u32 + bits.trailing_zeros();
        (found < end).then_some(found)
    }

    #[inline]
    pub(super) fn prefetch_unit(&self, unit: Unit) {
        prefetch(&self.to_place, unit as usize);
    }

    #[inline]
    pub(super) fn prefetch_validity(&self, place: Place) {
        prefetch(&self.valid, place as usize / 64);
    }

    #[inline]
    pub(super) fn prefetch_place(&self, place: Place) {
        prefetch(&self.to_unit, place as usize);
    }

    /// Asks for the map entry of the unit that is, or was, at `place`.
    #[inline]
    pub(super) fn prefetch_unit_at(&self, place: Place) {
        if let Some(&unit) = self.to_unit.get(place as usize) {
            prefetch(&self.to_place, unit as usize);
        }
    }
}
