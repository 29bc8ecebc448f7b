//! Where I/Os failed.

use std::collections::BTreeMap;

use drivelab_block::{Extent, Op, Sector, Status};

/// Places that are kept; of a drive that fails everything, the addresses of all say no more than the count.
const PLACES_MAX: usize = 100;

/// The places of failed I/Os with the lowest addresses, and how many I/Os failed elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedIos {
    counts: BTreeMap<(Extent, Op, Status), u64>,
    elsewhere: u64,
}

/// I/Os of one kind that failed at one place with one status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedPlace {
    /// What was asked for.
    pub op: Op,
    /// Where.
    pub extent: Extent,
    /// How it failed.
    pub status: Status,
    /// How often.
    pub count: u64,
}

impl FailedIos {
    // What is given up has a higher address than all that is kept, so that the order in which they come does not matter.
    pub(crate) fn add(&mut self, extent: Extent, op: Op, status: Status) {
        *self.counts.entry((extent, op, status)).or_default() += 1;
        if self.counts.len() > PLACES_MAX {
            self.elsewhere += self.counts.pop_last().map_or(0, |(_, count)| count);
        }
    }

    /// How many I/Os of a kind failed below an address; none where that is not known, since the places that are kept are all
    /// below it.
    pub(crate) fn below(&self, op: Op, address: Sector) -> Option<u64> {
        let is_cut = self.elsewhere > 0;
        if is_cut && self.counts.last_key_value().is_some_and(|((extent, ..), _)| extent.start < address) {
            return None;
        }
        let places = self.places().filter(|place| place.op == op && place.extent.start < address);
        Some(places.map(|place| place.count).sum())
    }

    /// The places, in the order of their addresses.
    pub fn places(&self) -> impl Iterator<Item = FailedPlace> + '_ {
        let counts = self.counts.iter();
        counts.map(|(&(extent, op, status), &count)| FailedPlace { op, extent, status, count })
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::SectorCount;

    use super::*;

    fn from_starts(starts: impl Iterator<Item = u64>) -> FailedIos {
        let mut found = FailedIos::default();
        let extent = |start| Extent { start: Sector::new(start), length: SectorCount::new(8) };
        starts.for_each(|start| found.add(extent(start), Op::Read, Status::errno(61)));
        found
    }

    #[test]
    fn the_lowest_places_are_kept_in_whatever_order_they_come() {
        let starts: Vec<u64> = (0..1_000).map(|number| number * 7_919 % 1_000 * 8).collect();
        let whole = from_starts(starts.iter().copied());
        for parts in [2, 3, 7] {
            let parted = (0..parts).rev().flat_map(|part| starts.iter().copied().skip(part).step_by(parts));
            assert_eq!(from_starts(parted), whole, "{parts} parts");
        }
        assert_eq!(whole.elsewhere, 900);
        let places: Vec<u64> = whole.places().map(|place| place.extent.start.get()).collect();
        assert_eq!(places, (0..100).map(|number| number * 8).collect::<Vec<u64>>());
    }
}
