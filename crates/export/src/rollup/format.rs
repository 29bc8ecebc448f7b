//! A rollup as Parquet: the one place that defines its columns.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};

use crate::rollup::{Rollup, RollupRow};

/// The name and version of the format, kept in each file under the key `drivelab.format`.
pub const ROLLUP_FORMAT: &str = "drivelab.rollup/1";

/// The word of the footer that names the format.
pub const FORMAT_WORD: &str = "drivelab.format";

/// The word of the footer that says how many I/Os the file counts, those included that failed.
pub const IOS_WORD: &str = "drivelab.ios";

/// The columns:
/// - `interval_start_utc`: when the five minutes began in which the I/Os were submitted, in UTC and without a zone, so that
///   every engine shows the same hour;
/// - `device`: the model of the drive, or the name that a trace has for the device;
/// - `measured`: whether the figures of the result speak of these I/Os;
/// - `operation`: 0 read, 1 write, 2 discard, 3 flush;
/// - `latency_bucket`: the bucket of the service time, as in records; absent where I/Os failed or their time is not known;
/// - `ios`, `bytes`, `service_sum_ns`: the I/Os that succeeded, their bytes, and the sum of their service times;
/// - `failed_ios`: those that failed, which are in no other sum.
const MESSAGE: &str = "
message rollup {
  REQUIRED INT64 interval_start_utc (TIMESTAMP(MILLIS, false));
  REQUIRED BYTE_ARRAY device (STRING);
  REQUIRED BOOLEAN measured;
  REQUIRED INT32 operation (INTEGER(8, false));
  OPTIONAL INT32 latency_bucket (INTEGER(16, false));
  REQUIRED INT64 ios;
  REQUIRED INT64 failed_ios;
  REQUIRED INT64 bytes;
  REQUIRED INT64 service_sum_ns;
}";

static SCHEMA: LazyLock<TypePtr> =
    LazyLock::new(|| Arc::new(parse_message_type(MESSAGE).expect("the schema above is well formed")));

/// Rows of a row group: about 40 intervals of a busy host with one device, so that engines skip most of a day.
const ROW_GROUP_ROWS: usize = 96 << 10;

/// A rollup is small and is kept and sent for long: this level makes it 8 % smaller than zstd's default one, for some seconds of
/// processor time a day of a busy host.
const ZSTD_LEVEL: i32 = 19;

/// A file that is replaced some minutes later is not worth that time: zstd's default level.
const QUICK_ZSTD_LEVEL: i32 = 3;

/// Rows as columns.
#[derive(Default)]
struct RowColumns {
    start: Vec<i64>,
    device: Vec<ByteArray>,
    measured: Vec<bool>,
    operation: Vec<i32>,
    /// Of the rows that have one.
    bucket: Vec<i32>,
    /// 1 for a row that has a bucket, else 0.
    has_bucket: Vec<i16>,
    ios: Vec<i64>,
    failed_ios: Vec<i64>,
    bytes: Vec<i64>,
    service: Vec<i64>,
}

/// Writes a rollup as Parquet: compressed with zstd, sorted by time, with the least and the greatest value of each column of
/// each row group. Equal rollups give equal bytes.
pub struct RollupWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: RowColumns,
    ios: u64,
}

impl<W: Write + Send> RollupWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn new(out: W) -> Result<RollupWriter<W>> {
        RollupWriter::with_level(out, ZSTD_LEVEL)
    }

    /// Begins a file that is soon replaced by a later one: it takes less processor time, and is 8 % larger.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn quick(out: W) -> Result<RollupWriter<W>> {
        RollupWriter::with_level(out, QUICK_ZSTD_LEVEL)
    }

    fn with_level(out: W, level: i32) -> Result<RollupWriter<W>> {
        let file = SerializedFileWriter::new(out, Arc::clone(&SCHEMA), properties(level)?)?;
        Ok(RollupWriter { file, columns: RowColumns::default(), ios: 0 })
    }

    /// Adds a rollup, all of whose intervals come after those that were added before.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn append(&mut self, rollup: &Rollup) -> Result<()> {
        for row in rollup.rows() {
            self.columns.push(&row);
            self.ios = self.ios.saturating_add(row.sums.ios).saturating_add(row.sums.failed_ios);
            if self.columns.start.len() == ROW_GROUP_ROWS {
                self.write_group()?;
            }
        }
        Ok(())
    }

    /// Ends the file with further words of its footer, by their names, and hands back where it went.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn finish(mut self, words: &[(&str, String)]) -> Result<W> {
        if !self.columns.start.is_empty() {
            self.write_group()?;
        }
        let format = KeyValue::new(FORMAT_WORD.to_owned(), ROLLUP_FORMAT.to_owned());
        self.file.append_key_value_metadata(format);
        let ios = KeyValue::new(IOS_WORD.to_owned(), self.ios.to_string());
        self.file.append_key_value_metadata(ios);
        for (name, word) in words {
            self.file.append_key_value_metadata(KeyValue::new((*name).to_owned(), word.clone()));
        }
        self.file.into_inner()
    }

    fn write_group(&mut self) -> Result<()> {
        let columns = std::mem::take(&mut self.columns);
        let mut group = self.file.next_row_group()?;
        write::<Int64Type, W>(&mut group, &columns.start, None)?;
        write::<ByteArrayType, W>(&mut group, &columns.device, None)?;
        write::<BoolType, W>(&mut group, &columns.measured, None)?;
        write::<Int32Type, W>(&mut group, &columns.operation, None)?;
        write::<Int32Type, W>(&mut group, &columns.bucket, Some(&columns.has_bucket))?;
        write::<Int64Type, W>(&mut group, &columns.ios, None)?;
        write::<Int64Type, W>(&mut group, &columns.failed_ios, None)?;
        write::<Int64Type, W>(&mut group, &columns.bytes, None)?;
        write::<Int64Type, W>(&mut group, &columns.service, None)?;
        group.close()?;
        Ok(())
    }
}

fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<()> {
    let missing = || ParquetError::General("the schema has fewer columns".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
}

/// Names, times and operations repeat themselves, which a dictionary keeps in a few bits. Buckets rise one by one. Of sums,
/// which jump, each byte is compressed on its own.
fn properties(level: i32) -> Result<WriterPropertiesPtr> {
    let mut properties = WriterProperties::builder()
        .set_created_by("drivelab".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(level)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_data_page_size_limit(usize::MAX)
        .set_data_page_row_count_limit(ROW_GROUP_ROWS)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_sorting_columns(Some(vec![SortingColumn {
            column_idx: 0,
            descending: false,
            nulls_first: false,
        }]));
    let sums =
        ["ios", "failed_ios", "bytes", "service_sum_ns"].map(|name| (name, Encoding::BYTE_STREAM_SPLIT));
    for (name, encoding) in sums.into_iter().chain([("latency_bucket", Encoding::DELTA_BINARY_PACKED)]) {
        let path = ColumnPath::from(name);
        properties =
            properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding);
    }
    Ok(Arc::new(properties.build()))
}

impl RowColumns {
    fn push(&mut self, row: &RollupRow) {
        // No sum is more than 2^63 - 1.
        let sum = |sum: u64| i64::try_from(sum).unwrap_or(i64::MAX);
        self.start.push(row.interval.start_unix_millis());
        self.device.push(ByteArray::from(row.device.as_bytes().to_vec()));
        self.measured.push(row.is_measured);
        self.operation.push(i32::from(row.op.code()));
        self.bucket.extend(row.bucket.map(i32::from));
        self.has_bucket.push(i16::from(row.bucket.is_some()));
        self.ios.push(sum(row.sums.ios));
        self.failed_ios.push(sum(row.sums.failed_ios));
        self.bytes.push(sum(row.sums.bytes));
        self.service.push(sum(row.sums.service_ns));
    }
}
