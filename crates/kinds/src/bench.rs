//! Drives on which loads are measured without records of their I/Os.

use drivelab_block::{ByteRange, Geometry, Nanos};
use drivelab_method::LoadPlan;
use drivelab_record::Notice;
use drivelab_stats::{CellSample, Distribution};
use drivelab_workload::Seed;

use crate::{Outline, PlanError, PurgeOption, ResultKind};

/// A drive on which loads are measured one after the other.
pub trait Bench {
    /// What can go wrong.
    type Error;

    /// Purges the drive as it was asked for, or a range of it (its first byte, and the one past its last) by discards. A
    /// drive that does not take discards stays as it is, and the result says so.
    ///
    /// # Errors
    /// Where the target is not the one any more that was cleared, does not have the command that was asked for, or broke.
    fn purge(&mut self, asked: PurgeOption, range: ByteRange) -> Result<(), Self::Error>;

    /// Runs a load, and returns what it came to; `None` where the user ended it.
    ///
    /// # Errors
    /// Where it cannot be run, or I/Os fail.
    fn measure(&mut self, load: &LoadPlan) -> Result<Option<MeasuredLoad>, Self::Error>;

    /// Notes something that the reader of the result has to know; the same again is noted once.
    fn notice(&mut self, notice: Notice);

    /// Lets the drive idle; whether the user let it.
    ///
    /// # Errors
    /// Where the drive broke.
    fn idle(&mut self, time: Nanos) -> Result<bool, Self::Error>;
}

/// What a load came to.
#[derive(Clone, Debug, Default)]
pub struct MeasuredLoad {
    /// Its figures.
    pub sample: CellSample,
    /// How its service times are distributed.
    pub service: Distribution,
}

/// A test of a drive whose I/Os are counted and timed, and not recorded: it has thousands of phases. It writes to the drive.
pub trait BenchTest: ResultKind {
    /// What is done to a drive of a given geometry.
    type Plan;

    /// The most threads that one of its loads has.
    const THREADS_MAX: u16;

    /// How the target is purged before.
    fn purge(_settings: &Self::Settings) -> PurgeOption {
        PurgeOption::None
    }

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

    /// Carries the plan out, and shows what is known to `known` whenever something new is. What was found before something
    /// broke stays in `findings`.
    ///
    /// # Errors
    /// Those of the bench.
    fn run<B: Bench>(
        plan: &Self::Plan,
        bench: &mut B,
        findings: &mut Self::Findings,
        known: impl FnMut(&B, &Self::Findings),
    ) -> Result<(), B::Error>;
}
