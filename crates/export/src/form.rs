//! What is exported of a result.

/// What is exported of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// Every record with all its columns, sorted by time.
    Records,
    /// The rollup of the records.
    Rollup,
}
