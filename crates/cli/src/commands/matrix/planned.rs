//! A matrix once everything about it is settled, and what its folder keeps besides `run.json` so that it can go on after a kill.
//!
//! Anybody may have written in such a folder: it says what is to be measured, and never what may be destroyed
//! for it.

use std::fs::File;
use std::path::Path;

use drivelab_kinds::ResultKind as _;
use drivelab_kinds::matrix::{LeftOutCell, Matrix, MatrixPlan, MatrixSettings};
use drivelab_record::{Drive, RunFolder};
use drivelab_runner::{Failure, output};
use drivelab_workload::Seed;
use serde::{Deserialize, Serialize};

/// The name and version of [`Begun`].
pub const BEGUN_SCHEMA: &str = "drivelab.matrix-resume/2";
/// Its file.
const FILE: &str = "resume.json";

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
    pub begun: Begun,
}

/// What the run was begun on: what a run that goes on has to know besides its `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// [`BEGUN_SCHEMA`].
    pub schema: String,
    /// Which drive, image or simulated drive it is on.
    pub identity: String,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOutCell>,
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
        let damaged = |file: &Path, error: &dyn std::fmt::Display| {
            failed(&format!("{} is damaged ({error}): put back a whole copy", file.display()))
        };
        let settings = serde_json::from_value(run.settings)
            .map_err(|error| damaged(&folder.join("run.json"), &error))?;
        let path = folder.join(FILE);
        let text = drivelab_files::read(&path, drivelab_files::SMALL).map_err(|error| {
            failed(&format!("{} cannot be read ({error}): begin a new run", path.display()))
        })?;
        let version: BeginFileVersion =
            serde_json::from_slice(&text).map_err(|error| damaged(&path, &error))?;
        if version.schema != BEGUN_SCHEMA {
            let (named, schema) = (path.display(), version.schema);
            return Err(failed(&format!("{named} is of another version ({schema}): begin a new run")));
        }
        let begun: Begun = serde_json::from_slice(&text).map_err(|error| damaged(&path, &error))?;
        Ok(PlannedMatrix { target: run.target, seed: run.seed, settings, drive: run.drive, begun })
    }

    /// The cells and their order, checked.
    pub fn plan(&self) -> Result<MatrixPlan, Failure> {
        Ok(self.settings.plan(Seed::new(self.seed))?)
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

/// Which version of the file it is.
#[derive(Deserialize)]
struct BeginFileVersion {
    schema: String,
}

impl Begun {
    /// Puts it into a folder, so that it survives a power cut.
    pub fn keep(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(FILE);
        output::write_file(&path, &output::pretty(self)?, output::OwnFile::Json)?;
        for place in [&path, folder] {
            let synced = File::open(place).and_then(|file| file.sync_all());
            synced.map_err(|error| Failure::not_written(place, &error))?;
        }
        Ok(())
    }
}
