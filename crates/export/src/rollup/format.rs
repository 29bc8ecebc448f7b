//! A rollup as Parquet: the one place that defines its columns.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{BoolType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};

use crate::rollup::{Rollup, RollupRow, RollupSums};
use crate::small_file::{ColumnsWriter, int};

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

pub static SCHEMA: LazyLock<TypePtr> =
    LazyLock::new(|| Arc::new(parse_message_type(MESSAGE).expect("the schema above is well formed")));

/// Rows of a row group: about 40 intervals of a busy host with one device, so that engines skip most of a day.
const ROW_GROUP_ROWS: usize = 96 << 10;

/// How long a file is to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLife {
    /// For good: it is small and is kept and sent for long. Zstd's level 19 makes it 8 % smaller than its default one, for some
    /// seconds of processor time a day of a busy host.
    Kept,
    /// Until a later one takes its place, within minutes: zstd's default level.
    Replaced,
}

/// Writes a rollup as Parquet: compressed with zstd, sorted by time, with the least and the greatest value of each column of
/// each row group. Equal rollups give equal bytes.
pub struct RollupWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    rows: Vec<RollupRow>,
    ios: u64,
}

impl<W: Write + Send> RollupWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn new(out: W, life: FileLife) -> Result<RollupWriter<W>> {
        let file = SerializedFileWriter::new(out, Arc::clone(&SCHEMA), properties(life)?)?;
        Ok(RollupWriter { file, rows: Vec::new(), ios: 0 })
    }

    /// Adds a rollup, all of whose intervals come after those that were added before.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn append(&mut self, rollup: &Rollup) -> Result<()> {
        for row in rollup.rows() {
            self.ios = self.ios.saturating_add(row.sums.ios).saturating_add(row.sums.failed_ios);
            self.rows.push(row);
            if self.rows.len() == ROW_GROUP_ROWS {
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
        if !self.rows.is_empty() {
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
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.file.next_row_group()?;
        let mut out = ColumnsWriter(&mut group);
        out.values::<Int64Type>(rows.iter().map(|row| Some(row.interval.start_unix_millis())))?;
        out.texts(rows.iter().map(|row| Some(&*row.device)))?;
        out.values::<BoolType>(rows.iter().map(|row| Some(row.is_measured)))?;
        out.values::<Int32Type>(rows.iter().map(|row| Some(i32::from(row.op.code()))))?;
        out.values::<Int32Type>(rows.iter().map(|row| row.bucket.map(i32::from)))?;
        let sums: [fn(&RollupSums) -> u64; 4] =
            [|sums| sums.ios, |sums| sums.failed_ios, |sums| sums.bytes, |sums| sums.service_ns];
        for sum in sums {
            out.values::<Int64Type>(rows.iter().map(|row| Some(int(sum(&row.sums)))))?;
        }
        group.close()?;
        Ok(())
    }
}

/// Names, times and operations repeat themselves, which a dictionary keeps in a few bits. Buckets rise one by one. Of sums,
/// which jump, each byte is compressed on its own.
fn properties(life: FileLife) -> Result<WriterPropertiesPtr> {
    let level = match life {
        FileLife::Kept => 19,
        FileLife::Replaced => 3,
    };
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
