//! By what a file that was made here is known.

/// What the files of one kind have in common, and no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStart {
    /// What each of them begins with.
    pub start: &'static [u8],
    /// What is among its first bytes, too; empty if the start alone is enough.
    pub part: &'static [u8],
}
