//! Where a device was read and written, over time.

use crate::joined::{Joining, joined_by};

/// Rows of a map.
pub const ROWS: usize = 128;
/// A row at first, as a power of two of sectors: 4 KiB.
const ROW_FIRST: u32 = 3;

/// Counts of reads and writes over time (columns) and address (rows).
///
/// A row is 4 KiB at first; whenever the addresses reach over more than 128 rows, two rows become one. A row's
/// counts lie at its number modulo 128, so that the map can grow to either side without moving.
#[derive(Clone, Debug, Default)]
pub struct AddressMap {
    /// Sectors of a row, as a power of two, above that of the first ones.
    widened: u32,
    /// The numbers of the least and the greatest row that were met.
    rows: Option<(u64, u64)>,
    /// Of each column, the counts of reads and of writes that begin in each row.
    columns: Vec<[Box<[u32; ROWS]>; 2]>,
    /// Requests that were counted.
    pub requests: u64,
}

impl AddressMap {
    /// Counts a read (0) or a write (1).
    pub(super) fn add(&mut self, column: usize, direction: usize, sector: u64) {
        while self.columns.len() <= column {
            self.columns.push([Box::new([0; ROWS]), Box::new([0; ROWS])]);
        }
        let mut row = sector >> (ROW_FIRST + self.widened);
        let (mut least, mut most) = self.rows.unwrap_or((row, row));
        (least, most) = (least.min(row), most.max(row));
        while most - least >= ROWS as u64 {
            self.widen();
            (row, least, most) = (row / 2, least / 2, most / 2);
        }
        self.rows = Some((least, most));
        let cell = &mut self.columns[column][direction][place(row)];
        *cell = cell.saturating_add(1);
        self.requests += 1;
    }

    /// Makes one row of two.
    fn widen(&mut self) {
        self.widened += 1;
        let Some((least, most)) = self.rows else { return };
        for counts in self.columns.iter_mut().flatten() {
            let narrow = std::mem::replace(&mut **counts, [0; ROWS]);
            for row in least..=most {
                let wide = &mut counts[place(row / 2)];
                *wide = wide.saturating_add(narrow[place(row)]);
            }
        }
        self.rows = Some((least / 2, most / 2));
    }

    pub(super) fn join_columns(&mut self, joining: Joining) {
        joined_by(&mut self.columns, joining, |left, right| {
            for (into, from) in left.iter_mut().zip(right) {
                into.iter_mut().zip(from.iter()).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
            }
        });
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        512 << (ROW_FIRST + self.widened)
    }

    /// The number of the first row and how many there are up to the last one that holds something; `None` for an
    /// empty map. A row begins at its number times [`AddressMap::row_bytes`].
    pub fn rows(&self) -> Option<(u64, usize)> {
        let (least, most) = self.rows?;
        Some((least, usize::try_from(most - least + 1).unwrap_or(ROWS)))
    }

    /// The counts of reads (0) or writes (1) by column, each from the first row.
    pub fn columns(&self, direction: usize) -> impl ExactSizeIterator<Item = Vec<u32>> {
        let (least, count) = self.rows().unwrap_or((0, 0));
        self.columns
            .iter()
            .map(move |column| (0..count as u64).map(|row| column[direction][place(least + row)]).collect())
    }
}

/// Where a row's count lies.
fn place(row: u64) -> usize {
    usize::try_from(row % ROWS as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_request_is_in_the_row_of_its_sector(
            requests in proptest::collection::vec((0usize..9, 0usize..2, 0u64..1 << 44), 1..200),
            base: u32,
        ) {
            let mut map = AddressMap::default();
            // Some far apart, some near each other.
            let sector = |at: u64| u64::from(base) + (at >> (at % 40));
            requests.iter().for_each(|(column, direction, at)| map.add(*column, *direction, sector(*at)));
            let (first, count) = map.rows().expect("requests");
            prop_assert!(count <= ROWS);
            for direction in 0..2 {
                for (column, counts) in map.columns(direction).enumerate() {
                    for (row, found) in (first..).zip(counts) {
                        let within = |at: &u64| sector(*at) * 512 / map.row_bytes() == row;
                        let here = requests.iter().filter(|(c, d, at)| (*c, *d) == (column, direction) && within(at));
                        prop_assert_eq!(here.count(), found as usize);
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_narrow_where_the_addresses_lie_together_however_high() {
        let mut map = AddressMap::default();
        [1_000, 1_127].iter().for_each(|row| map.add(0, 0, row * 8));
        assert_eq!((map.rows(), map.row_bytes()), (Some((1_000, 128)), 4_096));
        map.add(0, 0, 1_128 * 8);
        assert_eq!((map.rows(), map.row_bytes()), (Some((500, 65)), 8_192));
    }

    #[test]
    fn two_columns_are_one_when_they_are_joined() {
        let mut map = AddressMap::default();
        [(0, 0, 0), (1, 0, 0), (1, 1, 8), (2, 0, 8)].iter().for_each(|(column, direction, sector)| {
            map.add(*column, *direction, *sector);
        });
        map.join_columns(Joining::BY_TWOS);
        assert_eq!(map.columns(0).collect::<Vec<_>>(), [[2, 0], [0, 1]]);
        assert_eq!(map.columns(1).collect::<Vec<_>>(), [[0, 1], [0, 0]]);
    }
}
