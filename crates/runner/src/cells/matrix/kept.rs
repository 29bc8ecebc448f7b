//! What the folder of a matrix keeps besides `run.json`, so that the run can go on after a kill: what it was begun on, and a line
//! for every cell that was measured.
//!
//! Anybody may have written in such a folder: it says what is to be measured, and never what may be destroyed for it.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use drivelab_block::Nanos;
use drivelab_kinds::matrix::{CellOutcome, LeftOutCell, MatrixProgress, PlannedCell, cell_name};
use drivelab_stats::{MatrixRun, RunLatency};
use serde::{Deserialize, Serialize};

use super::drive::run_of;
use crate::{Failure, output};

/// The cells' file: one JSON object a line.
const CELLS: &str = "cells.jsonl";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptCellLine {
    place: u64,
    /// Which start of the program it was measured in: 0, and one more with each that went on.
    #[serde(default)]
    start: u32,
    /// For whoever reads the file, and so that it is only taken for its own plan.
    cell: String,
    operations: u64,
    bytes: u64,
    elapsed_ns: u64,
    latency_ns: Option<RunLatency>,
    failed: Option<String>,
}

pub struct KeptCells {
    folder: Option<PathBuf>,
    /// What the run was begun on, which is kept once its folder is there; none of a run that goes on.
    begun: Option<Begun>,
    file: Option<File>,
    /// Which start of the program it is: 0, and one more with each that went on.
    start: u32,
}

impl KeptCells {
    /// The file of a new run in this folder; no file without one.
    pub fn new(folder: Option<&Path>, begun: Begun) -> KeptCells {
        KeptCells { folder: folder.map(Path::to_path_buf), begun: Some(begun), file: None, start: 0 }
    }

    /// Opens the file of a run that was begun, with the results of its plan's steps. A line that was torn by a kill is taken
    /// away.
    pub fn resume(path: &Path, steps: &[PlannedCell]) -> Result<(KeptCells, MatrixProgress), Failure> {
        let cells = path.join(CELLS);
        let text = match drivelab_files::read(&cells, drivelab_files::DOCUMENT) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| Failure::io(&cells.display().to_string(), &error))?,
        };
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (mut there, mut starts) = (MatrixProgress::default(), 0);
        for line in String::from_utf8_lossy(&text[..whole]).lines() {
            let found = serde_json::from_str::<KeptCellLine>(line).ok();
            let step = found.as_ref().and_then(|line| steps.get(usize::try_from(line.place).ok()?));
            let (Some(line), Some(step)) = (found, step) else {
                return Err(foreign(&cells));
            };
            if line.cell != cell_name(&step.cell) || there.has(step) {
                return Err(foreign(&cells));
            }
            starts = starts.max(line.start.checked_add(1).ok_or_else(|| foreign(&cells))?);
            // What failed is tried again.
            if line.failed.is_none() {
                there.add_earlier(of_line(&line, step), line.start);
            }
        }
        there.start = starts;
        // Nothing is taken away before all of it was found to belong here.
        let file = appended(path)?;
        file.set_len(whole as u64).map_err(|error| Failure::not_written(&cells, &error))?;
        let folder = Some(path.to_path_buf());
        Ok((KeptCells { folder, begun: None, file: Some(file), start: starts }, there))
    }

    /// Keeps what came of a step. It survives a power cut from then on.
    pub fn add(&mut self, step: &PlannedCell, outcome: &CellOutcome) -> Result<(), Failure> {
        let (Some(folder), Some(file)) = (&self.folder, &mut self.file) else { return Ok(()) };
        let mut text = serde_json::to_vec(&to_line(step, self.start, outcome))
            .map_err(|error| environment!("a cell cannot be kept: {error}"))?;
        text.push(b'\n');
        let kept = file.write_all(&text).and_then(|()| file.sync_data());
        kept.map_err(|error| Failure::not_written(&folder.join(CELLS), &error))
    }

    /// Makes the files of a new run in its folder, once that is there.
    pub fn begin(&mut self) -> Result<(), Failure> {
        let (Some(folder), Some(begun)) = (&self.folder, self.begun.take()) else { return Ok(()) };
        begun.keep(folder)?;
        self.file = Some(appended(folder)?);
        // Cells that survive a power cut are nothing without the name of their file.
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| Failure::not_written(folder, &error))
    }
}

fn foreign(cells: &Path) -> Failure {
    let named = cells.display();
    usage!("--resume: {named} is damaged, or belongs to another plan: begin a new run")
}

fn appended(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(CELLS);
    let opened = OpenOptions::new().create(true).append(true).open(&path);
    opened.map_err(|error| Failure::not_written(&path, &error))
}

fn to_line(step: &PlannedCell, start: u32, outcome: &CellOutcome) -> KeptCellLine {
    let run = outcome.as_ref().ok();
    KeptCellLine {
        place: step.place,
        start,
        cell: cell_name(&step.cell),
        operations: run.map_or(0, |run| run.operations),
        bytes: run.map_or(0, |run| run.bytes),
        elapsed_ns: run.map_or(0, |run| run.elapsed.get()),
        latency_ns: run.and_then(|run| run.latency),
        failed: outcome.as_ref().err().cloned(),
    }
}

fn of_line(line: &KeptCellLine, step: &PlannedCell) -> MatrixRun {
    MatrixRun {
        operations: line.operations,
        bytes: line.bytes,
        elapsed: Nanos::new(line.elapsed_ns),
        latency: line.latency_ns,
        ..run_of(step)
    }
}

/// The name and version of [`Begun`].
const SCHEMA: &str = "drivelab.matrix-resume/2";
const BEGUN_FILE: &str = "resume.json";

/// What the run was begun on: what a run that goes on has to know besides its `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
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
        let path = folder.join(BEGUN_FILE);
        let named = path.display();
        let failed = |why: String| usage!("--resume: {why}");
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
        let path = folder.join(BEGUN_FILE);
        output::write_file(&path, &output::pretty(self)?, output::OwnFile::Json)?;
        for place in [&path, folder] {
            let synced = File::open(place).and_then(|file| file.sync_all());
            synced.map_err(|error| Failure::not_written(place, &error))?;
        }
        Ok(())
    }
}
