//! Whether a drive is well enough to be tested.

use crate::{Health, HealthFinding, HealthWeight};

/// What follows from a drive's health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HealthVerdict {
    /// Nothing speaks against a test.
    Well,
    /// A test may go on, and its report says this.
    Doubtful(Vec<HealthFinding>),
    /// The drive fails: a test that writes is refused.
    Failing(Vec<HealthFinding>),
}

/// Judges a drive by what it says itself.
pub fn judge(health: &Health) -> HealthVerdict {
    let report = match health {
        Health::Known(report) => report,
        Health::NotAvailable(why) => {
            return HealthVerdict::Doubtful(vec![HealthFinding::NotKnown(why.clone())]);
        }
    };
    let mut found = HealthFinding::all(report);
    if found.first().is_some_and(|worst| worst.weight() == HealthWeight::Failing) {
        found.retain(|finding| finding.weight() == HealthWeight::Failing);
        return HealthVerdict::Failing(found);
    }
    found.retain(|finding| finding.weight() >= HealthWeight::Doubtful);
    if found.is_empty() { HealthVerdict::Well } else { HealthVerdict::Doubtful(found) }
}

impl HealthVerdict {
    /// What speaks against the drive now and did not `before`.
    pub fn news(&self, before: &HealthVerdict) -> Vec<HealthFinding> {
        let known = before.findings();
        self.findings().iter().filter(|finding| !known.contains(finding)).cloned().collect()
    }

    fn findings(&self) -> &[HealthFinding] {
        match self {
            HealthVerdict::Well => &[],
            HealthVerdict::Doubtful(found) | HealthVerdict::Failing(found) => found,
        }
    }
}
