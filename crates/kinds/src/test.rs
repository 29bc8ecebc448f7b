//! What makes a kind of result a test of a drive.

use drivelab_block::{ByteRange, Geometry, Nanos};
use drivelab_documents::{Condition, MeasuredPhases, Notice};
use drivelab_workload::Seed;

use crate::{DriveUnderTest, Outline, PlanError, PurgeOption, RangeOption, ReadContents, ResultKind};

/// What is done to a drive, or why the settings make no sense there.
pub type PlanResult<T> = Result<<T as Test>::Plan, PlanError>;

/// The part of a drive in the settings of a test; none of a test that is asked for none.
pub type RangeOf<S> = fn(&mut S) -> Option<&mut RangeOption>;

/// A result that comes from I/Os on a drive: what it is asked for, and what that means for a drive. How it is carried out is
/// said by [`RecordedTest`] or [`CellTest`](crate::CellTest).
pub trait Test: ResultKind {
    /// What is done to a drive of a given geometry.
    type Plan;

    /// What is asked besides the settings, which a result does not keep: the trace of a replay; nothing of most tests.
    type Input;

    /// What is true of the test whatever is asked.
    const RULES: TestRules = TestRules::USUAL;
    /// The part of the drive that is asked for.
    const RANGE: RangeOf<Self::Settings> = |_| None;

    /// What these settings need of a target.
    fn needs(settings: &Self::Settings, input: &Self::Input) -> TestNeeds;

    /// What the result of a target is called.
    fn label(target: &str, _settings: &Self::Settings) -> String {
        target.to_owned()
    }

    /// What of the plan is said among the conditions of the run.
    fn conditions(_settings: &Self::Settings, _plan: &Self::Plan) -> Vec<Condition> {
        Vec::new()
    }

    /// What was asked for, in the form in which results of different drives are compared.
    #[must_use]
    fn comparable(mut settings: Self::Settings, geometry: Geometry) -> Self::Settings {
        if let Some(range) = (Self::RANGE)(&mut settings) {
            *range = range.on_capacity(geometry.capacity);
        }
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
}

/// A test whose every I/O is recorded.
pub trait RecordedTest: Test {
    /// What has to be ready before the plan is carried out.
    fn setup(_plan: &Self::Plan) -> TestSetup {
        TestSetup::default()
    }

    /// Carries the plan out. What was found before something broke stays in `findings`.
    ///
    /// # Errors
    /// Those of the drive: it broke, or is not the one that was cleared for writing any more.
    fn run<D: DriveUnderTest>(
        plan: &Self::Plan,
        drive: &mut D,
        findings: &mut Self::Findings,
    ) -> Result<(), D::Error>;
}

/// What is true of a test whatever is asked.
#[derive(Clone, Copy, Debug)]
pub struct TestRules {
    /// The option that names the folder of the result.
    pub folder_option: &'static str,
    /// Why a regular file is no target of this test, and what is; none where a file is one.
    pub not_of_files: Option<&'static str>,
    /// Whether a directory is a target, in which files are made.
    pub takes_directories: bool,
    /// Whether the plan is said before the test begins: that of one that may take hours.
    pub is_announced: bool,
}

impl TestRules {
    /// Those of most tests.
    pub const USUAL: TestRules =
        TestRules { folder_option: "-o", not_of_files: None, takes_directories: false, is_announced: false };
}

/// What the settings of a test need of a target.
#[derive(Clone, Debug)]
pub struct TestNeeds {
    /// Whether the test changes what the drive holds.
    pub writes: bool,
    /// What is asked, where that writes nothing, as a message names it; such as "quick without --write".
    pub name_of_reading: Option<String>,
    /// Why the target has to take discards; none where it need not.
    pub discards: Option<NeededDiscards>,
    /// How the target is purged before.
    pub purge: PurgeOption,
    /// How long the drive is read at most until it is warm, before anything is measured; none where that was not asked for. A
    /// test that has this calls [`DriveUnderTest::warm_up`].
    pub until_warm: Option<Nanos>,
    /// Whether the requests of the drive are recorded, which needs a drive and a folder for them.
    pub records_requests: bool,
    /// How far the data of writes can be compressed, in per cent.
    pub compressibility_percent: u8,
    /// The processors of the threads, which take turns on them; the kernel chooses where there are none.
    pub cpus: Vec<usize>,
    /// The phases that the figures speak of; the others prepare the drive.
    pub measured: MeasuredPhases,
}

impl TestNeeds {
    /// Those of a test that does nothing but write, or nothing but read.
    pub fn new(writes: bool, measured: MeasuredPhases) -> TestNeeds {
        TestNeeds {
            writes,
            name_of_reading: None,
            discards: None,
            purge: PurgeOption::None,
            until_warm: None,
            records_requests: false,
            compressibility_percent: 0,
            cpus: Vec::new(),
            measured,
        }
    }
}

/// Why a target has to take discards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeededDiscards {
    /// What asks for them.
    pub asked: &'static str,
    /// What to type instead where the target takes none.
    pub instead: &'static str,
}

/// What has to be ready before a plan is carried out.
#[derive(Clone, Debug)]
pub struct TestSetup {
    /// Threads, each with a queue of its own.
    pub workers: u16,
    /// What has to be known of the bytes that reads return.
    pub contents: ReadContents,
    /// The range that random writes go to, where their write amplification depends on it: first byte and one past the last.
    pub written_range: Option<ByteRange>,
}

impl Default for TestSetup {
    /// That of one thread, whose reads nobody looks into.
    fn default() -> TestSetup {
        TestSetup { workers: 1, contents: ReadContents::Unwatched, written_range: None }
    }
}

/// A test in cells: it has thousands of measurements, or does its I/Os through other paths than the engine.
pub trait CellTest: Test {
    /// What is asked of the drive at once.
    type Cell;

    /// What it came to.
    type Measured;

    /// Carries the plan out, and has what was found kept whenever something new is. What was found before something broke stays
    /// in `findings`.
    ///
    /// # Errors
    /// Those of the drive.
    fn run<D: CellDrive<Self>>(
        plan: &Self::Plan,
        drive: &mut D,
        findings: &mut Self::Findings,
    ) -> Result<(), D::Error>;
}

/// A drive on which the cells of a test are measured, real or simulated.
pub trait CellDrive<T: CellTest> {
    /// Why a test cannot go on.
    type Error;

    /// Checks again that the target is the one that was cleared for writing.
    ///
    /// # Errors
    /// Where it is not, or where that cannot be found out.
    fn check_target(&mut self) -> Result<(), Self::Error>;

    /// Measures a cell; none where the user ended it before it was whole.
    ///
    /// # Errors
    /// Where it cannot be measured.
    fn measure(&mut self, cell: &T::Cell) -> Result<Option<T::Measured>, Self::Error>;

    /// Whether the user, or the drive's temperature, wants the test to end.
    fn is_interrupted(&self) -> bool;

    /// Notes something that the reader of the result has to know; the same again is noted once.
    fn notice(&mut self, notice: Notice);

    /// Tells the user something at once, whatever is printed of the result.
    fn say(&mut self, text: &str);

    /// Keeps what was found so far, where the result is kept: a kill costs only what is found after this.
    ///
    /// # Errors
    /// Where it cannot be kept.
    fn keep(&mut self, findings: &T::Findings) -> Result<(), Self::Error>;
}
