//! What is left of a run's completions.

/// What was kept of a run's completions, over all of its phases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Completions, whether they ended well or not.
    pub completions: u64,
    /// Those that failed.
    pub failed: u64,
    /// Completions that were counted but not kept.
    pub lost: u64,
    /// Bytes of the files that hold the records.
    pub bytes: u64,
    /// A hash over all completions in order, as hexadecimal digits; simulated drives only.
    pub completions_hash: Option<String>,
}
