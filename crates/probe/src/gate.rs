//! Whether a drive is well enough to be tested.

use crate::{Health, HealthReport};

/// What follows from a drive's health. Each text is a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HealthVerdict {
    /// Nothing speaks against a test.
    Well,
    /// A test may go on, and its report says this.
    Doubtful(Vec<String>),
    /// The drive fails: a test that writes is refused.
    Failing(Vec<String>),
}

/// What the bits of an NVMe drive's critical warning mean, and whether they mean that it fails.
const CRITICAL_WARNINGS: [(u8, bool, &str); 6] = [
    (0, true, "its spare blocks are below the threshold"),
    (1, false, "its temperature is beyond the threshold"),
    (2, true, "it reports that it is no longer reliable"),
    (3, true, "it has gone read-only"),
    (4, true, "the backup of its memory has failed"),
    (5, true, "its persistent memory has become read-only or unreliable"),
];

/// Judges a drive by what it says itself.
#[must_use]
pub fn judge(health: &Health) -> HealthVerdict {
    let report = match health {
        Health::Known(report) => report,
        Health::NotAvailable(why) => {
            return HealthVerdict::Doubtful(vec![format!("the drive's health is not known: {why}")]);
        }
    };
    let failing = failing(report);
    if !failing.is_empty() {
        return HealthVerdict::Failing(failing);
    }
    let doubts = doubts(report);
    if doubts.is_empty() { HealthVerdict::Well } else { HealthVerdict::Doubtful(doubts) }
}

impl HealthVerdict {
    /// What speaks against the drive now and did not `before`.
    #[must_use]
    pub fn news(&self, before: &HealthVerdict) -> Vec<String> {
        let known = before.reasons();
        self.reasons().iter().filter(|reason| !known.contains(reason)).cloned().collect()
    }

    fn reasons(&self) -> &[String] {
        match self {
            HealthVerdict::Well => &[],
            HealthVerdict::Doubtful(reasons) | HealthVerdict::Failing(reasons) => reasons,
        }
    }
}

fn failing(report: &HealthReport) -> Vec<String> {
    let mut reasons = Vec::new();
    if report.passed == Some(false) {
        reasons.push("the drive's own health check fails".to_owned());
    }
    let failed = report.attributes.iter().filter(|attribute| attribute.fails_now && attribute.is_prefailure);
    reasons.extend(
        failed.map(|attribute| {
            format!("attribute {} {} has reached its threshold", attribute.id, attribute.name)
        }),
    );
    reasons.extend(warnings(report, true));
    reasons
}

fn doubts(report: &HealthReport) -> Vec<String> {
    let mut doubts: Vec<String> = warnings(report, false).collect();
    if let Some(percent) = report.percentage_used.filter(|percent| *percent >= 100) {
        doubts.push(format!("the rated endurance is used up ({percent} %)"));
    }
    let worn = report.attributes.iter().filter(|attribute| attribute.fails_now && !attribute.is_prefailure);
    doubts.extend(worn.map(|attribute| {
        format!("attribute {} {} is past its threshold: the drive is worn", attribute.id, attribute.name)
    }));
    // Sectors that wait for reallocation cannot be read: a test would meet them as errors and retries.
    let pending =
        report.attributes.iter().filter(|attribute| [197, 198].contains(&attribute.id) && attribute.raw > 0);
    doubts.extend(
        pending
            .map(|attribute| format!("attribute {} {} is {}", attribute.id, attribute.name, attribute.raw)),
    );
    let errors = report.nvme.iter().flat_map(|nvme| &nvme.counters);
    let errors = errors.filter(|(name, count)| name == "media_errors" && *count > 0);
    doubts.extend(errors.map(|(_, count)| format!("the drive has counted {count} media errors")));
    doubts
}

fn warnings(report: &HealthReport, fatal: bool) -> impl Iterator<Item = String> {
    let bits = report.nvme.as_ref().map_or(0, |nvme| nvme.critical_warning);
    CRITICAL_WARNINGS
        .iter()
        .filter(move |(bit, is_fatal, _)| bits & (1 << bit) != 0 && *is_fatal == fatal)
        .map(|(_, _, meaning)| (*meaning).to_owned())
}
