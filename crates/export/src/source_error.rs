//! Why a result cannot be exported.

/// Why a result cannot be exported, and what to do; each is put behind the name of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// It goes on, or it is a run or an import that was killed.
    #[error(
        "it has not ended, or was killed: export it when it has ended; what a kill left is shown by drivelab report"
    )]
    NotEnded,
    /// Its records do not say when they were by a clock.
    #[error(
        "its source has no clock time: add --started 2026-11-24T08:00:00+01:00 with the time when it began"
    )]
    NoClockTime,
    /// Its machine is not known.
    #[error("its source does not name the machine that it is of: add --host NAME")]
    NoHost,
    /// The machine has a name that no folder can have.
    #[error(
        "the name of its machine is longer than a folder's name can be: add --host NAME with a shorter one"
    )]
    LongHost,
    /// Records were lost while it was made.
    #[error(
        "{0} of its records were lost while it was made, and figures without them would be wrong: it is not exported"
    )]
    LostRecords(u64),
}
