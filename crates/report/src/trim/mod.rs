//! What a TRIM validation found.

mod csv;
mod document;
mod page;
mod terminal;

use drivelab_analysis::TrimRound;

use crate::Condition;
use crate::energy::EnergyDocument;

pub use csv::trim_csv;
pub use document::{
    ClaimsDocument, CurveDocument, RatioDocument, TRIM_SCHEMA, TrimAccountDocument, TrimDocument,
    TrimSpanDocument, TrimmedReadsDocument,
};
pub use page::trim_html;
pub use terminal::trim_terminal;

/// What a TRIM validation found, as reports show it.
#[derive(Clone, Debug)]
pub struct TrimReport {
    /// What was tested, as the user named it.
    pub target: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// Bytes of the target.
    pub size_bytes: u64,
    /// Bytes of a logical block: what an LBA counts.
    pub logical_block: u32,
    /// How long random writes went on before each curve but the first, in seconds.
    pub torture_s: f64,
    /// Rounds that were asked for.
    pub rounds_asked: u16,
    /// Why the drive takes no TRIM, where it takes none.
    pub unsupported: Option<String>,
    /// I/Os that failed: what is left of the rates is not those of the drive.
    pub failed: u64,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// The curves.
    pub rounds: Vec<TrimRound>,
    /// What blocks returned after the TRIM.
    pub reads: TrimmedReadsDocument,
    /// What kernel and drive claim.
    pub claims: ClaimsDocument,
    /// A simulated drive's own account of each round; nothing of a real one.
    pub accounts: Vec<TrimAccountDocument>,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<String>,
    /// What it took by a meter, where one was read.
    pub energy: Option<EnergyDocument>,
}
