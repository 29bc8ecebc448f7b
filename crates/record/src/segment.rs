//! One Parquet file of completions.

use std::fs::File;
use std::io::{BufWriter, Read as _};
use std::path::Path;
use std::sync::Arc;

use drivelab_block::Completion;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::{FileReader as _, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnPath;

use crate::columns::{Columns, ENCODINGS, SCHEMA};

/// Rows of a row group: the unit in which a segment is encoded and read back, about 9 MB in memory.
pub const ROW_GROUP_ROWS: usize = 1 << 17;

/// A segment that is being written.
pub struct SegmentWriter {
    file: SerializedFileWriter<BufWriter<File>>,
}

impl SegmentWriter {
    /// Begins a segment in a new file.
    pub fn create(path: &Path) -> Result<SegmentWriter> {
        let file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        Ok(SegmentWriter { file: SerializedFileWriter::new(file, Arc::clone(&SCHEMA), properties())? })
    }

    /// Adds the columns as one row group.
    pub fn write(&mut self, columns: &Columns) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        write_column::<Int64Type>(&mut group, &columns.submit_time, None)?;
        write_column::<Int64Type>(&mut group, &columns.latency, None)?;
        write_column::<Int64Type>(&mut group, &columns.sector, None)?;
        write_column::<Int32Type>(&mut group, &columns.sectors, None)?;
        write_column::<Int32Type>(&mut group, &columns.operation, None)?;
        write_column::<Int32Type>(&mut group, &columns.status, None)?;
        write_column::<Int32Type>(&mut group, &columns.queue, None)?;
        write_column::<Int32Type>(&mut group, &columns.phase, None)?;
        write_column::<Int64Type>(&mut group, &columns.intended_delta, None)?;
        write_column::<Int64Type>(&mut group, &columns.issue_delta, Some(&columns.issue_present))?;
        write_column::<Int32Type>(&mut group, &columns.latency_bucket, None)?;
        group.close()?;
        Ok(())
    }

    /// Ends the file.
    pub fn finish(self) -> Result<()> {
        let file = self.file.into_inner()?;
        file.into_inner().map_err(|error| ParquetError::External(error.into_error().into()))?;
        Ok(())
    }
}

fn properties() -> WriterPropertiesPtr {
    let mut properties = WriterProperties::builder()
        .set_created_by("drivelab".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(ColumnPath::from("submit_time_ns"), EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_dictionary_enabled(false);
    for (name, encoding) in ENCODINGS {
        properties = properties.set_column_encoding(ColumnPath::from(name), encoding);
    }
    Arc::new(properties.build())
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<File>>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<()> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("the schema has fewer columns".into()))?;
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
}

/// Reads a whole segment, a row group at a time.
pub struct SegmentReader {
    file: SerializedFileReader<File>,
    next_group: usize,
}

impl SegmentReader {
    /// Opens a segment that is whole.
    pub fn open(path: &Path) -> Result<SegmentReader> {
        let mut file = File::open(path)?;
        let mut magic = [0; 4];
        file.read_exact(&mut magic)?;
        let file = SerializedFileReader::new(file)?;
        let found = file.metadata().file_metadata().schema_descr().root_schema_ptr();
        if found.get_fields() != SCHEMA.get_fields() {
            return Err(ParquetError::General(
                "the columns are not those of this version of drivelab".into(),
            ));
        }
        if !file.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns).all(lies_somewhere) {
            return Err(ParquetError::General("a column lies nowhere".into()));
        }
        Ok(SegmentReader { file, next_group: 0 })
    }

    /// The completions of the next row group; `None` at the end.
    pub fn next_group(&mut self) -> Result<Option<Vec<Completion>>> {
        if self.next_group == self.file.num_row_groups() {
            return Ok(None);
        }
        let group = self.file.get_row_group(self.next_group)?;
        self.next_group += 1;
        let columns = read_group(group.as_ref())?;
        let completions = columns.to_completions();
        completions.map(Some).ok_or_else(|| ParquetError::General("a row that no completion can have".into()))
    }
}

/// Whether a column's place makes sense; the library takes that for granted, and panics where it does not.
fn lies_somewhere(column: &ColumnChunkMetaData) -> bool {
    let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
    start >= 0 && column.compressed_size() >= 0
}

fn read_group(group: &dyn RowGroupReader) -> Result<Columns> {
    let rows = usize::try_from(group.metadata().num_rows())?;
    let mut columns = Columns { submit_time: read::<Int64Type>(group, 0, rows)?, ..Columns::default() };
    columns.latency = read::<Int64Type>(group, 1, rows)?;
    columns.sector = read::<Int64Type>(group, 2, rows)?;
    columns.sectors = read::<Int32Type>(group, 3, rows)?;
    columns.operation = read::<Int32Type>(group, 4, rows)?;
    columns.status = read::<Int32Type>(group, 5, rows)?;
    columns.queue = read::<Int32Type>(group, 6, rows)?;
    columns.phase = read::<Int32Type>(group, 7, rows)?;
    columns.intended_delta = read::<Int64Type>(group, 8, rows)?;
    let mut issues = get_typed_column_reader::<Int64Type>(group.get_column_reader(9)?);
    issues.read_records(rows, Some(&mut columns.issue_present), None, &mut columns.issue_delta)?;
    Ok(columns)
}

fn read<T: DataType>(group: &dyn RowGroupReader, column: usize, rows: usize) -> Result<Vec<T::T>> {
    let reader: ColumnReader = group.get_column_reader(column)?;
    // A damaged file may claim any number of rows: the room grows with what is really there.
    let mut values = Vec::with_capacity(rows.min(ROW_GROUP_ROWS));
    get_typed_column_reader::<T>(reader).read_records(rows, None, None, &mut values)?;
    Ok(values)
}
