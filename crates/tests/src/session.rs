//! What a test may do with the drive under test.

use drivelab_analysis::PhaseAnalysis;
use drivelab_block::ByteCount;
use drivelab_method::{PhaseEnd, PhasePlan};
use drivelab_record::Severity;
use drivelab_workload::Workload;

use crate::PlanError;

/// A drive under test, real or simulated, from the first phase of a test to its last.
pub trait Session {
    /// Why a test cannot go on.
    type Error: From<PlanError>;

    /// Whether the drive is new and holds nothing, as a simulated drive is: a read of what was never written would cost it no
    /// read of flash.
    fn begins_empty(&self) -> bool;

    /// Runs a phase with a workload for each thread. `ends_after` is what the workloads move where they end by themselves.
    ///
    /// # Errors
    /// Where the drive broke. What was completed before is kept, and the run notes that it broke off.
    fn phase<W: Workload>(
        &mut self,
        plan: &PhasePlan,
        workloads: Vec<W>,
        ends_after: Option<ByteCount>,
    ) -> Result<PhaseEnd, Self::Error>;

    /// The analysis of the phase that ran last; none before the first one.
    fn last_phase(&self) -> Option<&PhaseAnalysis>;

    /// Checks again, before a phase that writes, that the target is the one that was cleared for writing.
    ///
    /// # Errors
    /// Where it is not, or where that cannot be found out.
    fn check_target(&self) -> Result<(), Self::Error>;

    /// Whether the user, or the drive's temperature, wants the test to end.
    fn is_interrupted(&self) -> bool;

    /// Notes something that the reader of the result has to know.
    fn notice(&mut self, severity: Severity, text: String);
}
