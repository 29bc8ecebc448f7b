//! The catalogue: a Parquet file of one row for each run, so that hosts which export at once need no lock.

use bytes::Bytes;
use drivelab_record::MachineId;
use parquet::data_type::{BoolType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use crate::ExportError;
use crate::catalogue_entry::CatalogueEntry;
use crate::destination::Destination;
use crate::exported_files::ExportedForms;
use crate::layout::RunKey;
use crate::small_file::{ColumnsWriter, int, small_file};
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
  OPTIONAL INT64 host_bytes_written;
  OPTIONAL INT64 flash_bytes_written;
  REQUIRED BYTE_ARRAY settings (STRING);
  REQUIRED BYTE_ARRAY conditions (STRING);
  REQUIRED BYTE_ARRAY version (STRING);
  REQUIRED BYTE_ARRAY format (STRING);
  OPTIONAL BYTE_ARRAY machine (STRING);
}";

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
) -> ParquetResult<Vec<u8>> {
    let files = serde_json::to_string(forms).map_err(|error| ParquetError::External(Box::new(error)))?;
    let words = [(FORMAT_WORD, CATALOGUE_FORMAT), (RUN_WORD, &row.key.run), (FILES_WORD, &files)];
    small_file(MESSAGE, &words, |out| write(out, row, counted))
}

fn write(
    out: &mut ColumnsWriter<'_, '_>,
    row: &CatalogueEntry,
    counted: Option<CountedRecords>,
) -> ParquetResult<()> {
    let lasted = row.lasted_ns.or(counted.map(|counted| counted.last_ns)).unwrap_or(0);
    out.texts([Some(row.key.run.as_str())])?;
    out.texts([Some(row.key.host.text())])?;
    out.texts([Some(row.kind.as_str())])?;
    out.texts([row.label.as_deref()])?;
    out.texts([row.drive_model.as_deref()])?;
    out.texts([row.firmware.as_deref()])?;
    out.texts([row.serial.as_deref()])?;
    out.values::<Int64Type>([row.capacity_bytes.map(int)])?;
    out.values::<BoolType>([Some(row.is_simulated)])?;
    out.texts([Some(row.began.at.to_string().as_str())])?;
    out.values::<Int64Type>([Some(int(row.began.unix_ns))])?;
    out.texts([Some(row.began.source.name())])?;
    out.values::<DoubleType>([Some(lasted as f64 / 1e9)])?;
    out.values::<BoolType>([Some(row.is_interrupted)])?;
    out.values::<Int64Type>([counted.map(|counted| int(counted.records))])?;
    out.values::<Int64Type>([Some(int(row.lost_events))])?;
    out.values::<Int64Type>([row.host_bytes_written.map(int)])?;
    out.values::<Int64Type>([row.flash_bytes_written.map(int)])?;
    out.texts([Some(row.settings.as_str())])?;
    out.texts([Some(row.conditions.as_str())])?;
    out.texts([Some(row.version.as_str())])?;
    out.texts([Some(CATALOGUE_FORMAT)])?;
    out.texts([row.key.machine.as_ref().map(MachineId::text)])
}

/// Which files of a run a destination has by its row of the catalogue.
///
/// # Errors
/// Where the destination cannot be read.
pub fn forms_at(destination: &dyn Destination, key: &RunKey) -> Result<ExportedForms, ExportError> {
    Ok(forms_in(destination.read_small(&key.catalogue_file())?, &key.run))
}

/// Which files there are by the row of the catalogue; none where it is not there, is not whole, or is of another version.
fn forms_in(row: Option<Bytes>, run: &str) -> ExportedForms {
    let read = || {
        let reader = SerializedFileReader::new(row?).ok()?;
        let words = reader.metadata().file_metadata().key_value_metadata()?;
        let is = |name: &str, value: &str| word(words, name).is_some_and(|found| found == value);
        if !is(FORMAT_WORD, CATALOGUE_FORMAT) || !is(RUN_WORD, run) {
            return None;
        }
        serde_json::from_str(word(words, FILES_WORD)?).ok()
    };
    read().unwrap_or_default()
}
