//! What the folder of a matrix keeps besides `run.json`, so that the run can go on after a kill.
//!
//! Anybody may have written in such a folder: it says what is to be measured, and never what may be destroyed for it.

use std::fs::File;
use std::path::Path;

use drivelab_kinds::matrix::LeftOutCell;
use serde::{Deserialize, Serialize};

use crate::{Failure, output};

/// The name and version of [`Begun`].
const SCHEMA: &str = "drivelab.matrix-resume/2";
/// Its file.
const FILE: &str = "resume.json";

/// What the run was begun on: what a run that goes on has to know besides its `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// [`SCHEMA`].
    schema: String,
    /// Which drive, image or simulated drive it is on.
    pub identity: String,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOutCell>,
}

/// Which version of the file it is.
#[derive(Deserialize)]
struct BeginFileVersion {
    schema: String,
}

impl Begun {
    /// What a new run is begun on.
    pub fn new(identity: String, left_out: Vec<LeftOutCell>) -> Begun {
        Begun { schema: SCHEMA.to_owned(), identity, left_out }
    }

    /// What a folder keeps.
    ///
    /// # Errors
    /// Where it is not there, or damaged, or of another version.
    pub fn in_folder(folder: &Path) -> Result<Begun, Failure> {
        let path = folder.join(FILE);
        let named = path.display();
        let failed = |why: String| Failure::Usage(format!("--resume: {why}"));
        let damaged = |error| failed(format!("{named} is damaged ({error}): put back a whole copy"));
        let text = drivelab_files::read(&path, drivelab_files::SMALL)
            .map_err(|error| failed(format!("{named} cannot be read ({error}): begin a new run")))?;
        let version: BeginFileVersion = serde_json::from_slice(&text).map_err(damaged)?;
        if version.schema != SCHEMA {
            let schema = version.schema;
            return Err(failed(format!("{named} is of another version ({schema}): begin a new run")));
        }
        serde_json::from_slice(&text).map_err(damaged)
    }

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
