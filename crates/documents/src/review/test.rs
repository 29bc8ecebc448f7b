//! The tests that a step of a review can be.

use drivelab_block::worded_enum;

worded_enum! {
    /// A test of a review, which is a command of drivelab, named as it is typed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ReviewTest {
        /// What was ever written to the drive, and its health.
        Lifetime = "lifetime",
        /// A minute's look.
        Quick = "quick",
        /// One plain load.
        Load = "load",
        /// How fast the drive is written from its begin to its end.
        Fill = "fill",
        /// Performance consistency.
        Consistency = "consistency",
        /// Validation of TRIM.
        Trim = "trim",
        /// Rounds in the style of SNIA's Performance Test Specification.
        Pts = "pts",
        /// Long delays of a stream.
        Stalls = "stalls",
        /// The same data by several paths.
        Paths = "paths",
        /// File systems and threads.
        Matrix = "matrix",
        /// The first read after rests.
        Wake = "wake",
        /// Random reads of growing parts.
        WorkingSet = "working-set",
        /// Response times at offered loads.
        OfferedLoad = "offered-load",
        /// A trace, replayed.
        Replay = "replay",
    }
}

impl ReviewTest {
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
