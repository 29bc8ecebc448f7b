//! What a kind of record says of itself to be kept: its columns in a segment, its bytes in a tail.

mod column;
pub mod completion;
mod traced;

use std::ops::Range;

use drivelab_block::Instant;
use parquet::basic::Encoding;
use parquet::errors::Result;
use parquet::file::reader::RowGroupReader;
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::TypePtr;

use crate::sum::SegmentFile;

/// Rows of a row group, each column of which is one page: the unit in which a segment is encoded and read back, about
/// 8 MB in memory. Where a column is split by bytes, each byte then fills a block of zstd (128 KiB) of its own: with fewer
/// rows random bytes share a block, and its code, with bytes that hardly differ.
pub const ROW_GROUP_ROWS: usize = 128 << 10;

/// A row group that is being written.
pub type GroupWriter<'a> = SerializedRowGroupWriter<'a, SegmentFile>;

/// A kind of record: [`drivelab_block::Completion`], or [`drivelab_block::TracedIo`].
pub trait Row: Copy + 'static {
    /// Such records turned on their side.
    #[doc(hidden)]
    type Columns: Columns<Row = Self> + Send;
    /// How a tail of such records begins.
    #[doc(hidden)]
    const TAIL_MAGIC: [u8; 16];
    /// The size of one record in a tail.
    #[doc(hidden)]
    const TAIL_BYTES: usize;

    /// The time by which segments are searched: the first column.
    #[doc(hidden)]
    fn time(&self) -> Instant;

    /// Appends the record as [`Row::TAIL_BYTES`] bytes.
    #[doc(hidden)]
    fn push_to(&self, buffer: &mut Vec<u8>);

    /// The record that these bytes are; `None` where no record can be so.
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

/// A column of records.
pub trait StoredColumn {
    /// Forgets all rows, and keeps the memory.
    fn clear(&mut self);
    /// Writes it as the next column of the group.
    fn write(&self, group: &mut GroupWriter<'_>) -> Result<()>;
    /// Reads it back from this place in the group, in the place of what it held.
    fn read(&mut self, group: &dyn RowGroupReader, place: usize, rows: usize) -> Result<()>;
}

/// The columns of records, one after the other.
pub trait StoredColumns: Default {
    /// The schema of a segment.
    fn schema() -> TypePtr;
    /// How each column is encoded before zstd, in the order of the schema.
    fn encodings() -> &'static [Encoding];
    /// All of them, in the order of the schema.
    fn columns(&self) -> Vec<&dyn StoredColumn>;
    /// The same, to be changed.
    fn columns_mut(&mut self) -> Vec<&mut dyn StoredColumn>;
    /// Forgets all records, and keeps the memory for the next.
    fn clear(&mut self) {
        self.columns_mut().into_iter().for_each(StoredColumn::clear);
    }
    /// Writes all columns into a row group.
    fn write(&self, group: &mut GroupWriter<'_>) -> Result<()> {
        self.columns().into_iter().try_for_each(|column| column.write(group))
    }
    /// Reads all columns of a row group of `rows` records, in the place of those that were here: their memory is used again.
    fn read(&mut self, group: &dyn RowGroupReader, rows: usize) -> Result<()> {
        let mut columns = self.columns_mut().into_iter().enumerate();
        columns.try_for_each(|(place, column)| column.read(group, place, rows))
    }
}

/// Records as columns. The first column is the time by which segments are searched.
pub trait Columns: StoredColumns {
    /// The record.
    type Row;

    /// How many records there are.
    fn rows(&self) -> usize {
        self.times().len()
    }
    /// Adds records.
    fn extend(&mut self, rows: &[Self::Row]);
    /// When each record was, in nanoseconds: the first column.
    fn times(&self) -> &[i64];
    /// A record again; `None` where a column ends before it, or holds what no record has.
    fn row(&self, row: usize) -> Option<Self::Row>;
    /// Adds these records to `records`; `None` where one of them cannot be.
    fn to_rows(&self, rows: Range<usize>, records: &mut Vec<Self::Row>) -> Option<()> {
        records.reserve(rows.len());
        for row in rows {
            records.push(self.row(row)?);
        }
        Some(())
    }
}
