//! The two erases.

use std::fmt;

/// How thoroughly SECURITY ERASE UNIT erases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EraseMode {
    /// All user data.
    Normal,
    /// All user data, with a pattern of the vendor's, and what was reallocated too.
    Enhanced,
}

impl fmt::Display for EraseMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EraseMode::Normal => "normal",
            EraseMode::Enhanced => "enhanced",
        })
    }
}
