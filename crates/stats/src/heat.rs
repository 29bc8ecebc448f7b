//! Latency against time, as counts.

use crate::bucket_of;
use crate::joined::joined;

/// Rows a power of two: each row is a quarter of an octave.
const ROW_BITS: u32 = 2;
/// Buckets of the histogram that make one row, as a power of two.
const BUCKETS_A_ROW_BITS: u32 = 7 - ROW_BITS;
const ROWS: usize = (crate::BUCKETS >> BUCKETS_A_ROW_BITS) + 1;
/// Columns before neighbours are joined: enough for a wide screen, few enough for a small page.
const COLUMNS_MAX: usize = 512;
/// The width of a column at first.
const COLUMN_NANOS_FIRST: u64 = 125_000_000;

/// Counts of completions over time (columns) and service time (rows).
///
/// A column is 125 ms wide at first; whenever more than 512 columns are needed, neighbours are joined and
/// columns are twice as wide, so memory stays bounded however long a phase lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatMap {
    /// The width of a column in nanoseconds.
    pub column_nanos: u64,
    columns: Vec<Box<[u32]>>,
}

impl Default for HeatMap {
    fn default() -> HeatMap {
        HeatMap { column_nanos: COLUMN_NANOS_FIRST, columns: Vec::new() }
    }
}

impl HeatMap {
    /// Counts a service time that ended `at` nanoseconds after the start of its phase.
    pub fn add(&mut self, at: u64, service_nanos: u64) {
        let column = self.column(at);
        let row = usize::from(bucket_of(service_nanos)) >> BUCKETS_A_ROW_BITS;
        self.columns[column][row] += 1;
    }

    fn column(&mut self, at: u64) -> usize {
        while at / self.column_nanos >= COLUMNS_MAX as u64 {
            self.column_nanos *= 2;
            joined(&mut self.columns, |left, right| {
                left.iter_mut().zip(right).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
            });
        }
        let column = usize::try_from(at / self.column_nanos).unwrap_or(usize::MAX);
        while column >= self.columns.len() {
            self.columns.push(vec![0; ROWS].into_boxed_slice());
        }
        column
    }

    /// The columns from the start of the phase, each with its rows from the shortest service time.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.columns.iter().map(AsRef::as_ref)
    }

    /// The shortest service time of a row, in nanoseconds.
    pub fn row_floor_nanos(row: usize) -> u64 {
        let bucket = row << BUCKETS_A_ROW_BITS;
        u16::try_from(bucket).map_or(u64::MAX, |bucket| crate::bucket_range(bucket).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_join_and_nothing_is_lost() {
        let mut heat = HeatMap::default();
        for second in 0..1_000u64 {
            heat.add(second * 1_000_000_000, 80_000);
        }
        assert!(heat.columns().len() <= COLUMNS_MAX);
        let total: u64 = heat.columns().flatten().map(|count| u64::from(*count)).sum();
        assert_eq!(total, 1_000);
    }

    #[test]
    fn each_column_is_joined_with_its_neighbour() {
        let mut heat = HeatMap::default();
        (0..513).for_each(|column| heat.add(column * 125_000_000, 80_000));
        assert_eq!(heat.column_nanos, 250_000_000);
        let found: Vec<u32> = heat.columns().map(|rows| rows.iter().sum()).collect();
        assert_eq!(found, [vec![2; 256], vec![1]].concat());
    }

    #[test]
    fn a_row_begins_where_its_values_begin() {
        for nanos in [1u64, 300, 82_000, 804_000_000] {
            let row = usize::from(bucket_of(nanos)) >> BUCKETS_A_ROW_BITS;
            assert!(HeatMap::row_floor_nanos(row) <= nanos && nanos < HeatMap::row_floor_nanos(row + 1));
        }
    }

    #[test]
    fn a_row_is_a_quarter_of_an_octave_and_the_longest_time_there_is_has_one() {
        let row = usize::from(bucket_of(4 << 20)) >> BUCKETS_A_ROW_BITS;
        let floors: Vec<u64> = (row..row + 5).map(HeatMap::row_floor_nanos).collect();
        assert_eq!(floors, [4 << 20, 5 << 20, 6 << 20, 7 << 20, 8 << 20]);
        let mut heat = HeatMap::default();
        heat.add(0, u64::MAX);
        let rows = heat.columns().next().expect("a column");
        assert_eq!(rows.iter().rposition(|count| *count == 1), Some(231));
        assert_eq!(rows.len(), 233, "and where it ends, another one");
    }
}
