//! What makes a kind of result a test of a drive.

use drivelab_block::Geometry;
use drivelab_record::MeasuredPhases;
use drivelab_workload::Seed;

use crate::{Contents, Outline, PlanError, ResultKind, Session};

/// A result that comes from I/Os on a drive.
pub trait Test: ResultKind {
    /// What is done to a drive of a given geometry.
    type Plan;

    /// Why a regular file is no target of this test, and what is; none where a file is one.
    const NOT_OF_FILES: Option<&'static str> = None;

    /// Whether the test changes what the drive holds.
    fn writes(settings: &Self::Settings) -> bool;

    /// The phases that the figures speak of; the others prepare the drive.
    fn measured() -> MeasuredPhases;

    /// What was asked for, in the form in which results of different drives are compared.
    #[must_use]
    fn comparable(settings: Self::Settings, _geometry: Geometry) -> Self::Settings {
        settings
    }

    /// What these settings mean for a drive of this geometry. Every random draw of the test follows from the seed.
    ///
    /// # Errors
    /// Where the settings make no sense on such a drive; the message says what to type instead.
    fn plan(settings: &Self::Settings, geometry: Geometry, seed: Seed) -> Result<Self::Plan, PlanError>;

    /// The plan in words, before anything is done.
    fn outline(plan: &Self::Plan) -> Outline;

    /// What has to be known of the bytes that reads return.
    fn contents(_plan: &Self::Plan) -> Contents {
        Contents::Unwatched
    }

    /// Whether the drive passed, as far as the test asks that; where it did not, the exit code is 1.
    fn has_passed(_findings: &Self::Findings) -> bool {
        true
    }

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
