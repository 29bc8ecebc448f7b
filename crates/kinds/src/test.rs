//! What makes a kind of result a test of a drive.

use drivelab_block::{ByteRange, Geometry, Nanos};
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_workload::Seed;

use crate::{DriveUnderTest, Outline, PlanError, PurgeOption, ReadContents, ResultKind};

/// A result that comes from I/Os on a drive.
pub trait Test: ResultKind {
    /// What is done to a drive of a given geometry.
    type Plan;

    /// What is asked besides the settings, which a result does not keep: the trace of a replay; nothing of most tests.
    type Input;

    /// The option that names the folder of the result.
    const FOLDER_OPTION: &'static str = "-o";

    /// Why a regular file is no target of this test, and what is; none where a file is one.
    const NOT_OF_FILES: Option<&'static str> = None;

    /// Whether the plan is said before the test begins: that of one that may take hours.
    const IS_ANNOUNCED: bool = false;

    /// Whether the test changes what the drive holds.
    fn writes(settings: &Self::Settings, input: &Self::Input) -> bool;

    /// What is asked, where that writes nothing, as a message names it.
    fn name_of_reading(_settings: &Self::Settings) -> String {
        format!("{} without --write", Self::NAME)
    }

    /// Why the target has to take discards, and what to type instead where it takes none; none where it need not.
    fn needs_discards(_settings: &Self::Settings, _input: &Self::Input) -> Option<(String, &'static str)> {
        None
    }

    /// How the target is purged before.
    fn purge(_settings: &Self::Settings) -> PurgeOption {
        PurgeOption::None
    }

    /// How long the drive is read at most until it is warm, before anything is measured; none where that was not asked for. A
    /// test that has this calls [`DriveUnderTest::warm_up`].
    fn until_warm(_settings: &Self::Settings) -> Option<Nanos> {
        None
    }

    /// Whether the requests of the drive are recorded, which needs a drive and a folder for them.
    fn records_requests(_settings: &Self::Settings) -> bool {
        false
    }

    /// What the result of a target is called.
    fn label(target: &str, _settings: &Self::Settings) -> String {
        target.to_owned()
    }

    /// How far the data of writes can be compressed, in per cent.
    fn compressibility_percent(_settings: &Self::Settings) -> u8 {
        0
    }

    /// The processors of the threads, which take turns on them; the kernel chooses where there are none.
    fn cpus(_settings: &Self::Settings) -> &[usize] {
        &[]
    }

    /// Threads, each with a queue of its own.
    fn workers(_plan: &Self::Plan) -> u16 {
        1
    }

    /// The phases that the figures speak of; the others prepare the drive.
    fn measured(settings: &Self::Settings) -> MeasuredPhases;

    /// What of the plan is said among the conditions of the run.
    fn conditions(_settings: &Self::Settings, _plan: &Self::Plan) -> Vec<Condition> {
        Vec::new()
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
    fn plan(
        settings: &Self::Settings,
        input: &Self::Input,
        geometry: Geometry,
        seed: Seed,
    ) -> Result<Self::Plan, PlanError>;

    /// The plan in words, before anything is done.
    fn outline(plan: &Self::Plan) -> Outline;

    /// What has to be known of the bytes that reads return.
    fn contents(_plan: &Self::Plan) -> ReadContents {
        ReadContents::Unwatched
    }

    /// The range that random writes go to, where their write amplification depends on it: first byte and one past the last.
    fn written_range(_plan: &Self::Plan) -> Option<ByteRange> {
        None
    }

    /// Carries the plan out. What was found before something broke stays in `findings`.
    ///
    /// # Errors
    /// Those of the session: the drive broke, or is not the one that was cleared for writing any more.
    fn run<S: DriveUnderTest>(
        plan: &Self::Plan,
        session: &mut S,
        findings: &mut Self::Findings,
    ) -> Result<(), S::Error>;
}
