//! What an export did.

use std::path::Path;

use drivelab_export::{ExportForm, ExportSource, ExportedResult};
use drivelab_runner::{Ending, Failure, one_line, output};
use drivelab_view::format;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::ExportPlace;

/// What an export did, as `--json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportDocument {
    /// The name and version of the document.
    schema: &'static str,
    /// The destination as it was typed.
    to: String,
    /// What was exported of each result.
    form: FormName,
    /// The results that are in the destination now.
    pub results: Vec<ExportedDocument>,
    /// Why others are not, a sentence each.
    pub left_out: Vec<String>,
    /// What is doubtful of the clocks of machines, a sentence each.
    pub clocks: Vec<String>,
}

/// What was exported of each result.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FormName {
    /// Every record.
    Records,
    /// The rollup.
    Rollup,
}

/// A result that is in the destination.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportedDocument {
    /// Its folder.
    folder: String,
    /// The ID of the run in the destination.
    run: String,
    /// The machine.
    host: String,
    /// Whether a simulated drive begins at the beginning of 1970, as no time was given.
    is_in_virtual_time: bool,
    /// How many records it has; null where it keeps none, and has a row of the catalogue only.
    records: Option<u64>,
    /// Its files in the destination, one a day.
    files: u64,
    /// Their length.
    bytes: u64,
    /// Those of them that were not there before.
    written_files: u64,
    /// Their length.
    written_bytes: u64,
    /// Whether its row of the catalogue or of the table of drives was not there before, or was another one.
    is_row_written: bool,
}

impl ExportedDocument {
    /// Of a result in a folder.
    pub fn from_export(folder: &Path, source: &ExportSource, exported: &ExportedResult) -> ExportedDocument {
        ExportedDocument {
            folder: folder.display().to_string(),
            run: source.run().to_owned(),
            host: source.host().to_string(),
            is_in_virtual_time: source.is_in_virtual_time(),
            records: exported.records,
            files: exported.files,
            bytes: exported.bytes,
            written_files: exported.written_files,
            written_bytes: exported.written_bytes,
            is_row_written: exported.is_row_written,
        }
    }

    /// One line of the summary.
    fn line(&self) -> String {
        let ExportedDocument { folder, run, host, .. } = self;
        let what = match self.records {
            None => "it keeps no records, a row of the catalogue".to_owned(),
            Some(records) => format!(
                "{}, {} of {}",
                format::things(records, "I/O"),
                format::things(self.files, "file"),
                format::bytes(self.bytes as f64)
            ),
        };
        let was_there = self.written_files == 0 && !self.is_row_written;
        let state = if was_there { ", was there already" } else { "" };
        one_line(&format!("{folder}: host {host}, run {run}: {what}{state}"))
    }
}

impl ExportDocument {
    pub(crate) const SCHEMA: &'static str = "drivelab.export/1";

    /// Of an export that begins.
    pub fn new(to: &ExportPlace, form: ExportForm, left_out: Vec<String>) -> ExportDocument {
        let form = match form {
            ExportForm::Records => FormName::Records,
            ExportForm::Rollup => FormName::Rollup,
        };
        let to = to.to_string();
        ExportDocument {
            schema: ExportDocument::SCHEMA,
            to,
            form,
            results: Vec::new(),
            left_out,
            clocks: Vec::new(),
        }
    }

    /// Prints it, or its summary.
    pub fn print(&self, as_json: bool) -> Result<Ending, Failure> {
        let virtual_time = self.results.iter().filter(|result| result.is_in_virtual_time).count() as u64;
        if virtual_time > 0 {
            output::say(format_args!(
                "{} of simulated drives: their records begin at 1970-01-01T00:00:00+00:00; --started TIME names another begin",
                format::things(virtual_time, "result")
            ));
        }
        if as_json {
            return output::print_json(self);
        }
        let lines: String = self.results.iter().map(|result| result.line() + "\n").collect();
        let written = self.results.iter().map(|result| result.written_files).sum();
        let bytes: u64 = self.results.iter().map(|result| result.written_bytes).sum();
        let results = format::things(self.results.len() as u64, "result");
        let (files, bytes) = (format::things(written, "file"), format::bytes(bytes as f64));
        let to = one_line(&self.to);
        output::print(&format!("{lines}{results} in {to}, {files} written ({bytes})\n"))
    }
}
