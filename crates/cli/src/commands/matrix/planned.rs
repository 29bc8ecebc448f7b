//! A matrix once everything about it is settled, and what its folder keeps besides `run.json` so that it can go on after a kill.

use std::fs::{self, File};
use std::path::Path;

use drivelab_block::ByteCount;
use drivelab_record::RunFolder;
use drivelab_runner::{Failure, SafetyOptions, output};
use drivelab_tests::ResultKind as _;
use drivelab_tests::matrix::{LeftOut, Matrix, MatrixPlan, MatrixSettings};
use drivelab_workload::Seed;
use serde::{Deserialize, Serialize};

/// The name and version of [`Confirmed`].
pub const CONFIRMED_SCHEMA: &str = "drivelab.matrix-resume/1";
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
    /// What was confirmed.
    pub confirmed: Confirmed,
}

/// What was confirmed when the run was begun, and on what: what a run that goes on has to know besides its `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirmed {
    /// [`CONFIRMED_SCHEMA`].
    pub schema: String,
    /// Which drive, image or simulated drive it is on.
    pub identity: String,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOut>,
    /// The serial numbers that were typed.
    pub serial: Vec<String>,
    /// Whether contents may be destroyed.
    pub destroy_data: bool,
    /// The size that the image was made with.
    pub file_bytes: Option<u64>,
    /// In degrees Celsius.
    pub temperature_limit: i32,
    /// Whether a failing drive is to be tested.
    pub ignore_health: bool,
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
        let text = fs::read(&path).map_err(|error| {
            failed(&format!("{} cannot be read ({error}): begin a new run", path.display()))
        })?;
        let confirmed: Confirmed = serde_json::from_slice(&text).map_err(|error| damaged(&path, &error))?;
        if confirmed.schema != CONFIRMED_SCHEMA {
            let (named, schema) = (path.display(), confirmed.schema);
            return Err(failed(&format!("{named} is of another version ({schema}): begin a new run")));
        }
        Ok(PlannedMatrix { target: run.target, seed: run.seed, settings, confirmed })
    }

    /// The cells and their order, checked.
    pub fn plan(&self) -> Result<MatrixPlan, Failure> {
        Ok(self.settings.plan(Seed::new(self.seed))?)
    }

    /// Refuses to go on elsewhere: what was confirmed was confirmed for one drive, and so are the cells that are there.
    pub fn check_identity(&self, found: &str) -> Result<(), Failure> {
        let kept = &self.confirmed.identity;
        if kept == found {
            return Ok(());
        }
        Err(Failure::Refused(format!(
            "--resume: the run was begun on {kept}, and {} is {found} now: begin a new run",
            self.target
        )))
    }
}

impl Confirmed {
    /// Puts it into a folder, so that it survives a power cut.
    pub fn keep(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(FILE);
        output::write_file(&path, &output::pretty(self)?)?;
        for place in [&path, folder] {
            let synced = File::open(place).and_then(|file| file.sync_all());
            synced.map_err(|error| Failure::not_written(place, &error))?;
        }
        Ok(())
    }

    /// What was confirmed before anything was written, together with what is confirmed now.
    pub fn safety(&self, now: &SafetyOptions) -> SafetyOptions {
        let serial = if now.serial.is_empty() { self.serial.clone() } else { now.serial.clone() };
        SafetyOptions {
            serial,
            destroy_data: self.destroy_data || now.destroy_data,
            file_size: self.file_bytes.map(ByteCount::new),
            temperature_limit: self.temperature_limit,
            ignore_health: self.ignore_health || now.ignore_health,
            dry_run: now.dry_run,
        }
    }
}
