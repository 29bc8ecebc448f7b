//! The small tables of an export as any reader of Parquet sees them.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};

/// A table of small files, a map of columns a row, in the order of the files' names.
pub fn table(destination: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let mut rows = Vec::new();
    let folder = destination.join(name);
    for (path, _) in super::tree(&folder) {
        let file = SerializedFileReader::new(File::open(folder.join(path)).expect("a row")).expect("Parquet");
        for row in file.get_row_iter(None).expect("rows") {
            let row = row.expect("a row");
            let cell = |(name, value): (&String, &parquet::record::Field)| {
                (name.clone(), value.to_string().trim_matches('"').to_owned())
            };
            rows.push(row.get_column_iter().map(cell).collect());
        }
    }
    rows
}
