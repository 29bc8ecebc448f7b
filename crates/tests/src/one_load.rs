//! A load as a phase of a test.

use drivelab_block::Geometry;
use drivelab_method::{LoadPlan, PhaseEnd};

use crate::{PlanError, Session};

/// Runs a load of one thread as a phase.
///
/// # Errors
/// Where the load makes no sense on a drive of this geometry, and those of the session.
pub(crate) fn run_load<S: Session>(
    session: &mut S,
    geometry: &Geometry,
    load: &LoadPlan,
) -> Result<PhaseEnd, S::Error> {
    let phase = load.phase(geometry, true).map_err(|error| PlanError(error.to_string()))?;
    let workloads = load.workloads(1).map_err(|error| PlanError(error.to_string()))?;
    session.phase(&phase, workloads, None)
}
