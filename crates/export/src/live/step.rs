//! One thing to be written for a recording that goes on.

use std::path::PathBuf;
use std::sync::Arc;

use crate::rollup::{Rollup, RollupRow};

use super::waiting::WaitingFile;
use crate::catalogue;
use crate::destination::{Destination, Readers};
use crate::exported_files::{ExportedFile, ExportedFiles};
use crate::rolled::TraceOrigin;
use crate::rollup_file::RollupFile;
use crate::rows::ResultRows;
use crate::{ExportError, ExportForm};

/// What is to be written next.
pub struct LiveStep(pub(super) StepKind);

pub(super) enum StepKind {
    Day(DayStep),
    Rows(Box<RowsStep>),
}

/// The rollup of a day.
pub(super) struct DayStep {
    pub file: WaitingFile,
    pub path: PathBuf,
    pub run: String,
    /// The names of the devices.
    pub origin: Arc<TraceOrigin>,
}

/// The rows of the catalogue and of the table of drives.
pub(super) struct RowsStep {
    pub rows: ResultRows,
    pub files: ExportedFiles,
    /// How often something changed in them until now.
    pub version: u64,
}

/// What was written.
pub struct WrittenStep(pub(super) WrittenKind);

pub(super) enum WrittenKind {
    Day(WaitingFile, ExportedFile),
    Rows { version: u64 },
}

impl LiveStep {
    /// Writes it. Whole files appear, or nothing does.
    ///
    /// # Errors
    /// Where the destination cannot be written; the same step may be written again.
    pub fn write(self, destination: &dyn Destination) -> Result<WrittenStep, ExportError> {
        Ok(WrittenStep(match self.0 {
            StepKind::Day(day) => {
                let file = ExportedFile { bytes: day.write(destination)?, path: day.path };
                WrittenKind::Day(day.file, file)
            }
            StepKind::Rows(rows) => {
                // An export of the trace may have written another form of it.
                let RowsStep { rows, files, version } = *rows;
                let mut forms = catalogue::forms_at(destination, &rows.row.key)?;
                forms.set(ExportForm::Rollup, files.clone());
                rows.write(destination, &forms, Some(&files))?;
                WrittenKind::Rows { version }
            }
        }))
    }
}

impl DayStep {
    fn write(&self, destination: &dyn Destination) -> Result<u64, ExportError> {
        let mut intervals = self.file.intervals.clone();
        intervals.sort_by_key(|packed| packed.interval());
        let mut file = RollupFile::begin(destination, &self.path, Readers::All, self.file.life)?;
        for parts in intervals.chunk_by(|one, other| one.interval() == other.interval()) {
            let mut rollup = Rollup::default();
            for part in parts {
                part.rows().for_each(|row| {
                    rollup.add_row(&RollupRow {
                        interval: part.interval(),
                        device: Arc::clone(self.origin.device(row.device)),
                        is_measured: true,
                        op: row.op,
                        bucket: row.bucket,
                        sums: row.sums,
                    });
                });
            }
            file.append(&rollup)?;
        }
        file.finish(&self.run)?.publish()
    }
}
