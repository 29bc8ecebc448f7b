//! What a drive did not do in a run whose I/Os are not recorded.

use drivelab_documents::{LapsesDocument, Notice};
use drivelab_kinds::{lapses_document, unread_writes};
use drivelab_stats::{RunAnalysis, Unserved};

/// What a drive did and did not do of what a run without records asked, load by load.
#[derive(Debug, Default)]
pub struct Served(Vec<(String, Unserved)>);

impl Served {
    pub fn add(&mut self, name: &str, analysis: &RunAnalysis) {
        self.0.extend(analysis.phases().iter().map(|phase| (name.to_owned(), phase.unserved.clone())));
    }

    fn named(&self) -> Vec<(&str, &Unserved)> {
        self.0.iter().map(|(name, unserved)| (name.as_str(), unserved)).collect()
    }

    pub fn has_failed_ios(&self) -> bool {
        !LapsesDocument::collect(&self.named()).failed.is_empty()
    }

    /// What the drive, of this capacity in bytes, did not do; none where it did everything.
    pub fn lapses(&self, capacity: u64) -> Option<LapsesDocument> {
        lapses_document(&self.named(), None, capacity)
    }

    /// What the result does not show, as nothing was read back; none where nothing was written.
    pub fn unread_writes(&self) -> Option<Notice> {
        unread_writes(self.0.iter().map(|(_, unserved)| unserved))
    }
}
