//! What every kind of result has, and what makes it a test of a drive.

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_record::MeasuredPhases;
use drivelab_view::View;
use drivelab_workload::Seed;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Kept, Session};

/// A kind of result: what was asked for, what was found, and what is shown of one result or of several that are compared.
pub trait ResultKind: Sized + 'static {
    /// The kind as it is spelled in commands and documents, such as `quick`.
    const NAME: &'static str;
    /// The kind in words, such as "quick test".
    const WORDS: &'static str;
    /// The version of its document: it grows whenever a field changes its name or its meaning.
    const VERSION: u32;
    /// What was asked for, as `run.json` keeps it.
    type Settings: Clone + std::fmt::Debug + PartialEq + Serialize + DeserializeOwned + JsonSchema;
    /// What was found, as `findings.json` keeps it; the default is what is known before the first I/O.
    type Findings: Clone + std::fmt::Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;

    /// What is shown of these results, of which there is at least one.
    fn view(results: &[Kept<Self>]) -> View;
}

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

/// Settings that make no sense on a drive. The message is a line that says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub String);

/// A plan in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// What would be done, in sentences without their final stop.
    pub sentences: Vec<String>,
    /// How many bytes would be written.
    pub written: ByteCount,
    /// How long it would take at most, where that is known.
    pub at_most: Option<Nanos>,
}
