//! What an export did.

use std::path::Path;

use drivelab_export::{ExportForm, ExportSource, ExportedResult};
use drivelab_runner::{Ending, Failure, one_line, output, say};
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
    form: ExportForm,
    /// The results that are in the destination now.
    pub results: Vec<ExportedDocument>,
    /// Why others are not, a sentence each.
    pub left_out: Vec<String>,
    /// What is doubtful of the clocks of machines, a sentence each.
    pub clocks: Vec<String>,
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
    /// What came of it.
    #[serde(flatten)]
    exported: ExportedResult,
}

impl ExportedDocument {
    pub fn from_export(folder: &Path, source: &ExportSource, exported: ExportedResult) -> ExportedDocument {
        ExportedDocument {
            folder: folder.display().to_string(),
            run: source.run().to_owned(),
            host: source.host().to_string(),
            is_in_virtual_time: source.is_in_virtual_time(),
            exported,
        }
    }

    fn line(&self) -> String {
        let ExportedDocument { folder, run, host, exported, .. } = self;
        let what = match exported.records {
            None => "it keeps no records, a row of the catalogue".to_owned(),
            Some(records) => format!(
                "{}, {} of {}",
                format::things(records, "I/O"),
                format::things(exported.files, "file"),
                format::bytes(exported.bytes as f64)
            ),
        };
        let was_there = exported.written_files == 0 && !exported.is_row_written;
        let state = if was_there { ", was there already" } else { "" };
        one_line(&format!("{folder}: host {host}, run {run}: {what}{state}"))
    }
}

impl ExportDocument {
    pub(crate) const SCHEMA: &'static str = "drivelab.export/1";

    pub fn new(to: &ExportPlace, form: ExportForm, left_out: Vec<String>) -> ExportDocument {
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

    pub fn print(&self, as_json: bool) -> Result<Ending, Failure> {
        let virtual_time = self.results.iter().filter(|result| result.is_in_virtual_time).count() as u64;
        if virtual_time > 0 {
            say!(
                "{} of simulated drives: their records begin at 1970-01-01T00:00:00+00:00; --started TIME names another begin",
                format::things(virtual_time, "result")
            );
        }
        if as_json {
            return output::print_json(self);
        }
        let lines: String = self.results.iter().map(|result| result.line() + "\n").collect();
        let written = self.results.iter().map(|result| result.exported.written_files).sum();
        let bytes: u64 = self.results.iter().map(|result| result.exported.written_bytes).sum();
        let results = format::things(self.results.len() as u64, "result");
        let (files, bytes) = (format::things(written, "file"), format::bytes(bytes as f64));
        let to = one_line(&self.to);
        output::print(&format!("{lines}{results} in {to}, {files} written ({bytes})\n"))
    }
}
