//! The purge of an ATA drive: SECURITY ERASE UNIT, and the password that it needs.
//!
//! Fields and commands are those of the ATA Command Set 4 (ACS-4), security feature set. A command reaches the
//! drive inside a SCSI command.

mod command;
mod pass_through;
mod secure_erase;
mod security;

pub use command::{AtaCommand, AtaCommandError, AtaCommands, PASSWORD, Transfer};
pub use pass_through::{ScsiStatus, command_block};
pub use secure_erase::{Journal, ReleaseError, SecureEraseError, release, secure_erase};
pub use security::{EraseMode, Security};
