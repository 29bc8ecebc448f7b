//! A quick look at a drive.

mod csv;
mod document;
mod page;
mod terminal;

use drivelab_analysis::{CurvePoint, Moments};

use crate::Condition;
use crate::energy::EnergyDocument;

pub use csv::quick_csv;
pub use document::{AccessDocument, PlaceDocument, QUICK_SCHEMA, QuickDocument};
pub use page::quick_html;
pub use terminal::quick_terminal;

/// What a quick look found, as reports show it.
#[derive(Clone, Debug)]
pub struct QuickReport {
    /// What was looked at, as the user named it.
    pub target: String,
    /// The seed of the random reads.
    pub seed: u64,
    /// Bytes of the target.
    pub size_bytes: u64,
    /// Bytes of a logical block: what an LBA counts, and what a random read reads.
    pub logical_block: u32,
    /// Places of a whole curve.
    pub places_asked: u64,
    /// The times of random reads, in nanoseconds.
    pub access: Moments,
    /// The rate of reading at each place.
    pub read: Vec<CurvePoint>,
    /// The rate of writing at each place, where it was asked for.
    pub write: Option<Vec<CurvePoint>>,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<String>,
    /// What it took by a meter, where one was read.
    pub energy: Option<EnergyDocument>,
}
