//! The catalogue: a Parquet file of one row for each run, so that hosts which export at once need no lock.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use drivelab_files::open_regular;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;

use crate::catalogue_entry::CatalogueEntry;
use crate::exported_files::ExportedForms;
use crate::whole::{FORMAT_WORD, RUN_WORD, word};

/// The name and version of the format, kept in each file under the key `drivelab.format` and in the column `format`.
pub const CATALOGUE_FORMAT: &str = "drivelab.catalogue/1";

/// The word of the footer that lists the files of the run.
const FILES_WORD: &str = "drivelab.files";

/// The columns, which docs/exporting.md describes.
const MESSAGE: &str = "
message catalogue {
  REQUIRED BYTE_ARRAY run (STRING);
  REQUIRED BYTE_ARRAY host (STRING);
  REQUIRED BYTE_ARRAY kind (STRING);
  OPTIONAL BYTE_ARRAY label (STRING);
  OPTIONAL BYTE_ARRAY drive_model (STRING);
  OPTIONAL BYTE_ARRAY firmware (STRING);
  OPTIONAL BYTE_ARRAY serial (STRING);
  OPTIONAL INT64 capacity_bytes;
  REQUIRED BOOLEAN simulated;
  REQUIRED BYTE_ARRAY start (STRING);
  REQUIRED INT64 start_unix_ns;
  REQUIRED BYTE_ARRAY start_source (STRING);
  REQUIRED DOUBLE seconds;
  REQUIRED BOOLEAN interrupted;
  OPTIONAL INT64 records;
  REQUIRED INT64 lost_events;
  REQUIRED BYTE_ARRAY settings (STRING);
  REQUIRED BYTE_ARRAY conditions (STRING);
  REQUIRED BYTE_ARRAY version (STRING);
  REQUIRED BYTE_ARRAY format (STRING);
}";

static SCHEMA: LazyLock<TypePtr> =
    LazyLock::new(|| Arc::new(parse_message_type(MESSAGE).expect("the schema above is well formed")));

/// What was counted while the records were read; none of a run without records.
#[derive(Clone, Copy)]
pub struct CountedRecords {
    pub records: u64,
    pub last_ns: u64,
}

/// The file of a row. Equal rows give equal bytes.
pub fn file_of(
    row: &CatalogueEntry,
    counted: Option<CountedRecords>,
    forms: &ExportedForms,
) -> Result<Vec<u8>> {
    let properties = WriterProperties::builder()
        .set_created_by("drivelab".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_offset_index_disabled(true);
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::clone(&SCHEMA), Arc::new(properties.build()))?;
    let mut group = file.next_row_group()?;
    write(&mut EntryWriter(&mut group), row, counted)?;
    group.close()?;
    let files = serde_json::to_string(forms).map_err(|error| ParquetError::External(Box::new(error)))?;
    for (name, value) in [(FORMAT_WORD, CATALOGUE_FORMAT), (RUN_WORD, &row.run), (FILES_WORD, &files)] {
        file.append_key_value_metadata(KeyValue::new(name.to_owned(), value.to_owned()));
    }
    file.into_inner()
}

fn write(out: &mut EntryWriter<'_, '_>, row: &CatalogueEntry, counted: Option<CountedRecords>) -> Result<()> {
    // Lengths, times and counts are below 2^63.
    let int = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let lasted = row.lasted_ns.or(counted.map(|counted| counted.last_ns)).unwrap_or(0);
    out.text(Some(&row.run))?;
    out.text(Some(&row.host))?;
    out.text(Some(&row.kind))?;
    out.text(row.label.as_deref())?;
    out.text(row.drive_model.as_deref())?;
    out.text(row.firmware.as_deref())?;
    out.text(row.serial.as_deref())?;
    out.value::<Int64Type>(row.capacity_bytes.map(int))?;
    out.value::<BoolType>(Some(row.is_simulated))?;
    out.text(Some(&row.start.to_string()))?;
    out.value::<Int64Type>(Some(int(row.start_unix_ns)))?;
    out.text(Some(row.start_source.name()))?;
    out.value::<DoubleType>(Some(lasted as f64 / 1e9))?;
    out.value::<BoolType>(Some(row.is_interrupted))?;
    out.value::<Int64Type>(counted.map(|counted| int(counted.records)))?;
    out.value::<Int64Type>(Some(int(row.lost_events)))?;
    out.text(Some(&row.settings))?;
    out.text(Some(&row.conditions))?;
    out.text(Some(&row.version))?;
    out.text(Some(CATALOGUE_FORMAT))
}

/// A row that is being written, a column after the other.
struct EntryWriter<'a, 'b>(&'a mut SerializedRowGroupWriter<'b, Vec<u8>>);

impl EntryWriter<'_, '_> {
    fn text(&mut self, text: Option<&str>) -> Result<()> {
        self.value::<ByteArrayType>(text.map(|text| ByteArray::from(text.as_bytes().to_vec())))
    }

    fn value<T: DataType>(&mut self, value: Option<T::T>) -> Result<()> {
        let missing = || ParquetError::General("the schema has fewer columns".to_owned());
        let mut column = self.0.next_column()?.ok_or_else(missing)?;
        // A column that has a value in every row takes no notice of this.
        let present = [i16::from(value.is_some())];
        let values: Vec<T::T> = value.into_iter().collect();
        column.typed::<T>().write_batch(&values, Some(&present), None)?;
        column.close()
    }
}

/// Which files there are by the row of the catalogue; none where it is not there, is not whole, or is of another version.
pub fn forms_in(path: &Path, run: &str) -> ExportedForms {
    let read = || {
        let reader = SerializedFileReader::new(open_regular(path).ok()?).ok()?;
        let words = reader.metadata().file_metadata().key_value_metadata()?;
        let is = |name: &str, value: &str| word(words, name).is_some_and(|found| found == value);
        if !is(FORMAT_WORD, CATALOGUE_FORMAT) || !is(RUN_WORD, run) {
            return None;
        }
        serde_json::from_str(word(words, FILES_WORD)?).ok()
    };
    read().unwrap_or_default()
}
