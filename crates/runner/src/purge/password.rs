//! drivelab's own password in a drive, which a secure erase that was cut off has left.

use std::sync::Arc;

use drivelab_purge::ata::{AtaCommands as _, ReleaseError, release};
use drivelab_safety::{Decision, Identity, System, Target, open_for_reading};
use drivelab_uring::{Access, AtaDrive};

use crate::audit::{Audit, note_refused};
use crate::confirm::is_confirmed;
use crate::{Failure, SafetyOptions};

/// Unlocks a drive that is locked by drivelab's password, and takes that away. A drive that is not locked stays as it
/// is, and so does one whose purge is not confirmed.
///
/// The safety rules cannot look at a locked drive, for it reads nothing. Nobody can use it either.
pub fn unlock_own(target: &Target, safety: &SafetyOptions) -> Result<(), Failure> {
    let Target::Drive(drive) = target else { return Ok(()) };
    if !is_confirmed(target, safety) {
        return Ok(());
    }
    let Ok(opened) = open_for_reading(&System::live(), target) else { return Ok(()) };
    let access = Access::Read(Arc::new(opened));
    let Ok(mut ata) = AtaDrive::open(&access) else { return Ok(()) };
    if !ata.security().is_ok_and(|security| security.is_locked) {
        return Ok(());
    }
    let identity = Identity::Drive(Box::new(drive.identity().clone()));
    match take_away(&mut ata, &identity) {
        Ok(_) => Ok(()),
        Err(error @ ReleaseError::Other(_)) => {
            let text = format!(
                "{} is locked: {error}; unlock it with that one first (hdparm --security-unlock)",
                drive.path().display()
            );
            note_refused(&identity, &text);
            Err(Failure::Refused(text))
        }
        Err(error) => Err(Failure::Environment(error.to_string())),
    }
}

/// Takes drivelab's password out of a claimed drive that has it and is not locked; whether the drive has another one.
pub fn release_own(access: &Access) -> Result<bool, Failure> {
    let (Access::Write(grant), Ok(mut ata)) = (access, AtaDrive::open(access)) else { return Ok(false) };
    // What is no ATA drive does not identify itself, and has no password.
    if !ata.security().is_ok_and(|security| security.is_enabled && !security.is_frozen) {
        return Ok(false);
    }
    match take_away(&mut ata, grant.identity()) {
        Ok(_) => Ok(false),
        Err(ReleaseError::Other(_)) => Ok(true),
        Err(error) => Err(Failure::Environment(error.to_string())),
    }
}

/// The audit log says so before and after.
fn take_away(ata: &mut AtaDrive<'_>, identity: &Identity) -> Result<bool, ReleaseError> {
    let not_written = |error| ReleaseError::Failed(drivelab_purge::ata::AtaCommandError::System(error));
    let mut audit =
        Audit::open().map_err(|failure| not_written(std::io::Error::other(failure.to_string())))?;
    audit.write(Decision::PasswordTried(identity)).map_err(not_written)?;
    let had_one = release(ata)?;
    if had_one {
        say!("{identity}: a purge was cut off before; the password that it had left was taken away");
        note_gone(&mut audit, identity);
    }
    Ok(had_one)
}

/// Writes down that a drive has no password. The drive is what counts: a log without room is only told of.
pub fn note_gone(audit: &mut Audit, identity: &Identity) {
    if let Err(error) = audit.write(Decision::PasswordGone(identity)) {
        say!(
            "{identity} has no password any more; the audit log, which still says that it has, cannot be written ({error})"
        );
    }
}
