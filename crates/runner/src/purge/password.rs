//! drivelab's own password in a drive that an erase, cut off by a power cut, has left locked.

use std::sync::Arc;

use drivelab_purge::ata::{Drive as _, release};
use drivelab_safety::{Decision, Identity, System, Target, open_for_reading};
use drivelab_uring::{Access, AtaDrive};

use crate::audit::Audit;
use crate::confirm::is_confirmed;
use crate::{Failure, SafetyOptions, output};

/// Unlocks a drive that is locked by drivelab's password, and takes that away. A drive that is not locked stays as it
/// is, and so does one whose purge is not confirmed: why that is refused, its claim says. Of a drive that is locked by
/// another password that password's owner is asked for by the claim, too.
///
/// The safety rules cannot look at a locked drive, for it reads nothing. Nobody can use it either.
pub fn unlock_own(target: &Target, safety: &SafetyOptions) -> Result<(), Failure> {
    let Target::Drive(drive) = target else { return Ok(()) };
    if !is_confirmed(target, safety) {
        return Ok(());
    }
    let Ok(opened) = open_for_reading(&System::live(), target) else { return Ok(()) };
    let access = Access::Read(Arc::new(opened));
    let Ok(mut ata) = AtaDrive::of(&access) else { return Ok(()) };
    if !ata.security().is_ok_and(|security| security.is_locked) {
        return Ok(());
    }
    let mut audit = Audit::open()?;
    if release(&mut ata).is_ok() {
        audit.record(Decision::PasswordGone(&Identity::Drive(Box::new(drive.identity().clone()))))?;
        output::say(format_args!(
            "{}: a purge was cut off before; the password that it had left was taken away",
            drive.path().display()
        ));
    }
    Ok(())
}
