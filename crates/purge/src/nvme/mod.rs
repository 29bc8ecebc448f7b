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
