//! What tests in rounds found.

mod csv;
mod document;
mod page;
mod sentences;
mod terminal;

use drivelab_analysis::{CellTable, Distribution};

use crate::Condition;
use crate::energy::EnergyDocument;

pub use csv::pts_csv;
pub use document::{
    PTS_SCHEMA, PtsCellDocument, PtsDocument, PtsHistogramDocument, PtsSampleDocument, PtsTestDocument,
};
pub use page::pts_html;
pub use terminal::pts_terminal;

/// What tests found, as reports show it.
#[derive(Clone, Debug)]
pub struct PtsReport {
    /// What was tested, as the user named it.
    pub target: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// Bytes of the target.
    pub size_bytes: u64,
    /// How long a cell of a round lasted, in seconds.
    pub round_s: f64,
    /// The tests, in the order in which they ran.
    pub tests: Vec<PtsTestReport>,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<String>,
    /// What it took by a meter, where one was read.
    pub energy: Option<EnergyDocument>,
}

/// One test.
#[derive(Clone, Debug)]
pub struct PtsTestReport {
    /// Its name.
    pub name: &'static str,
    /// Whether its rounds became steady; none where it does not wait for that.
    pub steady: Option<bool>,
    /// Whether it came to its end.
    pub is_whole: bool,
    /// Its cells.
    pub cells: Vec<PtsCell>,
    /// What each came to.
    pub table: CellTable,
    /// How the service times of the long look at its end are distributed.
    pub long_look: Option<Distribution>,
}

/// One load among the others of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtsCell {
    /// What tells it from the others.
    pub name: String,
    /// Bytes of an I/O.
    pub block_bytes: u64,
    /// Reads of a hundred I/Os.
    pub read_percent: u8,
    /// Whether places follow each other.
    pub is_sequential: bool,
    /// Requests in flight, for each worker.
    pub queue_depth: u32,
    /// Workers.
    pub workers: u16,
    /// Seconds of idle time before it.
    pub idle_s: u64,
}
