//! What makes a kind of result a test of a drive.

use drivelab_block::Geometry;
use drivelab_record::MeasuredPhases;
use drivelab_workload::Seed;

use crate::{Outline, PlanError, ResultKind, Session};

/// A result that comes from I/Os on a drive.
pub trait Test: ResultKind {
    /// What is done to a drive of a given geometry.
    type Plan;

    /// Whether the test changes what the drive holds.
    fn writes(settings: &Self::Settings) -> bool;

    /// The phases that the figures speak of; the others prepare the drive.
    fn measured() -> MeasuredPhases;

    /// What these settings mean for a drive of this geometry. Every random draw of the test follows from the seed.
    ///
    /// # Errors
    /// Where the settings make no sense on such a drive; the message says what to type instead.
    fn plan(settings: &Self::Settings, geometry: Geometry, seed: Seed) -> Result<Self::Plan, PlanError>;

    /// The plan in words, before anything is done.
    fn outline(plan: &Self::Plan) -> Outline;

    /// Carries the plan out. What was found before something broke stays in `findings`.
    ///
    /// # Errors
    /// Those of the session: the drive broke, or is not the one that was cleared for writing any more.
    fn run<S: Session>(
        plan: &Self::Plan,
        session: &mut S,
        findings: &mut Self::Findings,
    ) -> Result<(), S::Error>;
}
