//! Reading rollups, those that another program wrote included: columns are found by their names.

use std::sync::Arc;

use drivelab_block::Op;
use drivelab_stats::bucket_of;
use parquet::basic::{LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, FileReader as _, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::rollup::format::{FORMAT_WORD, SCHEMA};
use crate::rollup::{RollupInterval, RollupRow, RollupSums};

/// Reads a rollup row by row, in the order of the file. It takes the memory of one row group: of a file that drivelab wrote
/// about 20 MB at most.
///
/// # Errors
/// Where it cannot be read, lacks a column, or holds what no rollup has. Rows before that were visited.
pub fn visit_rollup<F: ChunkReader + 'static>(file: F, visit: &mut dyn FnMut(&RollupRow)) -> Result<()> {
    let file = SerializedFileReader::new(file)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let places = places_of(schema)?;
    let start_per_milli = start_per_milli(&schema.column(places[0]))?;
    for number in 0..file.num_row_groups() {
        let group = file.get_row_group(number)?;
        let columns = GroupColumns::read(group.as_ref(), places)?;
        columns.visit(start_per_milli, visit).ok_or_else(|| wrong("a row is none of a rollup"))?;
    }
    Ok(())
}

/// The name and version of the format that a file says it has; none where another program wrote it.
///
/// # Errors
/// Where the file cannot be read.
pub fn rollup_format_of<F: ChunkReader + 'static>(file: F) -> Result<Option<String>> {
    let file = SerializedFileReader::new(file)?;
    let words = file.metadata().file_metadata().key_value_metadata();
    let own = words.and_then(|words| words.iter().find(|word| word.key == FORMAT_WORD));
    Ok(own.and_then(|word| word.value.clone()))
}

fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// How many columns a rollup has, whatever others there are.
const COLUMNS: usize = 9;

/// Where the columns are, in the order of the schema.
fn places_of(schema: &SchemaDescriptor) -> Result<[usize; COLUMNS]> {
    let is_flat = |column: &ColumnDescriptor| column.max_rep_level() == 0 && column.max_def_level() <= 1;
    let mut places = [0; COLUMNS];
    for (place, field) in places.iter_mut().zip(SCHEMA.get_fields()) {
        let name = field.name();
        let found = schema.columns().iter().position(|column| column.name() == name && is_flat(column));
        *place = found.ok_or_else(|| wrong(&format!("it has no column {name} of a rollup")))?;
    }
    Ok(places)
}

/// How many units of the column of starts a millisecond has.
fn start_per_milli(column: &ColumnDescriptor) -> Result<i64> {
    match column.logical_type_ref() {
        Some(LogicalType::Timestamp(time)) => Ok(match time.unit {
            TimeUnit::MILLIS => 1,
            TimeUnit::MICROS => 1_000,
            TimeUnit::NANOS => 1_000_000,
        }),
        _ => Err(wrong("its column interval_start_utc is no timestamp")),
    }
}

/// The columns of a row group; none where a row has no value.
struct GroupColumns {
    start: Vec<Option<i64>>,
    device: Vec<Option<ByteArray>>,
    measured: Vec<Option<bool>>,
    operation: Vec<Option<i64>>,
    bucket: Vec<Option<i64>>,
    ios: Vec<Option<i64>>,
    failed_ios: Vec<Option<i64>>,
    bytes: Vec<Option<i64>>,
    service: Vec<Option<i64>>,
}

impl GroupColumns {
    fn read(group: &dyn RowGroupReader, places: [usize; COLUMNS]) -> Result<GroupColumns> {
        let [start, device, measured, operation, bucket, ios, failed_ios, bytes, service] = places;
        let rows = usize::try_from(group.metadata().num_rows())?;
        let integers = |place: usize| match group.get_column_reader(place)? {
            ColumnReader::Int64ColumnReader(reader) => values(reader, rows),
            ColumnReader::Int32ColumnReader(reader) => {
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(i64::from)).collect())
            }
            _ => Err(wrong("a column of counts holds no integers")),
        };
        Ok(GroupColumns {
            start: integers(start)?,
            device: match group.get_column_reader(device)? {
                ColumnReader::ByteArrayColumnReader(reader) => values(reader, rows)?,
                _ => return Err(wrong("its column device holds no texts")),
            },
            measured: match group.get_column_reader(measured)? {
                ColumnReader::BoolColumnReader(reader) => values(reader, rows)?,
                _ => return Err(wrong("its column measured does not hold yes or no")),
            },
            operation: integers(operation)?,
            bucket: integers(bucket)?,
            ios: integers(ios)?,
            failed_ios: integers(failed_ios)?,
            bytes: integers(bytes)?,
            service: integers(service)?,
        })
    }

    /// Visits the rows; none where one of them is no row of a rollup.
    fn visit(&self, start_per_milli: i64, visit: &mut dyn FnMut(&RollupRow)) -> Option<()> {
        let sum = |column: &[Option<i64>], row: usize| u64::try_from((*column.get(row)?)?).ok();
        let is_bucket = |bucket: &u16| *bucket <= bucket_of(u64::MAX);
        let mut device: Arc<str> = Arc::from("");
        for row in 0..self.start.len() {
            let bucket = match *self.bucket.get(row)? {
                None => None,
                Some(bucket) => Some(u16::try_from(bucket).ok().filter(is_bucket)?),
            };
            let name = str::from_utf8(self.device.get(row)?.as_ref()?.data()).ok()?;
            // Rows of one device follow each other.
            if *device != *name {
                device = Arc::from(name);
            }
            let start = (*self.start.get(row)?)?;
            if start % start_per_milli != 0 {
                return None;
            }
            visit(&RollupRow {
                interval: RollupInterval::starting_at_unix_millis(start / start_per_milli)?,
                device: Arc::clone(&device),
                is_measured: (*self.measured.get(row)?)?,
                op: Op::from_code(u8::try_from((*self.operation.get(row)?)?).ok()?)?,
                bucket,
                sums: RollupSums {
                    ios: sum(&self.ios, row)?,
                    failed_ios: sum(&self.failed_ios, row)?,
                    bytes: sum(&self.bytes, row)?,
                    service_ns: sum(&self.service, row)?,
                },
            });
        }
        Some(())
    }
}

fn values<T: DataType>(mut reader: ColumnReaderImpl<T>, rows: usize) -> Result<Vec<Option<T::T>>> {
    let (mut present, mut values) = (Vec::new(), Vec::new());
    let (read, _, _) = reader.read_records(rows, Some(&mut present), None, &mut values)?;
    if read != rows {
        return Err(wrong("a column ends before the others"));
    }
    // A column that has a value in every row has no levels.
    if present.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    Ok(present.iter().map(|present| if *present == 0 { None } else { values.next() }).collect())
}
