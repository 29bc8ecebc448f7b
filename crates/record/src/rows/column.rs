//! One column in, one column out.

use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;

use super::GroupWriter;
use crate::segment::ROW_GROUP_ROWS;

/// Writes the next column of the group; `present` says which rows have a value, where not all do.
pub fn write<T: DataType>(
    group: &mut GroupWriter<'_>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<()> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("the schema has fewer columns".into()))?;
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
}

/// Reads a column that has a value in every row, in the place of what `values` held.
pub fn read<T: DataType>(
    group: &dyn RowGroupReader,
    column: usize,
    rows: usize,
    values: &mut Vec<T::T>,
) -> Result<()> {
    let reader = group.get_column_reader(column)?;
    values.clear();
    // A damaged file may claim any number of rows: the room grows with what is really there.
    values.reserve(rows.min(ROW_GROUP_ROWS));
    let (read, ..) = get_typed_column_reader::<T>(reader).read_records(rows, None, None, values)?;
    check(read, rows)
}

/// Refuses a column that ends before the others.
fn check(read: usize, rows: usize) -> Result<()> {
    if read < rows {
        return Err(ParquetError::General(format!("a column holds {read} of {rows} rows")));
    }
    Ok(())
}

/// A column that has a value in some rows only.
#[derive(Debug, Default)]
pub struct Sparse<T> {
    /// One for each row: anything where the row has none.
    values: Vec<T>,
    /// 1 for a row that has a value, else 0.
    present: Vec<i16>,
}

impl<T: Copy + Default> Sparse<T> {
    /// Adds a row.
    pub fn push(&mut self, value: Option<T>) {
        self.present.push(i16::from(value.is_some()));
        self.values.push(value.unwrap_or_default());
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.values.clear();
        self.present.clear();
    }

    /// The value of a row, where it has one.
    #[inline]
    pub fn get(&self, row: usize) -> Option<T> {
        let value = self.values.get(row).copied();
        value.filter(|_| self.present.get(row).is_some_and(|present| *present != 0))
    }

    /// Writes it as the next column of the group.
    pub fn write<D: DataType<T = T>>(&self, group: &mut GroupWriter<'_>) -> Result<()> {
        if !self.present.contains(&0) {
            return write::<D>(group, &self.values, Some(&self.present));
        }
        let rows = self.values.iter().zip(&self.present);
        let values: Vec<T> = rows.filter(|(_, present)| **present != 0).map(|(value, _)| *value).collect();
        write::<D>(group, &values, Some(&self.present))
    }

    /// Reads it back, in the place of what it held.
    pub fn read<D: DataType<T = T>>(
        &mut self,
        group: &dyn RowGroupReader,
        column: usize,
        rows: usize,
    ) -> Result<()> {
        let mut reader = get_typed_column_reader::<D>(group.get_column_reader(column)?);
        self.clear();
        let (read, ..) = reader.read_records(rows, Some(&mut self.present), None, &mut self.values)?;
        self.spread();
        check(read, rows)
    }

    /// Moves each value to its row, the last one first: they were read one behind the other.
    fn spread(&mut self) {
        let mut left = self.values.len().min(self.present.len());
        self.values.resize(self.present.len(), T::default());
        for row in (0..self.present.len()).rev() {
            // As many values as rows are left: each is in its place.
            if left == row + 1 {
                break;
            }
            if self.present[row] != 0 && left > 0 {
                left -= 1;
                self.values[row] = self.values[left];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_read_one_behind_the_other_come_to_their_rows(rows in proptest::collection::vec(any::<Option<i64>>(), 0..40)) {
            let mut sparse = Sparse {
                values: rows.iter().flatten().copied().collect(),
                present: rows.iter().map(|row| i16::from(row.is_some())).collect(),
            };
            sparse.spread();
            let found: Vec<Option<i64>> = (0..rows.len()).map(|row| sparse.get(row)).collect();
            prop_assert_eq!(found, rows);
        }
    }

    #[test]
    fn rows_whose_values_a_damaged_column_lacks_have_none() {
        let mut sparse = Sparse { values: vec![7, 8], present: vec![1, 0, 1, 1] };
        sparse.spread();
        assert_eq!(
            (sparse.get(2), sparse.get(3)),
            (Some(7), Some(8)),
            "the last values are those that are there"
        );
        assert_eq!(sparse.get(1), None);
    }
}
