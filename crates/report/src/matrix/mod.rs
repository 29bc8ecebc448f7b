//! A matrix of file systems, schedulers, ways of caching, threads and work.

mod csv;
mod document;
mod page;
mod panels;
mod ratios;
mod sentences;
mod terminal;
mod words;

use drivelab_analysis::{MatrixCell, MatrixRun};

use crate::Condition;
use crate::energy::EnergyDocument;

pub use csv::matrix_csv;
pub use document::{
    ApartDocument, ComparisonOfCells, ControlDocument, EndsDocument, FailedCell, LatencyOfRun,
    LeaderDocument, LeftOutOfMatrix, MATRIX_SCHEMA, MatrixCellDocument, MatrixDocument, MatrixRunDocument,
};
pub use page::matrix_html;
pub use terminal::matrix_terminal;
pub use words::name_of as matrix_cell_name;

/// A matrix, as reports show it.
#[derive(Clone, Debug)]
pub struct MatrixReport {
    /// What was written to, as the user named it.
    pub target: String,
    /// The seed of orders, addresses and data.
    pub seed: u64,
    /// Runs of each cell that were asked for.
    pub runs_asked: u16,
    /// How long the threads of a cell begin new steps, in seconds.
    pub cell_s: f64,
    /// The size of each file system; none on a simulated drive.
    pub fs_bytes: Option<u64>,
    /// What the large files of a cell hold together.
    pub bytes: u64,
    /// Bytes of a sequential read or write.
    pub request_bytes: u64,
    /// Small files of a cell; none on a simulated drive.
    pub files: Option<u64>,
    /// Measurements that were planned, controls included.
    pub planned: u64,
    /// What was left out, and why.
    pub left_out: Vec<(String, String)>,
    /// Cells that came to nothing, in which run, and why.
    pub failed: Vec<(MatrixCell, u16, String)>,
    /// What was measured, in the order in which it was.
    pub runs: Vec<MatrixRun>,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<String>,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// What it took by a meter, where one was read.
    pub energy: Option<EnergyDocument>,
}
