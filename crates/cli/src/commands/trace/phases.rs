//! Which phases of a run are read, as reports show it.

use drivelab_inspect::trace::{PhasesChosen, TracePhases};
use drivelab_record::{ChosenPhases, PhaseReason};

/// The phases that were chosen, where `left_out` I/Os of others were left out.
pub fn shown_phases(chosen: &ChosenPhases, left_out: u64) -> TracePhases {
    TracePhases {
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
