//! The cells of a matrix as its folder keeps them: a line for every one that was measured.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use drivelab_block::Nanos;
use drivelab_kinds::matrix::{PlannedCell, cell_name};
use drivelab_runner::Failure;
use drivelab_stats::{MatrixCell, MatrixRun, RunLatency};
use serde::{Deserialize, Serialize};

/// The cells' file: one JSON object a line.
const CELLS: &str = "cells.jsonl";

/// What came of a cell: its figures, or why there are none.
pub type CellOutcome = Result<MatrixRun, String>;

/// A line of the cells' file.
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

/// What was measured so far; in a folder, where there is one.
#[derive(Default)]
pub struct MatrixCells {
    folder: Option<(PathBuf, File)>,
    runs: Vec<MatrixRun>,
    failed: Vec<(MatrixCell, u16, String)>,
    /// The program's start, and the blocks that earlier ones had begun, each with its start.
    start: u32,
    blocks: BTreeSet<(u16, u32)>,
}

impl MatrixCells {
    /// Begins the file of cells in a folder, or keeps everything in memory.
    pub fn begin(folder: Option<&Path>) -> Result<MatrixCells, Failure> {
        let folder = folder.map(|path| {
            let cells = appended(path)?;
            // Cells that survive a power cut are nothing without the name of their file.
            let synced = File::open(path).and_then(|folder| folder.sync_all());
            synced.map_err(|error| Failure::not_written(path, &error))?;
            Ok::<_, Failure>((path.to_path_buf(), cells))
        });
        Ok(MatrixCells { folder: folder.transpose()?, ..MatrixCells::default() })
    }

    /// Opens the file of a run that was begun, with the results of its plan's steps. A line that was torn by a kill is taken
    /// away.
    pub fn resume(path: &Path, steps: &[PlannedCell]) -> Result<MatrixCells, Failure> {
        let cells = path.join(CELLS);
        let text = match drivelab_files::read(&cells, drivelab_files::DOCUMENT) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| Failure::io(&cells.display().to_string(), &error))?,
        };
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let not_written = |error| Failure::not_written(&cells, &error);
        let mut kept = MatrixCells::default();
        for line in String::from_utf8_lossy(&text[..whole]).lines() {
            let found = serde_json::from_str::<KeptCellLine>(line).ok();
            let step = found.as_ref().and_then(|line| steps.get(usize::try_from(line.place).ok()?));
            let (Some(line), Some(step)) = (found, step) else {
                return Err(foreign(&cells));
            };
            if line.cell != cell_name(&step.cell) || kept.has(step) {
                return Err(foreign(&cells));
            }
            kept.start = kept.start.max(line.start.checked_add(1).ok_or_else(|| foreign(&cells))?);
            // What failed is tried again.
            if line.failed.is_none() {
                kept.blocks.insert((step.run, line.start));
                kept.runs.push(of_line(&line, step));
            }
        }
        // Nothing is taken away before all of it was found to belong here.
        let file = appended(path)?;
        file.set_len(whole as u64).map_err(not_written)?;
        kept.folder = Some((path.to_path_buf(), file));
        Ok(kept)
    }

    /// Whether a step was measured.
    pub fn has(&self, step: &PlannedCell) -> bool {
        self.runs.iter().any(|run| run.place == step.place)
    }

    /// Adds the result of a step. It survives a power cut from then on.
    pub fn add(&mut self, step: &PlannedCell, outcome: CellOutcome) -> Result<(), Failure> {
        if let Some((folder, file)) = &mut self.folder {
            let not_kept = |error| Failure::not_written(&folder.join(CELLS), &error);
            let mut text = serde_json::to_vec(&to_line(step, self.start, &outcome))
                .map_err(|error| Failure::Environment(format!("a cell cannot be kept: {error}")))?;
            text.push(b'\n');
            file.write_all(&text).and_then(|()| file.sync_data()).map_err(not_kept)?;
        }
        match outcome {
            Ok(run) => {
                self.blocks.insert((step.run, self.start));
                self.runs.push(run);
            }
            Err(why) => self.failed.push((step.cell.clone(), step.run, why)),
        }
        Ok(())
    }

    /// What was measured, in its order.
    pub fn runs(&self) -> Vec<MatrixRun> {
        let mut runs = self.runs.clone();
        runs.sort_by_key(|run| run.place);
        runs
    }

    /// The runs whose cells were not all measured in one start of the program, counted from 0.
    pub fn split_runs(&self) -> Vec<u16> {
        let blocks: Vec<(u16, u32)> = self.blocks.iter().copied().collect();
        blocks
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| pair[1].0)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// What failed.
    pub fn failed(&self) -> &[(MatrixCell, u16, String)] {
        &self.failed
    }
}

fn foreign(cells: &Path) -> Failure {
    let named = cells.display();
    Failure::Usage(format!("--resume: {named} is damaged, or belongs to another plan: begin a new run"))
}

fn appended(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(CELLS);
    let opened = OpenOptions::new().create(true).append(true).open(&path);
    opened.map_err(|error| Failure::not_written(&path, &error))
}

fn to_line(step: &PlannedCell, start: u32, outcome: &CellOutcome) -> KeptCellLine {
    let cell = cell_name(&step.cell);
    let place = step.place;
    match outcome {
        Ok(run) => KeptCellLine {
            place,
            start,
            cell,
            operations: run.operations,
            bytes: run.bytes,
            elapsed_ns: run.elapsed.get(),
            latency_ns: run.latency,
            failed: None,
        },
        Err(why) => KeptCellLine {
            place,
            start,
            cell,
            operations: 0,
            bytes: 0,
            elapsed_ns: 0,
            latency_ns: None,
            failed: Some(why.clone()),
        },
    }
}

fn of_line(line: &KeptCellLine, step: &PlannedCell) -> MatrixRun {
    MatrixRun {
        cell: step.cell.clone(),
        run: step.run,
        position: step.position,
        place: step.place,
        operations: line.operations,
        bytes: line.bytes,
        elapsed: Nanos::new(line.elapsed_ns),
        latency: line.latency_ns,
    }
}
