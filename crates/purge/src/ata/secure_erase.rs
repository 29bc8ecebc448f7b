//! SECURITY ERASE UNIT from the first command to the last, so that no password stays in the drive.

use std::io;

use super::command::{AtaCommand, AtaCommandError, AtaCommands, PASSWORD};
use super::security::{EraseMode, Security};

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
    /// The drive does not identify itself, or has a password; nothing was changed.
    #[error("the state of the drive's security is not what it was ({0}): nothing was changed")]
    NotReady(String),
    /// What has to be known after a power cut could not be written down.
    #[error(
        "the password could not be written to the audit log ({0}): it was not set, and nothing was erased"
    )]
    NotWrittenDown(io::Error),
    /// The drive refused a command before the erase; it has no password.
    #[error("the drive refused {0} ({1}): nothing was erased, and it has no password; try --purge discard")]
    Refused(AtaCommand, AtaCommandError),
    /// The erase did not end well; the drive has no password.
    #[error(
        "the erase failed ({0}): what the drive holds is not known, and it has no password; run drivelab purge again"
    )]
    Failed(AtaCommandError),
    /// The user did not want it any more.
    #[error("interrupted: nothing was erased, and the drive has no password")]
    Interrupted,
    /// The password is still in the drive, or the drive does not tell.
    #[error(
        "{erased}; the drive may still have the password \"{PASSWORD}\" ({why}), and is then locked from its next start \
         on: run drivelab purge again, which takes it away"
    )]
    PasswordLeft {
        /// What became of the erase before.
        erased: String,
        /// Why it is not known to be without a password.
        why: AtaCommandError,
    },
}

/// Why drivelab's password is not known to be taken away.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The drive has a password, and refuses drivelab's.
    #[error("the drive has a password that is not drivelab's ({0})")]
    Other(AtaCommandError),
    /// It takes none before its next power cycle.
    #[error(
        "the drive was told too many wrong passwords and takes none: give it its power anew, then run this again"
    )]
    TakesNone,
    /// It could not be asked or told.
    #[error("whether drivelab's password is in the drive is not known ({0}): run this again")]
    Failed(AtaCommandError),
}

/// Takes drivelab's password out of a drive where an erase that was cut off has left it; whether there was one. A drive
/// without a password, or whose security is frozen, stays as it is. A locked drive takes five wrong passwords, and is told
/// one at most.
///
/// # Errors
/// Where it is not known to be without that password.
pub fn release<D: AtaCommands>(drive: &mut D) -> Result<bool, ReleaseError> {
    let security = drive.security().map_err(ReleaseError::Failed)?;
    if !security.is_enabled || security.is_frozen {
        return Ok(false);
    }
    if security.takes_no_password {
        return Err(ReleaseError::TakesNone);
    }
    match take_away(drive, &security) {
        Ok(()) => Ok(true),
        Err(error @ AtaCommandError::Registers { .. }) => Err(ReleaseError::Other(error)),
        Err(error) => Err(ReleaseError::Failed(error)),
    }
}

/// Erases a drive without a password. `journal` writes down, so that it outlasts a power cut, what it is given before this
/// goes on. `is_interrupted` says whether the user wants to stop; the erase itself cannot be stopped.
///
/// # Errors
/// Where the drive is not known to be erased; each says whether a password is left in it.
pub fn secure_erase<D: AtaCommands>(
    drive: &mut D,
    mode: EraseMode,
    mut journal: impl FnMut(Journal) -> io::Result<()>,
    is_interrupted: impl Fn() -> bool,
) -> Result<(), SecureEraseError> {
    let security = drive.security().map_err(|error| SecureEraseError::NotReady(error.to_string()))?;
    if security.is_enabled || security.is_locked || security.is_frozen {
        return Err(SecureEraseError::NotReady("a password is set, or it is frozen".to_owned()));
    }
    if is_interrupted() {
        return Err(SecureEraseError::Interrupted);
    }
    journal(Journal::PasswordSet).map_err(SecureEraseError::NotWrittenDown)?;
    let erased = with_password(drive, mode, is_interrupted);
    if let Err(why) = without_password(drive) {
        let erased = erased.map_or_else(|error| error.to_string(), |()| "the erase ended well".to_owned());
        return Err(SecureEraseError::PasswordLeft { erased, why });
    }
    // The drive is what counts: it has no password, whether that can be written down or not.
    let _ = journal(Journal::PasswordGone);
    erased
}

fn with_password<D: AtaCommands>(
    drive: &mut D,
    mode: EraseMode,
    is_interrupted: impl Fn() -> bool,
) -> Result<(), SecureEraseError> {
    for command in [AtaCommand::SetPassword, AtaCommand::ErasePrepare] {
        drive.carry_out(command).map_err(|error| SecureEraseError::Refused(command, error))?;
        if is_interrupted() {
            return Err(SecureEraseError::Interrupted);
        }
    }
    drive.carry_out(AtaCommand::EraseUnit(mode)).map(drop).map_err(SecureEraseError::Failed)
}

/// Sees to it that there is no password. A good erase takes it away; where the drive does not say so, it is taken away here.
fn without_password<D: AtaCommands>(drive: &mut D) -> Result<(), AtaCommandError> {
    let security = drive.security()?;
    if !security.is_supported {
        // It had the feature set a moment ago: this is no answer of the drive.
        return Err(AtaCommandError::Incomplete);
    }
    if security.is_enabled { take_away(drive, &security) } else { Ok(()) }
}

fn take_away<D: AtaCommands>(drive: &mut D, security: &Security) -> Result<(), AtaCommandError> {
    if security.is_locked {
        drive.carry_out(AtaCommand::Unlock)?;
    }
    drive.carry_out(AtaCommand::DisablePassword).map(drop)
}

#[cfg(test)]
mod tests;
