//! Purges of NVMe drives: Sanitize, and Format with an erase.
//!
//! Fields are those of the NVM Express Base Specification 2.0 and of the NVM Command Set Specification 1.0.

mod action;
mod command;
mod facts;
mod format;
mod identify;
mod sanitize;

pub use action::{FormatErase, NvmeFormat, SanitizeAction};
pub use command::{AdminCommand, Erasure, NvmeCommandError, NvmeCommands, NvmeFeature, NvmeQuery};
pub use facts::{Facts, facts};
pub use format::{FormatError, format};
pub use identify::{Controller, FormattedAs};
pub use sanitize::{SanitizeError, SanitizeLog, SanitizeState, Sanitized, awaited, sanitize};

// Little-endian fields of what a drive returns; a field past the end is zero, as reserved fields are.
fn byte(data: &[u8], at: usize) -> u8 {
    data.get(at).copied().unwrap_or(0)
}

fn word(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([byte(data, at), byte(data, at + 1)])
}

fn dword(data: &[u8], at: usize) -> u32 {
    u32::from(word(data, at)) | u32::from(word(data, at + 2)) << 16
}
