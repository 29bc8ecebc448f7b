//! What the records of a run's I/Os give.

use drivelab_method::PhaseObserver;
use drivelab_stats::{Gauged, RunAnalysis};

/// One pass over the I/Os of a run: while they completed, or over their records.
pub struct RecordsAnalysis {
    /// Every phase; without a completion where figures are withheld.
    pub run: RunAnalysis,
    /// What one phase was also analysed as; none of most kinds, and where figures are withheld.
    pub observer: Option<PhaseObserver>,
    /// Why figures are withheld, in a sentence without its final stop: some of the records are missing, or are those of
    /// another run. None where every record is there.
    pub withheld: Option<String>,
    /// Completions that the run counted and that were not found.
    pub missing: u64,
    /// What was read from the machine and the meter during the phase that figures speak of.
    pub gauges: Vec<Gauged>,
    /// The size of the records as they were found, in bytes; none of a run that has just ended.
    pub found_bytes: Option<u64>,
}
