//! What a writer says at its end.

/// What became of the records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// In whole segments.
    pub records: u64,
    /// The size of those segments, in bytes.
    pub bytes: u64,
    /// Removed again, the oldest first, to keep within a limit.
    pub removed: u64,
    /// The number of the first segment that was not removed.
    pub first_segment: u32,
    /// Not kept, because a file could not be written.
    pub lost: u64,
    /// The first error that lost records, in words.
    pub first_error: Option<String>,
}
