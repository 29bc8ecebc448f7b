//! Which files an export has made, as the catalogue keeps it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ExportError;
use crate::destination::Destination;

// Records have all their columns, sorted by time. The rollup is that of the records.
/// What was exported of each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "FormName")]
pub enum ExportForm {
    /// Every record.
    Records,
    /// The rollup.
    Rollup,
}

/// What was exported of a run, in each form.
pub type ExportedForms = BTreeMap<ExportForm, ExportedFiles>;

/// The files of a run in one form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedFiles {
    /// How many records the run has.
    pub records: u64,
    /// When the last of them was submitted, in nanoseconds after the beginning of the run.
    pub last_ns: u64,
    /// One for each day that has records.
    pub files: Vec<ExportedFile>,
    /// Of a recorded trace the sum of its segments, once all that it holds is in the files. Its ID is known when the recording
    /// begins, and does not tell how much of it there was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedFile {
    /// Its path in the destination.
    pub path: PathBuf,
    pub bytes: u64,
}

impl ExportedFiles {
    /// Whether every file is there as it was made.
    pub fn are_whole(
        &self,
        destination: &dyn Destination,
        run: &str,
        format: &str,
    ) -> Result<bool, ExportError> {
        for file in &self.files {
            let there = destination.whole_file(&file.path, run, format)?;
            if there.is_none_or(|there| there.bytes != file.bytes) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}
