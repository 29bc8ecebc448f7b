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
    segments(run).iter().flat_map(|segment| column_of(segment, name)).collect()
}

/// A column of a segment.
fn column_of(segment: &Path, name: &str) -> Vec<i64> {
    let index = COLUMNS.iter().position(|(column, _)| *column == name).expect("a column");
    let mut values = Vec::new();
    let file = open(segment);
    for number in 0..file.num_row_groups() {
        let group = file.get_row_group(number).expect("a row group");
        let rows = usize::try_from(group.metadata().num_rows()).expect("a count");
        match group.get_column_reader(index).expect("a column") {
            reader @ ColumnReader::Int64ColumnReader(_) => values.extend(read::<Int64Type>(reader, rows)),
            reader => values.extend(read::<Int32Type>(reader, rows).into_iter().map(i64::from)),
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

/// The completion times of the records that a tail holds, and of those in the row groups that it names.
///
/// After a line of 16 bytes come blocks: a head (kind, count, number of the first record: 4, 4 and 8 bytes) with a checksum of 4,
/// and then records of 50 bytes with a checksum of 4, the completion time in the word at byte 24; or as many bytes with a
/// checksum of 4: rows, bytes and sum of the row groups (8 bytes each), and the footer by which they are read.
pub fn tail_completion_times(tail: &Path) -> Vec<u64> {
    let bytes = std::fs::read(tail).expect("a tail");
    let mut rest = bytes.get(16..).unwrap_or_default();
    let mut times = Vec::new();
    while let Some((head, behind)) = rest.split_at_checked(20) {
        let count = u32::from_le_bytes(head[4..8].try_into().expect("four bytes")) as usize;
        let is_groups = head[0] == 2;
        let length = if is_groups { count + 4 } else { count * 54 };
        let (block, behind) = behind.split_at(length.min(behind.len()));
        let first = usize::try_from(word(&head[8..])).expect("a number");
        if is_groups && block.len() == length {
            times = grouped(tail, &block[..count]);
            assert_eq!(times.len(), first, "rows of the groups");
        } else if !is_groups {
            times.truncate(first);
            assert_eq!(times.len(), first, "no row is left out");
            times.extend(block.chunks_exact(54).map(|record| word(&record[24..])));
        }
        rest = behind;
    }
    times
}

/// The completion times of row groups that a block of a tail names.
fn grouped(tail: &Path, block: &[u8]) -> Vec<u64> {
    let mut segment = std::fs::read(tail.with_extension("parquet.partial")).expect("the segment");
    segment.truncate(usize::try_from(word(&block[8..])).expect("a length"));
    segment.extend_from_slice(&block[24..]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("groups.parquet");
    std::fs::write(&path, segment).expect("room on disk");
    let (submitted, latency) = (column_of(&path, "submit_time_ns"), column_of(&path, "latency_ns"));
    submitted.iter().zip(&latency).map(|(at, latency)| (at + latency).unsigned_abs()).collect()
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}
