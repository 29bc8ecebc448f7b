//! Which phases of a run are read, as reports show it.

use drivelab_record::{ChosenPhases, PhaseReason};
use drivelab_report::{PhasesChosen, PhasesDocument};

/// The phases that were chosen, where `left_out` I/Os of others were left out.
pub fn shown_phases(chosen: &ChosenPhases, left_out: u64) -> PhasesDocument {
    PhasesDocument {
        shown: chosen.taken_names(),
        of: chosen.names().to_vec(),
        chosen: match chosen.reason() {
            PhaseReason::Measured => PhasesChosen::Measured,
            PhaseReason::Asked => PhasesChosen::Asked,
            PhaseReason::LastOfOlder => PhasesChosen::Last,
        },
        left_out_requests: left_out,
    }
}
