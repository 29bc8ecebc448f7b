//! The same data by several paths, side by side.

mod document;
mod page;
mod terminal;

use drivelab_analysis::{DataPath, PathRun};

use crate::energy::EnergyDocument;

pub use document::{
    IntervalDocument, PATHS_SCHEMA, PartsDocument, PathCellDocument, PathRunDocument, PathsDocument,
    ProcessorsDocument, SharesDocument, WindowDocument,
};
pub use page::paths_html;
pub use terminal::paths_terminal;

/// A comparison of paths, as reports show it.
#[derive(Clone, Debug)]
pub struct PathsReport {
    /// What was written to, as the user named it.
    pub target: String,
    /// The seed of the order of cells.
    pub seed: u64,
    /// Runs of each cell that were asked for.
    pub runs_asked: u16,
    /// Requests in flight on the raw paths.
    pub queue_depth: u32,
    /// Bytes of a write.
    pub request_bytes: u64,
    /// The idle time before and after each cell, in seconds; none on a simulated drive.
    pub idle_s: Option<f64>,
    /// The folder in which the files of the file-system paths were made, where there were any.
    pub directory: Option<String>,
    /// The paths that were left out, and why.
    pub left_out: Vec<(DataPath, String)>,
    /// What was measured, in the order in which it was.
    pub runs: Vec<PathRun>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<String>,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// What it took by a meter, where one was read.
    pub energy: Option<EnergyDocument>,
}
