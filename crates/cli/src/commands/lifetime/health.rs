//! What a drive reports of its own health, as the document has it.

use drivelab_inspect::lifetime::{DriveHealth, DriveHealthFinding, DriveHealthKind, HealthState};
use drivelab_probe::{HealthFinding, HealthReport, HealthWeight, SectorFault};

/// The health in a report.
pub fn judge(report: &HealthReport) -> DriveHealth {
    let mut findings = Vec::new();
    for found in HealthFinding::all(report) {
        let Some((kind, count)) = kind(&found) else { continue };
        findings.push(DriveHealthFinding {
            kind,
            state: state(found.weight()),
            count,
            words: found.to_string(),
        });
    }
    let worst = findings.iter().map(|found| found.state).max();
    DriveHealth { passed: report.passed, state: worst.unwrap_or(HealthState::Well), findings }
}

fn state(weight: HealthWeight) -> HealthState {
    match weight {
        HealthWeight::Logged => HealthState::Well,
        HealthWeight::Doubtful => HealthState::Doubtful,
        HealthWeight::Damaged => HealthState::Damaged,
        HealthWeight::Failing => HealthState::Failing,
    }
}

/// What a finding is, and what it counts; none if it is about the asking, and not about the drive.
fn kind(found: &HealthFinding) -> Option<(DriveHealthKind, Option<u64>)> {
    Some(match found {
        HealthFinding::NotKnown(_) => return None,
        HealthFinding::OwnCheckFails => (DriveHealthKind::OwnCheckFails, None),
        HealthFinding::AttributeFails { .. } => (DriveHealthKind::AttributeFails, None),
        HealthFinding::AttributeWorn { .. } => (DriveHealthKind::AttributeWorn, None),
        HealthFinding::Warning { .. } => (DriveHealthKind::CriticalWarning, None),
        HealthFinding::EnduranceUsed { percent } => {
            (DriveHealthKind::EnduranceUsed, Some(u64::from(*percent)))
        }
        HealthFinding::Sectors { fault, count, .. } => (of_sectors(*fault), Some(*count)),
        HealthFinding::MediaErrors { count } => (DriveHealthKind::MediaErrors, Some(*count)),
        HealthFinding::AttributeWasLow => (DriveHealthKind::AttributeWasLow, None),
        HealthFinding::ErrorsLogged => (DriveHealthKind::ErrorsLogged, None),
        HealthFinding::SelfTestsFailed => (DriveHealthKind::SelfTestsFailed, None),
    })
}

fn of_sectors(fault: SectorFault) -> DriveHealthKind {
    match fault {
        SectorFault::Reallocated => DriveHealthKind::ReallocatedSectors,
        SectorFault::Pending => DriveHealthKind::PendingSectors,
        SectorFault::Uncorrectable => DriveHealthKind::UncorrectableSectors,
    }
}
