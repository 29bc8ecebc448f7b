//! The tests that a step of a review can be.

/// A test of a review, which is a command of drivelab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewTest {
    /// What was ever written to the drive, and its health.
    Lifetime,
    /// A minute's look.
    Quick,
    /// One plain load.
    Load,
    /// How fast the drive is written from its begin to its end.
    Fill,
    /// Performance consistency.
    Consistency,
    /// Validation of TRIM.
    Trim,
    /// Rounds in the style of SNIA's Performance Test Specification.
    Pts,
    /// Long delays of a stream.
    Stalls,
    /// The same data by several paths.
    Paths,
    /// File systems and threads.
    Matrix,
    /// The first read after rests.
    Wake,
    /// Random reads of growing parts.
    WorkingSet,
    /// Response times at offered loads.
    OfferedLoad,
    /// A trace, replayed.
    Replay,
}

/// All of them in the order above, each with its command as it is typed.
const COMMANDS: [(ReviewTest, &str); 14] = [
    (ReviewTest::Lifetime, "lifetime"),
    (ReviewTest::Quick, "quick"),
    (ReviewTest::Load, "load"),
    (ReviewTest::Fill, "fill"),
    (ReviewTest::Consistency, "consistency"),
    (ReviewTest::Trim, "trim"),
    (ReviewTest::Pts, "pts"),
    (ReviewTest::Stalls, "stalls"),
    (ReviewTest::Paths, "paths"),
    (ReviewTest::Matrix, "matrix"),
    (ReviewTest::Wake, "wake"),
    (ReviewTest::WorkingSet, "working-set"),
    (ReviewTest::OfferedLoad, "offered-load"),
    (ReviewTest::Replay, "replay"),
];

impl ReviewTest {
    /// The command, as it is typed.
    pub const fn name(self) -> &'static str {
        COMMANDS[self as usize].1
    }

    /// The names of all of them.
    pub fn names() -> [&'static str; COMMANDS.len()] {
        COMMANDS.map(|(_, name)| name)
    }

    /// The test with this name.
    pub fn named(name: &str) -> Option<ReviewTest> {
        COMMANDS.into_iter().find(|(_, known)| *known == name).map(|(test, _)| test)
    }

    /// Why it is left out on a simulated drive, in a sentence without its final stop; none where it is not.
    pub const fn not_simulated(self) -> Option<&'static str> {
        match self {
            ReviewTest::Lifetime => Some("a simulated drive is new in every test"),
            ReviewTest::Paths => Some("a simulated drive has only the raw path"),
            _ => None,
        }
    }

    /// The option that is an argument without a name of the command, and stands before the target.
    pub const fn argument(self) -> Option<&'static str> {
        match self {
            ReviewTest::Replay => Some("trace"),
            _ => None,
        }
    }

    /// Whether it is a test of the drive, which has a seed and a name; else it only looks at it.
    pub const fn is_run(self) -> bool {
        !matches!(self, ReviewTest::Lifetime)
    }
}
