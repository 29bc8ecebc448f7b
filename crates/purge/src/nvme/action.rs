//! The ways to sanitize.

use std::fmt;

/// How a drive erases all of its flash, what cannot be addressed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SanitizeAction {
    /// The blocks of the flash are erased.
    BlockErase,
    /// The key of everything stored is replaced.
    CryptoErase,
}

impl SanitizeAction {
    /// Command dword 10: the action, and that a failed sanitize may be left (AUSE, bit 3): a drive that is tested is
    /// not to become unusable. The freed blocks are deallocated (bit 9 is 0).
    pub(crate) fn dword(self) -> u32 {
        let action = match self {
            SanitizeAction::BlockErase => 2,
            SanitizeAction::CryptoErase => 4,
        };
        action | 1 << 3
    }
}

impl fmt::Display for SanitizeAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SanitizeAction::BlockErase => "block erase",
            SanitizeAction::CryptoErase => "crypto erase",
        })
    }
}
