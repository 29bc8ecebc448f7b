//! What the records of a fill give that was killed, and left no findings.

use drivelab_block::{ByteCount, Geometry, PhaseId};
use drivelab_method::{PhaseObserver, RecordedSteps};
use drivelab_record::Manifest;

use super::plan::{MEASURED, step_of_fill};
use super::{Fill, FillFindings, FillSettings};
use crate::kind::RecordsOfRun;

/// The steps of the curve of the fill, as its records have them; none where the fill had not begun.
pub(super) fn observer(run: &Manifest, settings: &FillSettings) -> Option<PhaseObserver> {
    let step = step_of_fill(planned(run, settings), settings.block_size_bytes);
    Some(PhaseObserver::Steps(RecordedSteps::new(phase(run)?, step)))
}

/// Takes into the findings of a killed run what its records say of the fill. What was fast again after rests is in no records.
pub(super) fn take_records(findings: &mut FillFindings, taken: &RecordsOfRun<'_, Fill>) {
    let RecordsOfRun { run, settings, records, .. } = taken;
    if run.outcome.is_some() || records.withheld.is_some() {
        return;
    }
    let planned = planned(run, settings);
    findings.planned_bytes = planned.get();
    findings.step_bytes = step_of_fill(planned, settings.block_size_bytes).get();
    let Some(PhaseObserver::Steps(recorded)) = &records.observer else { return };
    let number = phase(run);
    let fill = number.and_then(|phase| records.run.phase(phase));
    let has_ended = |phase: PhaseId| run.phases[usize::from(phase.0)].ended_at_ns.is_some();
    let is_whole = number.is_some_and(has_ended);
    let lasted = fill.filter(|_| is_whole).map(|fill| fill.ran(fill.until_last_success));
    findings.take_fill(recorded.steps(), fill, lasted);
}

/// What the fill was to write. Of a drive's blocks the manifest knows nothing: they matter where a share of a drive of less than
/// 64 MiB was asked for.
fn planned(run: &Manifest, settings: &FillSettings) -> ByteCount {
    let capacity = ByteCount::new(run.drive.size_bytes);
    settings.written(&Geometry { capacity, logical_block: 512, physical_block: 4096 }).length()
}

/// The number of the phase that fills the drive; none where it had not begun.
fn phase(run: &Manifest) -> Option<PhaseId> {
    let number = run.phases.iter().position(|phase| phase.name == MEASURED)?;
    u8::try_from(number).ok().map(PhaseId)
}
