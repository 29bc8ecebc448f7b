//! Exported files as any reader of Parquet sees them.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use drivelab_export::rollup::{Rollup, visit_rollup};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::file::reader::{FileReader as _, SerializedFileReader};

/// The files of this name in a destination, by their paths in it.
pub fn named(destination: &Path, name: &str) -> Vec<PathBuf> {
    let all = crate::common::tree(destination).into_iter().map(|(path, _)| path);
    all.filter(|path| path.ends_with(name)).collect()
}

/// The sum of all rollups in a destination.
pub fn rollup_of(destination: &Path) -> Rollup {
    let mut sum = Rollup::default();
    for path in named(destination, "rollup.parquet") {
        let file = File::open(destination.join(path)).expect("a rollup");
        visit_rollup(file, &mut |row| sum.add(row.clone())).expect("a rollup");
    }
    sum
}

/// A column of integers; none where a row has no value.
pub fn column(path: &Path, name: &str) -> Vec<Option<i64>> {
    let file = SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet");
    let columns = file.metadata().file_metadata().schema_descr().columns().to_vec();
    let index = columns.iter().position(|column| column.name() == name).expect("a column");
    let mut values = Vec::new();
    for number in 0..file.num_row_groups() {
        let group = file.get_row_group(number).expect("a row group");
        let rows = usize::try_from(group.metadata().num_rows()).expect("a count");
        match group.get_column_reader(index).expect("a column") {
            reader @ ColumnReader::Int64ColumnReader(_) => values.extend(read::<Int64Type>(reader, rows)),
            reader => {
                let read = read::<Int32Type>(reader, rows).into_iter();
                values.extend(read.map(|value| value.map(i64::from)));
            }
        }
    }
    values
}

fn read<T: DataType>(reader: ColumnReader, rows: usize) -> Vec<Option<T::T>> {
    let (mut values, mut present) = (Vec::new(), Vec::new());
    let mut reader = get_typed_column_reader::<T>(reader);
    reader.read_records(rows, Some(&mut present), None, &mut values).expect("readable values");
    if present.is_empty() {
        return values.into_iter().map(Some).collect();
    }
    let mut values = values.into_iter();
    present.iter().map(|present| if *present == 0 { None } else { values.next() }).collect()
}

/// The catalogue.
pub fn catalogue(destination: &Path) -> Vec<BTreeMap<String, String>> {
    crate::common::tables::table(destination, "catalogue")
}
