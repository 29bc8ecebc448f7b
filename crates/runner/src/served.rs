//! What a drive did not do in a run whose I/Os are not recorded.

use std::sync::{Arc, Mutex, PoisonError};

use drivelab_kinds::{lapses_document, unread_writes};
use drivelab_record::{LapsesDocument, Notice};
use drivelab_stats::{RunAnalysis, Unserved};

/// What a drive did and did not do of what a run without records asked, load by load. A clone is the same account: whatever runs
/// loads adds to it, and the run closes it.
#[derive(Clone, Debug, Default)]
pub struct Served(Arc<Mutex<Vec<(String, Unserved)>>>);

impl Served {
    /// Adds a load of this name.
    pub fn add(&self, name: &str, analysis: &RunAnalysis) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(analysis.phases().iter().map(|phase| (name.to_owned(), phase.unserved.clone())));
    }

    /// What the drive, of this capacity in bytes, did not do; none where it did everything.
    pub(crate) fn lapses(&self, capacity: u64) -> Option<LapsesDocument> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let named: Vec<_> = all.iter().map(|(name, unserved)| (name.as_str(), unserved)).collect();
        lapses_document(&named, None, capacity)
    }

    /// What the result does not show, as nothing was read back; none where nothing was written.
    pub(crate) fn unread_writes(&self) -> Option<Notice> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        unread_writes(all.iter().map(|(_, unserved)| unserved))
    }
}
