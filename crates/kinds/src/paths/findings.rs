//! What a comparison of paths finds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Cell;
use super::{DataPath, PathCell, PathRun};

/// What a comparison of paths found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathsFindings {
    /// Bytes of the longest write of most paths.
    pub request_bytes: u64,
    /// The folder in which the files of the file-system paths were made, where there was any.
    pub directory: Option<String>,
    /// The paths that were left out.
    pub paths_left_out: Vec<PathLeftOut>,
    /// How many runs of cells a whole comparison has.
    pub cell_runs_asked: u64,
    /// Every path with every length of files, by length, and by path within a length.
    pub cells: Vec<PathCell>,
}

/// A path that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathLeftOut {
    /// The path.
    pub path: DataPath,
    /// Why it was left out.
    pub why: String,
}

impl PathsFindings {
    /// Takes a run of a cell that wrote requests of this length at most.
    pub(super) fn take(&mut self, cell: &Cell, request_bytes: u64, run: PathRun) {
        let key = (cell.file.get(), cell.path);
        match self.cells.binary_search_by_key(&key, |found| (found.file_bytes, found.path)) {
            Ok(place) => self.cells[place].add(run),
            Err(place) => {
                self.cells.insert(place, PathCell::begin((cell.path, cell.file.get(), request_bytes), run));
            }
        }
    }

    /// How many runs of cells were measured.
    pub fn cell_runs(&self) -> u64 {
        self.cells.iter().map(|cell| cell.runs.len() as u64).sum()
    }

    /// The paths that were measured, from the longest to the shortest.
    pub fn paths(&self) -> Vec<DataPath> {
        let is_measured = |path: &DataPath| self.cells.iter().any(|cell| cell.path == *path);
        DataPath::ALL.into_iter().filter(is_measured).collect()
    }

    /// The lengths of files that were measured, in ascending order.
    pub fn file_lengths(&self) -> Vec<u64> {
        let mut lengths: Vec<u64> = self.cells.iter().map(|cell| cell.file_bytes).collect();
        lengths.dedup();
        lengths
    }

    /// The cell of a path and a length of files.
    pub fn cell(&self, path: DataPath, file_bytes: u64) -> Option<&PathCell> {
        self.cells.iter().find(|cell| (cell.path, cell.file_bytes) == (path, file_bytes))
    }

    /// The path that is the fastest for files of this length: the lower end of its interval lies above the upper ends of all
    /// others. None where that is shown of no path, or there is only one.
    pub fn fastest(&self, file_bytes: u64) -> Option<DataPath> {
        let cells: Vec<&PathCell> = self.cells.iter().filter(|cell| cell.file_bytes == file_bytes).collect();
        let beats_all = |one: &&&PathCell| {
            let mut others = cells.iter().filter(|other| other.path != one.path);
            others.all(|other| one.rate_mb_s.is_above(&other.rate_mb_s))
        };
        cells.iter().find(beats_all).filter(|_| cells.len() > 1).map(|cell| cell.path)
    }
}
