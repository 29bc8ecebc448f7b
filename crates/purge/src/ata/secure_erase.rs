//! SECURITY ERASE UNIT from the first command to the last, so that no password stays in the drive.

use std::io;

use super::command::{Command, CommandError, Drive, PASSWORD};
use super::mode::EraseMode;

/// What is written down before and after the password is in the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journal {
    /// The password is about to be set.
    PasswordSet,
    /// The drive has no password any more.
    PasswordGone,
}

/// Why a drive is not known to be erased.
#[derive(Debug, thiserror::Error)]
pub enum SecureEraseError {
    /// The drive does not identify itself; nothing was changed.
    #[error("the drive does not tell the state of its security ({0}): nothing was changed")]
    NotTold(CommandError),
    /// There is a password in the drive that is not drivelab's.
    #[error(
        "the drive has a password that is not drivelab's ({0}): nothing was erased; take the password away \
         (hdparm --security-disable), or try --purge discard"
    )]
    OtherPassword(CommandError),
    /// What has to be known after a power cut could not be written down.
    #[error(
        "the password could not be written to the audit log ({0}): it was not set, and nothing was erased"
    )]
    NotWrittenDown(io::Error),
    /// The drive refused a command before the erase; it has no password.
    #[error("the drive refused {0} ({1}): nothing was erased, and it has no password; try --purge discard")]
    Refused(Command, CommandError),
    /// The erase did not end well; the drive has no password.
    #[error(
        "the erase failed ({0}): what the drive holds is not known, and it has no password; run drivelab purge again"
    )]
    Failed(CommandError),
    /// The user did not want it any more.
    #[error("interrupted: nothing was erased, and the drive has no password")]
    Interrupted,
    /// The password is still in the drive, or the drive does not tell.
    #[error(
        "the drive may still have the password \"{PASSWORD}\" ({0}), and is then locked from its next start on: run \
         drivelab purge again, which takes it away"
    )]
    PasswordLeft(CommandError),
}

/// Takes drivelab's password out of a drive where an erase that was cut off has left it. A drive without a password
/// stays as it is. A wrong password is told to a locked drive once at most: it takes five.
///
/// # Errors
/// [`SecureEraseError::NotTold`], and [`SecureEraseError::OtherPassword`] where the drive does not take it.
pub fn release<D: Drive>(drive: &mut D) -> Result<(), SecureEraseError> {
    let security = drive.security().map_err(SecureEraseError::NotTold)?;
    if !security.is_enabled {
        return Ok(());
    }
    take_away(drive, security.is_locked).map_err(SecureEraseError::OtherPassword)
}

/// Erases a drive. `journal` writes down, so that it outlasts a power cut, what it is given before this goes on.
/// `is_interrupted` says whether the user wants to stop; the erase itself cannot be stopped.
///
/// # Errors
/// Where the drive is not known to be erased; each says whether a password is left in it.
pub fn secure_erase<D: Drive>(
    drive: &mut D,
    mode: EraseMode,
    mut journal: impl FnMut(Journal) -> io::Result<()>,
    is_interrupted: impl Fn() -> bool,
) -> Result<(), SecureEraseError> {
    release(drive)?;
    if is_interrupted() {
        return Err(SecureEraseError::Interrupted);
    }
    journal(Journal::PasswordSet).map_err(SecureEraseError::NotWrittenDown)?;
    let erased = with_password(drive, mode, is_interrupted);
    // A good erase takes the password away. Where the drive does not say so, it is taken away here.
    let left = drive
        .security()
        .and_then(|security| if security.is_enabled { take_away(drive, security.is_locked) } else { Ok(()) });
    left.map_err(SecureEraseError::PasswordLeft)?;
    // The drive is what counts: it has no password, whether that can be written down or not.
    let _ = journal(Journal::PasswordGone);
    erased
}

fn with_password<D: Drive>(
    drive: &mut D,
    mode: EraseMode,
    is_interrupted: impl Fn() -> bool,
) -> Result<(), SecureEraseError> {
    for command in [Command::SetPassword, Command::ErasePrepare] {
        drive.carry_out(command).map_err(|error| SecureEraseError::Refused(command, error))?;
        if is_interrupted() {
            return Err(SecureEraseError::Interrupted);
        }
    }
    drive.carry_out(Command::EraseUnit(mode)).map(drop).map_err(SecureEraseError::Failed)
}

fn take_away<D: Drive>(drive: &mut D, is_locked: bool) -> Result<(), CommandError> {
    if is_locked {
        drive.carry_out(Command::Unlock)?;
    }
    drive.carry_out(Command::DisablePassword).map(drop)
}

#[cfg(test)]
mod tests;
