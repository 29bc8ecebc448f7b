//! What speaks against a drive, by what it says of itself, and whether it is well enough to be tested.

use crate::{Attribute, Health, HealthReport, NotAvailable};

/// From how many sectors on a drive is damaged that reallocated them, or cannot read them.
const MANY_SECTORS: u64 = 1_000;
/// From how many reallocated sectors on they are a doubt: a drive replaces single ones all its life.
const REALLOCATED_SECTORS: u64 = 100;

/// How much a finding says against a drive, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HealthWeight {
    /// It was noted at some time, and may be over.
    Logged,
    /// The drive may be tested, and a report says this.
    Doubtful,
    /// Much of the drive is damaged.
    Damaged,
    /// The drive fails.
    Failing,
}

/// What is wrong with sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectorFault {
    /// They were replaced by spare ones.
    Reallocated,
    /// They cannot be read, and wait for a write to be replaced.
    Pending,
    /// They could not be read when the drive itself looked.
    Uncorrectable,
}

impl SectorFault {
    /// What is wrong with so many sectors.
    fn of_sectors(self, count: u64) -> String {
        let sectors = if count == 1 { "sector" } else { "sectors" };
        match self {
            SectorFault::Reallocated => format!("it has replaced {count} {sectors}"),
            SectorFault::Pending => format!("{count} {sectors} cannot be read"),
            SectorFault::Uncorrectable => format!("{count} {sectors} could not be read when it looked"),
        }
    }
}

/// One thing that speaks against a drive. Its words are a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HealthFinding {
    /// What the drive says of itself is not known.
    #[error("the drive's health is not known: {0}")]
    NotKnown(NotAvailable),
    /// Its own check fails.
    #[error("the drive's own health check fails")]
    OwnCheckFails,
    /// An attribute has reached its threshold, which means that the drive is about to fail: its number, and smartctl's name for
    /// it; none where smartctl does not say which one it is.
    #[error("{} has reached its threshold", .0.as_ref().map_or("an attribute".to_owned(), |one| format!("attribute {one}")))]
    AttributeFails(Option<String>),
    /// An attribute is past its threshold, which means that the drive is worn: its number, and smartctl's name for it.
    #[error("attribute {0} is past its threshold: the drive is worn")]
    AttributeWorn(String),
    /// A bit of an NVMe drive's critical warning: its number.
    #[error("{}", meaning_of(*.0))]
    Warning(u8),
    /// The rated endurance is used up: the share that is used, in percent, from 100 on.
    #[error("the rated endurance is used up ({0} %)")]
    EnduranceUsed(u32),
    /// Sectors that were replaced or cannot be read.
    #[error("{} ({counter})", .fault.of_sectors(*.count))]
    Sectors {
        /// What is wrong with them.
        fault: SectorFault,
        /// How many.
        count: u64,
        /// What counts them.
        counter: String,
    },
    /// How often the drive could not read or write what it was asked for.
    #[error("the drive has counted {0} media errors")]
    MediaErrors(u64),
    /// An attribute was at or below its threshold at some time.
    #[error("an attribute was at or below its threshold at some time")]
    AttributeWasLow,
    /// The drive's log of errors has entries.
    #[error("the drive's log of errors has entries")]
    ErrorsLogged,
    /// The drive's log of self-tests has failures.
    #[error("the drive's log of self-tests has failures")]
    SelfTestsFailed,
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

fn meaning_of(bit: u8) -> String {
    let known = CRITICAL_WARNINGS.get(usize::from(bit)).map(|(_, _, meaning)| (*meaning).to_owned());
    known.unwrap_or_else(|| format!("bit {bit} of its critical warning is set"))
}

/// The bits of smartctl's exit status that are findings: the drive reports that it fails; an attribute that means failure is
/// at or below its threshold; and what the drive has noted at some time.
const FAILING: u8 = 3;
const BELOW_THRESHOLD: u8 = 4;
const LOGGED: [(u8, HealthFinding); 3] = [
    (5, HealthFinding::AttributeWasLow),
    (6, HealthFinding::ErrorsLogged),
    (7, HealthFinding::SelfTestsFailed),
];

impl HealthFinding {
    /// Everything that speaks against a drive, what says the most first.
    pub fn all(report: &HealthReport) -> Vec<HealthFinding> {
        let mut found = own_verdicts(report);
        found.extend(report.attributes.iter().filter_map(of_attribute));
        let grown = report.grown_defects.filter(|count| *count >= REALLOCATED_SECTORS);
        found.extend(grown.map(|count| HealthFinding::Sectors {
            fault: SectorFault::Reallocated,
            count,
            counter: "SCSI list of grown defects".to_owned(),
        }));
        let of_log = report.nvme.iter().flat_map(|log| &log.counters);
        let of_log = of_log.filter(|(name, _)| name == "media_errors").map(|(_, count)| *count);
        let errors = of_log.chain(report.uncorrected_errors).filter(|count| *count > 0);
        found.extend(errors.map(HealthFinding::MediaErrors));
        let used = report.percentage_used.filter(|percent| *percent >= 100);
        found.extend(used.map(HealthFinding::EnduranceUsed));
        let logged = LOGGED.iter().filter(|(bit, _)| report.exit.has(*bit));
        found.extend(logged.map(|(_, finding)| finding.clone()));
        found.sort_by_key(|finding| std::cmp::Reverse(finding.weight()));
        found
    }

    /// How much it says against the drive.
    pub fn weight(&self) -> HealthWeight {
        match self {
            HealthFinding::OwnCheckFails | HealthFinding::AttributeFails(_) => HealthWeight::Failing,
            HealthFinding::Warning(bit) => match CRITICAL_WARNINGS.get(usize::from(*bit)) {
                Some((_, false, _)) => HealthWeight::Doubtful,
                _ => HealthWeight::Failing,
            },
            HealthFinding::Sectors { count: MANY_SECTORS.., .. } => HealthWeight::Damaged,
            HealthFinding::NotKnown(_)
            | HealthFinding::AttributeWorn(_)
            | HealthFinding::EnduranceUsed(_)
            | HealthFinding::Sectors { .. }
            | HealthFinding::MediaErrors(_) => HealthWeight::Doubtful,
            HealthFinding::AttributeWasLow | HealthFinding::ErrorsLogged | HealthFinding::SelfTestsFailed => {
                HealthWeight::Logged
            }
        }
    }
}

/// What the drive itself says of whether it fails.
fn own_verdicts(report: &HealthReport) -> Vec<HealthFinding> {
    let mut found = Vec::new();
    if report.passed == Some(false) || report.exit.has(FAILING) {
        found.push(HealthFinding::OwnCheckFails);
    }
    let fails = |attribute: &&Attribute| attribute.fails_now && attribute.is_prefailure;
    let failing = report.attributes.iter().filter(fails).map(Attribute::title);
    found.extend(failing.map(|title| HealthFinding::AttributeFails(Some(title))));
    if report.exit.has(BELOW_THRESHOLD) && !report.attributes.iter().any(|one| one.fails_now) {
        found.push(HealthFinding::AttributeFails(None));
    }
    let bits = report.nvme.as_ref().map_or(0, |nvme| nvme.critical_warning);
    let set = CRITICAL_WARNINGS.iter().filter(|(bit, ..)| bits & (1 << bit) != 0);
    found.extend(set.map(|(bit, ..)| HealthFinding::Warning(*bit)));
    found
}

fn of_attribute(attribute: &Attribute) -> Option<HealthFinding> {
    if attribute.fails_now && !attribute.is_prefailure {
        return Some(HealthFinding::AttributeWorn(attribute.title()));
    }
    let (fault, least) = match attribute.id {
        5 => (SectorFault::Reallocated, REALLOCATED_SECTORS),
        // Sectors that wait for reallocation cannot be read: a test would meet them as errors and retries.
        197 => (SectorFault::Pending, 1),
        198 => (SectorFault::Uncorrectable, 1),
        _ => return None,
    };
    let count = attribute.count();
    let counter = format!("attribute {}", attribute.title());
    (count >= least).then_some(HealthFinding::Sectors { fault, count, counter })
}

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
