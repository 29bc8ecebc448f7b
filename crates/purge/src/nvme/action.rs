//! The ways to erase.

use super::identify::FormattedAs;

/// How a drive erases all of its flash, what cannot be addressed too, by the number of the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SanitizeAction {
    /// The blocks of the flash are erased.
    #[error("block erase")]
    BlockErase = 2,
    /// The key of everything stored is replaced.
    #[error("crypto erase")]
    CryptoErase = 4,
}

impl SanitizeAction {
    /// Command dword 10: the action, and that a failed sanitize may be left (AUSE, bit 3): a drive that is tested is
    /// not to become unusable. The freed blocks are deallocated (bit 9 is 0).
    pub(crate) fn dword(self) -> u32 {
        self as u32 | 1 << 3
    }
}

/// What a format does to the data of a namespace (the secure erase settings of Format NVM).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatErase {
    /// The user data is erased, in whatever way the drive chooses.
    #[error("user data erase")]
    UserData = 1,
    /// The key of the user data is replaced.
    #[error("crypto erase")]
    Crypto = 2,
}

/// A format that leaves the blocks formatted as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvmeFormat {
    /// How the blocks are formatted.
    pub blocks: FormattedAs,
    /// What is done to the data.
    pub erase: FormatErase,
    /// What is done where the drive has no such erase: some controllers have none but this.
    pub instead: Option<FormatErase>,
}

impl NvmeFormat {
    /// Command dword 10.
    pub(crate) fn dword(self) -> u32 {
        self.blocks.dword() | (self.erase as u32) << 9
    }

    /// The format that is taken where the drive refuses this one.
    pub(crate) fn next(self) -> Option<NvmeFormat> {
        self.instead.map(|erase| NvmeFormat { erase, instead: None, ..self })
    }
}
