//! The catalogue: a Parquet file of one row for each run, so that hosts which export at once need no lock.

use bytes::Bytes;
use drivelab_block::worded_enum;
use drivelab_documents::{ClockTime, MachineId, Manifest};
use drivelab_trace::TraceManifest;
use parquet::basic::FieldRepetitionType::{OPTIONAL, REQUIRED};
use parquet::data_type::{BoolType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use crate::ExportError;
use crate::destination::Destination;
use crate::exported_files::{ExportedFiles, ExportedForms};
use crate::layout::RunKey;
use crate::rollup::FORMAT_WORD;
use crate::small_file::{SmallFile, int};
use crate::whole::{RUN_WORD, word};

/// The name and version of the format, kept in each file under the key `drivelab.format` and in the column `format`.
pub const CATALOGUE_FORMAT: &str = "drivelab.catalogue/1";

/// The word of the footer that lists the files of the run.
const FILES_WORD: &str = "drivelab.files";

worded_enum! {
    /// Where the time comes from at which a result begins.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StartSource {
        /// From the clock of its machine, or of the source of an import.
        Clock = "clock",
        /// It was given when the result was exported.
        Given = "given",
        /// There is none: a simulated drive began at the beginning of 1970.
        Virtual = "virtual",
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Began {
    /// By the clock of the machine, with how far that is ahead of UTC.
    pub at: ClockTime,
    pub unix_ns: u64,
    pub source: StartSource,
}

/// A row of the catalogue but for what is counted while the records are read.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    pub key: RunKey,
    pub began: Began,
    /// The kind of test, `trace` or `boot`.
    pub kind: String,
    /// None of a trace.
    pub label: Option<String>,
    pub drive_model: Option<String>,
    pub firmware: Option<String>,
    pub serial: Option<String>,
    pub capacity_bytes: Option<u64>,
    pub is_simulated: bool,
    /// How long it lasted; none of a trace, which lasts until its last record.
    pub lasted_ns: Option<u64>,
    pub is_interrupted: bool,
    /// Events that the source of a trace lost: as many records, or some fewer, are missing or have no service time.
    pub lost_events: u64,
    /// What was written to the drive, and by it to its flash, in bytes; none where its counters were not read.
    pub host_bytes_written: Option<u64>,
    pub flash_bytes_written: Option<u64>,
    /// As JSON.
    pub settings: String,
    /// As JSON.
    pub conditions: String,
    /// The version of drivelab that made it.
    pub version: String,
}

impl CatalogueEntry {
    /// That of a run whose manifest may be shown as it is.
    pub fn of_run(key: RunKey, began: Began, run: &Manifest) -> CatalogueEntry {
        // Both were read from JSON.
        let conditions = serde_json::to_string(&run.conditions).unwrap_or_default();
        let written = run.outcome.as_ref().and_then(|outcome| outcome.written).unwrap_or_default();
        CatalogueEntry {
            key,
            began,
            kind: run.method.clone(),
            label: Some(run.label.clone()),
            drive_model: Some(run.drive.model.clone()),
            firmware: run.drive.firmware.clone(),
            serial: run.drive.serial.clone(),
            capacity_bytes: Some(run.drive.size_bytes),
            is_simulated: run.drive.simulated,
            lasted_ns: Some(run.phases.iter().filter_map(|phase| phase.ended_at_ns).max().unwrap_or(0)),
            is_interrupted: run
                .outcome
                .as_ref()
                .is_some_and(|outcome| outcome.interrupted || outcome.broke_off),
            lost_events: 0,
            host_bytes_written: written.host.map(|counted| counted.amount),
            flash_bytes_written: written.flash.map(|counted| counted.amount),
            settings: run.settings.to_string(),
            conditions,
            version: run.version.clone(),
        }
    }

    /// That of a trace, or of the trace of a boot.
    pub fn of_trace(key: RunKey, began: Began, trace: &TraceManifest, is_boot: bool) -> CatalogueEntry {
        let account = trace.account.as_ref().or(trace.so_far.as_ref());
        CatalogueEntry {
            key,
            began,
            kind: if is_boot { "boot" } else { "trace" }.to_owned(),
            label: trace.label.clone(),
            drive_model: None,
            firmware: None,
            serial: None,
            capacity_bytes: None,
            is_simulated: false,
            lasted_ns: None,
            is_interrupted: false,
            lost_events: account.map_or(0, |account| account.lost_events),
            host_bytes_written: None,
            flash_bytes_written: None,
            settings: serde_json::json!({ "source": trace.source }).to_string(),
            conditions: "[]".to_owned(),
            version: trace.version.clone(),
        }
    }
}

/// The file of a row; `counted` are the files of the form that was read, none of a run without records. Equal rows give equal
/// bytes.
pub fn file_of(
    row: &CatalogueEntry,
    counted: Option<&ExportedFiles>,
    forms: &ExportedForms,
) -> ParquetResult<Vec<u8>> {
    let files = serde_json::to_string(forms).map_err(|error| ParquetError::External(Box::new(error)))?;
    let words = [(FORMAT_WORD, CATALOGUE_FORMAT), (RUN_WORD, &row.key.run), (FILES_WORD, &files)];
    let lasted = row.lasted_ns.or(counted.map(|counted| counted.last_ns)).unwrap_or(0);
    let began = row.began.at.to_string();
    let mut out = SmallFile::new("catalogue");
    out.texts(REQUIRED, "run", [Some(row.key.run.as_str())]);
    out.texts(REQUIRED, "host", [Some(row.key.host.text())]);
    out.texts(REQUIRED, "kind", [Some(row.kind.as_str())]);
    out.texts(OPTIONAL, "label", [row.label.as_deref()]);
    out.texts(OPTIONAL, "drive_model", [row.drive_model.as_deref()]);
    out.texts(OPTIONAL, "firmware", [row.firmware.as_deref()]);
    out.texts(OPTIONAL, "serial", [row.serial.as_deref()]);
    out.values::<Int64Type>(OPTIONAL, "capacity_bytes", [row.capacity_bytes.map(int)]);
    out.values::<BoolType>(REQUIRED, "simulated", [Some(row.is_simulated)]);
    out.texts(REQUIRED, "start", [Some(began.as_str())]);
    out.values::<Int64Type>(REQUIRED, "start_unix_ns", [Some(int(row.began.unix_ns))]);
    out.texts(REQUIRED, "start_source", [Some(row.began.source.word())]);
    out.values::<DoubleType>(REQUIRED, "seconds", [Some(lasted as f64 / 1e9)]);
    out.values::<BoolType>(REQUIRED, "interrupted", [Some(row.is_interrupted)]);
    out.values::<Int64Type>(OPTIONAL, "records", [counted.map(|counted| int(counted.records))]);
    out.values::<Int64Type>(REQUIRED, "lost_events", [Some(int(row.lost_events))]);
    out.values::<Int64Type>(OPTIONAL, "host_bytes_written", [row.host_bytes_written.map(int)]);
    out.values::<Int64Type>(OPTIONAL, "flash_bytes_written", [row.flash_bytes_written.map(int)]);
    out.texts(REQUIRED, "settings", [Some(row.settings.as_str())]);
    out.texts(REQUIRED, "conditions", [Some(row.conditions.as_str())]);
    out.texts(REQUIRED, "version", [Some(row.version.as_str())]);
    out.texts(REQUIRED, "format", [Some(CATALOGUE_FORMAT)]);
    out.texts(OPTIONAL, "machine", [row.key.machine.as_ref().map(MachineId::text)]);
    out.finish(&words)
}

/// Which files of a run a destination has by its row of the catalogue.
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
