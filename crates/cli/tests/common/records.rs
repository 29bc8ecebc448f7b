//! Records as any reader of Parquet sees them, without a line of the program's own code.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::file::reader::{FileReader as _, SerializedFileReader};

/// The names of the columns with their types and what their integers are, in order.
pub const COLUMNS: [(&str, &str); 11] = [
    ("submit_time_ns", "REQUIRED INT64"),
    ("latency_ns", "REQUIRED INT64"),
    ("sector", "REQUIRED INT64"),
    ("sectors", "REQUIRED INT32"),
    ("operation", "REQUIRED INT32 u8"),
    ("status", "REQUIRED INT32 i16"),
    ("queue", "REQUIRED INT32 u16"),
    ("phase", "REQUIRED INT32 u8"),
    ("intended_delta_ns", "REQUIRED INT64"),
    ("issue_delta_ns", "OPTIONAL INT64"),
    ("latency_bucket", "REQUIRED INT32 u16"),
];

/// The whole segments of a run, in order.
pub fn segments(run: &Path) -> Vec<PathBuf> {
    files(run, "parquet")
}

/// The files of a run's records whose names end like this, in order.
pub fn files(run: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(run.join("segments")).expect("the folder of segments");
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.to_string_lossy().ends_with(&format!(".{ending}")));
    found.sort();
    found
}

/// A segment, open.
pub fn open(segment: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(segment).expect("a segment")).expect("a Parquet file")
}

/// A column of all segments of a run.
pub fn column(run: &Path, name: &str) -> Vec<i64> {
    let index = COLUMNS.iter().position(|(column, _)| *column == name).expect("a column");
    let mut values = Vec::new();
    for segment in segments(run) {
        let file = open(&segment);
        for number in 0..file.num_row_groups() {
            let group = file.get_row_group(number).expect("a row group");
            let rows = usize::try_from(group.metadata().num_rows()).expect("a count");
            match group.get_column_reader(index).expect("a column") {
                reader @ ColumnReader::Int64ColumnReader(_) => values.extend(read::<Int64Type>(reader, rows)),
                reader => values.extend(read::<Int32Type>(reader, rows).into_iter().map(i64::from)),
            }
        }
    }
    values
}

fn read<T: DataType>(reader: ColumnReader, rows: usize) -> Vec<T::T> {
    let mut values = Vec::with_capacity(rows);
    let mut levels = Vec::new();
    get_typed_column_reader::<T>(reader)
        .read_records(rows, Some(&mut levels), None, &mut values)
        .expect("readable values");
    values
}

/// The completion times of the records that a tail holds.
///
/// A record has 50 bytes and a checksum of 4, after a line of 16; its completion time is the word at byte 24.
pub fn tail_completion_times(tail: &Path) -> Vec<u64> {
    let bytes = std::fs::read(tail).expect("a tail");
    let records = bytes.get(16..).unwrap_or_default().chunks_exact(54);
    records.map(|record| u64::from_le_bytes(record[24..32].try_into().expect("eight bytes"))).collect()
}
