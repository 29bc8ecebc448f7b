//! A matrix once everything about it is settled.

use std::path::Path;

use drivelab_kinds::ResultKind as _;
use drivelab_kinds::matrix::{Matrix, MatrixSettings};
use drivelab_record::{Drive, RunFolder};
use drivelab_runner::{BegunMatrix, Failure};

/// A matrix with nothing left open.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedMatrix {
    /// What is written to, as it is named from every folder.
    pub target: String,
    /// The seed of orders, addresses and data.
    pub seed: u64,
    /// What is asked.
    pub settings: MatrixSettings,
    /// The drive that it was begun on; nothing is known of that before the run begins.
    pub drive: Drive,
    /// What it was begun on.
    pub begun: BegunMatrix,
}

impl PlannedMatrix {
    /// The run that a folder keeps.
    pub fn in_folder(folder: &Path) -> Result<PlannedMatrix, Failure> {
        let failed = |why: &dyn std::fmt::Display| Failure::Usage(format!("--resume: {why}"));
        let (_, run) = RunFolder::open(folder).map_err(|error| failed(&error))?;
        if run.method != Matrix::NAME {
            let text =
                format!("{} is a run of {}: name the folder of a matrix", folder.display(), run.method);
            return Err(failed(&text));
        }
        let settings = serde_json::from_value(run.settings).map_err(|error| {
            let file = folder.join("run.json");
            failed(&format!("{} is damaged ({error}): put back a whole copy", file.display()))
        })?;
        let begun = BegunMatrix::in_folder(folder)?;
        Ok(PlannedMatrix { target: run.target, seed: run.seed, settings, drive: run.drive, begun })
    }

    /// Checks the settings.
    pub fn check(&self) -> Result<(), Failure> {
        Ok(self.settings.check()?)
    }

    /// Refuses to go on elsewhere: the cells that are there are those of one drive.
    pub fn check_identity(&self, found: &str) -> Result<(), Failure> {
        let kept = &self.begun.identity;
        if kept == found {
            return Ok(());
        }
        Err(Failure::Refused(format!(
            "--resume: the run was begun on {kept}, and the target is {found}: name the target that it was \
            begun on, or begin a new run"
        )))
    }
}
