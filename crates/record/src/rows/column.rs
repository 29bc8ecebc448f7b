//! One column in, one column out.

use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;

use super::{GroupWriter, ROW_GROUP_ROWS, StoredColumn};

/// A number as Parquet has it.
pub trait StoredNumber: Copy {
    type Type: DataType<T = Self>;
}

impl StoredNumber for i64 {
    type Type = Int64Type;
}

impl StoredNumber for i32 {
    type Type = Int32Type;
}

/// A column that has a value in every row.
impl<T: StoredNumber> StoredColumn for Vec<T> {
    fn clear(&mut self) {
        self.clear();
    }

    fn write(&self, group: &mut GroupWriter<'_>) -> Result<()> {
        write::<T::Type>(group, self, None)
    }

    fn read(&mut self, group: &dyn RowGroupReader, place: usize, rows: usize) -> Result<()> {
        let mut reader = get_typed_column_reader::<T::Type>(group.get_column_reader(place)?);
        self.clear();
        // A damaged file may claim any number of rows: the room grows with what is really there.
        self.reserve(rows.min(ROW_GROUP_ROWS));
        let (read, ..) = reader.read_records(rows, None, None, self)?;
        check(read, rows)
    }
}

/// Small numbers that follow from another column, and are written for others to read.
#[derive(Debug, Default)]
pub struct Derived(pub Vec<i32>);

impl StoredColumn for Derived {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn write(&self, group: &mut GroupWriter<'_>) -> Result<()> {
        self.0.write(group)
    }

    fn read(&mut self, _: &dyn RowGroupReader, _: usize, _: usize) -> Result<()> {
        Ok(())
    }
}

/// Writes the next column of the group; `present` says which rows have a value, where not all do.
fn write<T: DataType>(group: &mut GroupWriter<'_>, values: &[T::T], present: Option<&[i16]>) -> Result<()> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("the schema has fewer columns".into()))?;
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
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
pub struct Sparse {
    /// One for each row: anything where the row has none.
    values: Vec<i64>,
    /// 1 for a row that has a value, else 0.
    present: Vec<i16>,
}

impl Sparse {
    /// Adds a row.
    pub fn push(&mut self, value: Option<i64>) {
        self.present.push(i16::from(value.is_some()));
        self.values.push(value.unwrap_or_default());
    }

    /// The value of a row, where it has one.
    #[inline]
    pub fn get(&self, row: usize) -> Option<i64> {
        let value = self.values.get(row).copied();
        value.filter(|_| self.present.get(row).is_some_and(|present| *present != 0))
    }

    /// Moves each value to its row, the last one first: they were read one behind the other.
    fn spread(&mut self) {
        let mut left = self.values.len().min(self.present.len());
        self.values.resize(self.present.len(), 0);
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

impl StoredColumn for Sparse {
    fn clear(&mut self) {
        self.values.clear();
        self.present.clear();
    }

    fn write(&self, group: &mut GroupWriter<'_>) -> Result<()> {
        if !self.present.contains(&0) {
            return write::<Int64Type>(group, &self.values, Some(&self.present));
        }
        let rows = self.values.iter().zip(&self.present);
        let values: Vec<i64> = rows.filter(|(_, present)| **present != 0).map(|(value, _)| *value).collect();
        write::<Int64Type>(group, &values, Some(&self.present))
    }

    fn read(&mut self, group: &dyn RowGroupReader, place: usize, rows: usize) -> Result<()> {
        let mut reader = get_typed_column_reader::<Int64Type>(group.get_column_reader(place)?);
        self.clear();
        let (read, ..) = reader.read_records(rows, Some(&mut self.present), None, &mut self.values)?;
        self.spread();
        check(read, rows)
    }
}

/// Defines records as columns: of each its type, how it is encoded before zstd, and its field in the schema of a segment.
macro_rules! stored_columns {
    ($columns:ident of $record:literal, { $($name:ident: $kind:ty as $encoding:ident, $field:literal;)+ }) => {
        #[doc = "Such records turned on their side."]
        #[derive(Debug, Default)]
        pub struct $columns { $($name: $kind,)+ }

        impl $crate::rows::StoredColumns for $columns {
            fn schema() -> parquet::schema::types::TypePtr {
                use std::sync::{Arc, LazyLock};
                static SCHEMA: LazyLock<parquet::schema::types::TypePtr> = LazyLock::new(|| {
                    let schema = concat!("message ", $record, " {", $($field, ";",)+ "}");
                    let parsed = parquet::schema::parser::parse_message_type(schema);
                    Arc::new(parsed.expect("the schema is well formed"))
                });
                Arc::clone(&SCHEMA)
            }

            fn encodings() -> &'static [parquet::basic::Encoding] {
                &[$(parquet::basic::Encoding::$encoding,)+]
            }

            fn columns(&self) -> Vec<&dyn $crate::rows::StoredColumn> {
                vec![$(&self.$name,)+]
            }

            fn columns_mut(&mut self) -> Vec<&mut dyn $crate::rows::StoredColumn> {
                vec![$(&mut self.$name,)+]
            }
        }
    };
}
pub(super) use stored_columns;
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
