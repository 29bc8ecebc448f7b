//! Which cell something is of, as documents keep it.

use drivelab_block::{Caching, FileSystem, Work};
use drivelab_stats::MatrixCell;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spelled::Spelled;

/// Which cell of a matrix something is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellKey {
    /// The kind of work.
    pub work: Spelled<Work>,
    /// Through the page cache or past it; null on a simulated drive.
    pub caching: Option<Spelled<Caching>>,
    /// The I/O scheduler; null where the drive kept the one that it had.
    pub scheduler: Option<String>,
    /// Threads.
    pub threads: u16,
    /// The file system; null on a simulated drive.
    pub file_system: Option<Spelled<FileSystem>>,
}

impl CellKey {
    /// The cell.
    pub fn cell(&self) -> MatrixCell {
        MatrixCell {
            work: self.work.0,
            caching: self.caching.map(|caching| caching.0),
            scheduler: self.scheduler.clone(),
            threads: self.threads,
            fs: self.file_system.map(|fs| fs.0),
        }
    }
}

impl From<&MatrixCell> for CellKey {
    fn from(cell: &MatrixCell) -> CellKey {
        CellKey {
            work: Spelled(cell.work),
            caching: cell.caching.map(Spelled),
            scheduler: cell.scheduler.clone(),
            threads: cell.threads,
            file_system: cell.fs.map(Spelled),
        }
    }
}
