//! One Parquet file of records.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use bytes::{Buf as _, BufMut as _};
use drivelab_files::open_regular;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use crate::rows::{Columns, ROW_GROUP_ROWS, Row, StoredColumns as _};
use crate::sum::{self, SegmentFile, Summed};

/// Rows of a segment. Segments are cut by rows and never by time, so that equal runs give equal files.
pub const SEGMENT_ROWS: usize = 8 * ROW_GROUP_ROWS;

/// A segment that is being written.
pub struct SegmentWriter {
    file: SerializedFileWriter<SegmentFile>,
    /// Rows in its row groups.
    pub rows: u64,
}

impl SegmentWriter {
    /// Begins a segment of such records in a new file.
    pub fn create<R: Row>(path: &Path) -> Result<SegmentWriter> {
        // Read again for its footer when the checksum is put in.
        SegmentWriter::of_file::<R>(
            File::options().read(true).write(true).create(true).truncate(true).open(path)?,
        )
    }

    /// Begins one in a file that is empty, and open for reading and writing.
    pub fn of_file<R: Row>(file: File) -> Result<SegmentWriter> {
        let file = Summed::new(BufWriter::with_capacity(1 << 20, file));
        let file = SerializedFileWriter::new(file, R::Columns::schema(), properties::<R::Columns>())?;
        Ok(SegmentWriter { file, rows: 0 })
    }

    /// Adds the columns as one row group.
    pub fn write(&mut self, columns: &impl Columns) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        columns.write(&mut group)?;
        group.close()?;
        self.rows += columns.rows() as u64;
        Ok(())
    }

    /// Bytes of its row groups.
    pub fn bytes(&self) -> u64 {
        self.file.bytes_written() as u64
    }

    /// Puts the row groups until now into the file, and says how they are read without its end.
    pub fn groups(&mut self) -> Result<Groups> {
        self.file.flush()?;
        let version = self.file.properties().writer_version().as_num();
        let rows = i64::try_from(self.rows)?;
        let schema = Arc::new(self.file.schema_descr().clone());
        let whole = FileMetaData::new(version, rows, None, None, schema, None);
        let metadata = ParquetMetaData::new(whole, self.file.flushed_row_groups().to_vec());
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &metadata).finish()?;
        let (bytes, sum) = (self.file.bytes_written() as u64, self.file.inner().sum());
        Ok(Groups { rows: self.rows, bytes, sum, footer })
    }

    /// Its file, to bring it to the disk.
    pub fn file(&self) -> io::Result<File> {
        self.file.inner().inner.get_ref().try_clone()
    }

    /// Ends the file.
    pub fn finish(self) -> Result<()> {
        self.finish_with(&[]).map(drop)
    }

    /// The same with further words in the footer, by their names; hands back the file.
    pub fn finish_with(mut self, words: &[(&str, String)]) -> Result<File> {
        for (name, word) in words {
            self.file.append_key_value_metadata(KeyValue::new((*name).to_owned(), word.clone()));
        }
        self.file.append_key_value_metadata(sum::unknown());
        let summed = self.file.into_inner()?;
        let sum = summed.sum();
        let file =
            summed.inner.into_inner().map_err(|error| ParquetError::External(error.into_error().into()))?;
        sum::seal(&file, sum)?;
        Ok(file)
    }
}

/// The row groups that an open segment has already. A Parquet file is read from its footer, which an open segment does not have
/// yet: its tail holds one, so that the records in the groups need not be written a second time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Rows in them.
    pub rows: u64,
    /// Bytes of the segment's file until their end.
    pub bytes: u64,
    /// The XXH3-64 of these bytes.
    pub sum: u64,
    /// A Parquet footer of them, with the length and the magic word behind it.
    pub footer: Vec<u8>,
}

impl Groups {
    /// Adds them to a buffer.
    pub fn push_to(&self, buffer: &mut Vec<u8>) {
        [self.rows, self.bytes, self.sum].into_iter().for_each(|number| buffer.put_u64_le(number));
        buffer.extend_from_slice(&self.footer);
    }

    /// What [`Groups::push_to`] wrote; `None` where that is no such thing.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Groups> {
        let mut number = || bytes.try_get_u64_le().ok();
        let (rows, length, sum) = (number()?, number()?, number()?);
        Some(Groups { rows, bytes: length, sum, footer: bytes.to_owned() })
    }
}

fn properties<C: Columns>() -> WriterPropertiesPtr {
    let mut properties = WriterProperties::builder()
        .set_created_by("drivelab".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        // One page, however long: the library would cut at the megabyte that a column just reaches.
        .set_data_page_size_limit(usize::MAX)
        .set_data_page_row_count_limit(ROW_GROUP_ROWS)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_dictionary_enabled(false);
    for (column, encoding) in C::schema().get_fields().iter().zip(C::encodings()) {
        properties = properties.set_column_encoding(ColumnPath::from(column.name()), *encoding);
    }
    if let Some(time) = C::schema().get_fields().first() {
        let time = ColumnPath::from(time.name());
        properties = properties.set_column_statistics_enabled(time, EnabledStatistics::Chunk);
    }
    Arc::new(properties.build())
}

/// Reads a whole segment, a row group at a time.
pub struct SegmentReader<R, F: ChunkReader = File> {
    file: SerializedFileReader<F>,
    next_group: usize,
    row: PhantomData<R>,
}

impl<R: Row> SegmentReader<R> {
    /// Opens a segment that is whole, and checks that its bytes are those that were written.
    pub fn open(path: &Path) -> Result<SegmentReader<R>> {
        let file = open_regular(path)?;
        if !sum::is_intact(&file)? {
            return Err(ParquetError::General("its bytes are not those that were written".into()));
        }
        SegmentReader::from_file(file)
    }

    /// The same for a look at its footer alone: what its records are is not checked.
    pub fn glance(path: &Path) -> Result<SegmentReader<R>> {
        SegmentReader::from_file(open_regular(path)?)
    }

    fn from_file(mut file: File) -> Result<SegmentReader<R>> {
        file.rewind()?;
        let mut magic = [0; 4];
        file.read_exact(&mut magic)?;
        SegmentReader::of_chunks(file)
    }
}

impl<R: Row, F: ChunkReader + 'static> SegmentReader<R, F> {
    /// Reads a segment whose bytes are known to be those that were written.
    pub fn of_chunks(chunks: F) -> Result<SegmentReader<R, F>> {
        let file = SerializedFileReader::new(chunks)?;
        let found = file.metadata().file_metadata().schema_descr().root_schema_ptr();
        if found.get_fields() != R::Columns::schema().get_fields() {
            return Err(ParquetError::General(
                "the columns are not those of this version of drivelab".into(),
            ));
        }
        Ok(SegmentReader { file, next_group: 0, row: PhantomData })
    }

    /// The next row group, in the memory of these columns; `None` at the end.
    pub fn next_group(&mut self, columns: R::Columns) -> Result<Option<RowGroup<R>>> {
        if self.next_group == self.file.num_row_groups() {
            return Ok(None);
        }
        self.next_group += 1;
        self.group(self.next_group - 1, columns).map(Some)
    }

    /// The earliest time of each row group, in nanoseconds; 0 where the segment does not say.
    pub fn earliest(&self) -> Vec<u64> {
        let earliest = |group: &RowGroupMetaData| match group.columns().first()?.statistics()? {
            Statistics::Int64(times) => times.min_opt().map(|time| time.cast_unsigned()),
            _ => None,
        };
        self.file.metadata().row_groups().iter().map(|group| earliest(group).unwrap_or(0)).collect()
    }

    /// A row group, in the memory of these columns.
    pub fn group(&self, number: usize, mut columns: R::Columns) -> Result<RowGroup<R>> {
        let group = self.file.get_row_group(number)?;
        let rows = usize::try_from(group.metadata().num_rows())?;
        if rows > ROW_GROUP_ROWS {
            return Err(ParquetError::General("a row group is longer than drivelab's".into()));
        }
        if group.metadata().columns().iter().any(|column| !is_plausible(column)) {
            return Err(ParquetError::General("the footer points outside the file".into()));
        }
        columns.read(group.as_ref(), rows)?;
        Ok(RowGroup { columns, next: 0 })
    }
}

/// A row group that was read: columns, of which records are made as they are taken.
pub struct RowGroup<R: Row> {
    /// They may serve another group, once this one was taken.
    pub columns: R::Columns,
    next: usize,
}

impl<R: Row> RowGroup<R> {
    /// Whether its records come in the order of their time.
    pub fn is_sorted(&self) -> bool {
        self.columns.times().is_sorted_by_key(|time| time.cast_unsigned())
    }

    /// Adds the next records to `records`, `most` at most; none at the end, with an error, and after one.
    pub fn take(&mut self, most: usize, records: &mut Vec<R>) -> Result<()> {
        let before = records.len();
        let rows = self.next..self.columns.rows().min(self.next.saturating_add(most));
        self.next = rows.end;
        self.columns.to_rows(rows, records).ok_or_else(|| {
            self.next = self.columns.rows();
            records.truncate(before);
            ParquetError::General("a row that no record can have".into())
        })
    }
}

/// Whether a column lies where one can. The library takes a damaged footer's word for it, and panics.
fn is_plausible(column: &ColumnChunkMetaData) -> bool {
    let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
    starts.iter().flatten().all(|start| *start >= 0) && column.compressed_size() >= 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::{CompletionColumns, fixture::completion};
    use drivelab_block::Completion;

    #[test]
    fn a_column_of_a_row_group_is_one_page() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("000000.parquet");
        let mut columns = CompletionColumns::default();
        // Times and places as far apart as can be: no encoding makes them shorter.
        let far_apart = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let completions: Vec<Completion> =
            (0..ROW_GROUP_ROWS as u64).map(|n| completion(far_apart(n) >> 16)).collect();
        columns.extend(&completions);
        let mut segment = SegmentWriter::create::<Completion>(&path).expect("room on disk");
        segment.write(&columns).and_then(|()| segment.finish()).expect("room on disk");
        let reader = SegmentReader::<Completion>::open(&path).expect("a whole segment");
        let group = reader.file.get_row_group(0).expect("one group");
        let pages = |column| group.get_column_page_reader(column).expect("its pages").count();
        let pages: Vec<usize> = (0..group.num_columns()).map(pages).collect();
        assert_eq!(pages, vec![1; group.num_columns()]);
    }

    /// All records of a segment.
    fn read_all(path: &Path) -> Result<Vec<Completion>> {
        let mut segment = SegmentReader::<Completion>::open(path)?;
        let mut all = Vec::new();
        while let Some(mut group) = segment.next_group(CompletionColumns::default())? {
            group.take(usize::MAX, &mut all)?;
        }
        Ok(all)
    }

    /// The sum says that a footer is as it was written, and not that drivelab wrote it.
    #[test]
    fn a_footer_that_is_wrong_with_a_right_sum_is_an_error_and_no_panic() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("000000.parquet");
        let mut columns = CompletionColumns::default();
        columns.extend(&(0..100).map(completion).collect::<Vec<_>>());
        let mut segment = SegmentWriter::create::<Completion>(&path).expect("room on disk");
        segment.write(&columns).and_then(|()| segment.finish()).expect("room on disk");
        let whole = std::fs::read(&path).expect("the segment");
        let end = whole.len() - 8;
        let length = whole[end..].first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize);
        let mut errors = Vec::new();
        // The lowest bit of the first byte of a number is its sign, the next one is worth 1.
        for (at, bit) in (end - length..end).flat_map(|at| [(at, 1), (at, 2)]) {
            let mut bytes = whole.clone();
            bytes[at] ^= bit;
            std::fs::write(&path, &bytes).expect("room on disk");
            let file = File::options().read(true).write(true).open(&path).expect("the segment");
            if sum::reseal(&file).is_ok() {
                errors.extend(read_all(&path).err().map(|error| error.to_string()));
            }
        }
        let has = |what: &str| errors.iter().any(|error| error.contains(what));
        assert!(has("points outside the file") && has("a column holds 100 of 101 rows"), "{errors:?}");
    }

    /// Without it all row groups of a long recording would be in memory at once.
    #[test]
    fn a_segment_says_when_each_row_group_begins() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("000000.parquet");
        let mut segment = SegmentWriter::create::<Completion>(&path).expect("room on disk");
        for first in [0, 7] {
            let mut columns = CompletionColumns::default();
            columns.extend(&(first..first + 3).map(completion).collect::<Vec<_>>());
            segment.write(&columns).expect("room on disk");
        }
        segment.finish().expect("room on disk");
        let segment = SegmentReader::<Completion>::glance(&path).expect("a whole segment");
        assert_eq!(segment.earliest(), [1_000, 71_000]);
    }
}
