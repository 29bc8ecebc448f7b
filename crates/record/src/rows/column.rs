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

/// Reads a column that has a value in every row.
pub fn read<T: DataType>(group: &dyn RowGroupReader, column: usize, rows: usize) -> Result<Vec<T::T>> {
    let reader = group.get_column_reader(column)?;
    // A damaged file may claim any number of rows: the room grows with what is really there.
    let mut values = Vec::with_capacity(rows.min(ROW_GROUP_ROWS));
    get_typed_column_reader::<T>(reader).read_records(rows, None, None, &mut values)?;
    Ok(values)
}

/// A column that has a value in some rows only.
#[derive(Debug, Default)]
pub struct Sparse<T> {
    /// The values there are.
    pub values: Vec<T>,
    /// 1 for a row that has one, else 0.
    pub present: Vec<i16>,
}

impl<T: Copy> Sparse<T> {
    /// Adds a row.
    pub fn push(&mut self, value: Option<T>) {
        self.present.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.values.clear();
        self.present.clear();
    }

    /// The rows again, each with its value where it has one.
    pub fn iter(&self) -> impl Iterator<Item = Option<T>> + '_ {
        let mut values = self.values.iter();
        self.present.iter().map(move |present| if *present == 0 { None } else { values.next().copied() })
    }

    /// Writes it as the next column of the group.
    pub fn write<D: DataType<T = T>>(&self, group: &mut GroupWriter<'_>) -> Result<()> {
        write::<D>(group, &self.values, Some(&self.present))
    }

    /// Reads it back.
    pub fn read<D: DataType<T = T>>(
        group: &dyn RowGroupReader,
        column: usize,
        rows: usize,
    ) -> Result<Sparse<T>> {
        let mut sparse = Sparse { values: Vec::new(), present: Vec::new() };
        get_typed_column_reader::<D>(group.get_column_reader(column)?).read_records(
            rows,
            Some(&mut sparse.present),
            None,
            &mut sparse.values,
        )?;
        Ok(sparse)
    }
}
