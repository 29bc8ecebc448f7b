//! The checks that a drive has to pass, each as a list of the reasons against it.

use std::os::fd::BorrowedFd;
use std::path::PathBuf;

use drivelab_block::ByteCount;
use rustix::fs::{SeekFrom, fstat, seek};

use crate::refusal::Expected;
use crate::usage_scan::OpenHandles;
use crate::{
    Access, Confirmation, Confirming, Contents, DeviceNumber, DriveIdentity, Reason, Refusal, SafetyError,
    System, UsageScan,
};

/// Refuses to write where there is any reason.
pub(crate) fn refuse_for(target: String, reasons: Vec<Reason>) -> Result<(), SafetyError> {
    refuse(Access::Write, target, reasons)
}

/// Refuses what was asked where there is any reason.
pub(crate) fn refuse(access: Access, target: String, reasons: Vec<Reason>) -> Result<(), SafetyError> {
    if reasons.is_empty() { Ok(()) } else { Err(Refusal { access, target, reasons }.into()) }
}

/// Reasons that no flag lifts: uses, and what hides them.
pub(crate) fn use_reasons(
    scan: &UsageScan,
    drive: &DriveIdentity,
    output_folders: &[PathBuf],
    openers: OpenHandles,
) -> Vec<Reason> {
    let uses = scan.uses_of_drive(drive, output_folders, openers);
    let mut reasons: Vec<Reason> = uses.into_iter().map(Reason::InUse).collect();
    if drive.read_only {
        reasons.push(Reason::ReadOnly(drive.kernel_name.clone()));
    }
    // Once the claim is held, a process that hides its descriptors can no longer have the drive claimed.
    if openers == OpenHandles::Everybody {
        let unseen = scan.unseen_of_drives().into_iter();
        reasons.extend(unseen.map(|unseen| Reason::UsersNotSeen { unseen, is_file: false }));
    }
    reasons
}

/// The reason why the confirmation does not name this drive, and no other, if it does not.
pub(crate) fn confirmation_reason(
    system: &System,
    drive: &DriveIdentity,
    confirmation: &Confirmation,
) -> Option<Reason> {
    let confirming = Confirming::list(system, drive);
    let expected = |given: Option<&str>| Expected {
        device: drive.kernel_name.clone(),
        confirmation: confirming.shortest(),
        is_serial: drive.serial.is_some(),
        shared: confirming.shared.clone(),
        is_of_another: given.is_some_and(|given| names_a_drive(system, given)),
    };
    match &confirmation.serial {
        Some(given) if confirming.is_met_by(given) => None,
        Some(given) => {
            Some(Reason::WronglyConfirmed { given: given.clone(), expected: expected(Some(given)) })
        }
        None => Some(Reason::Unconfirmed(expected(None))),
    }
}

/// Whether this, as it was typed, confirms any drive of the machine, or is the serial number of several.
fn names_a_drive(system: &System, given: &str) -> bool {
    DriveIdentity::drives(system)
        .any(|drive| drive.confirmation() == given || Confirming::list(system, &drive).is_met_by(given))
}

/// Reasons that lie in what the drive holds.
pub(crate) fn content_reasons(drive: &DriveIdentity, contents: Contents) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = contents.signatures.into_iter().map(Reason::HoldsSignature).collect();
    // A signature is data too: one line for it is enough.
    if let Some(at) = contents.nonzero_at.filter(|_| reasons.is_empty()) {
        reasons.push(Reason::HoldsBytes { what: drive.kernel_name.clone(), at: ByteCount::new(at) });
    }
    reasons.extend(contents.not_known.into_iter().map(Reason::ContentsNotKnown));
    reasons.extend(contents.does_not_answer.map(Reason::DoesNotAnswer));
    reasons
}

/// Reasons why the open descriptor, or what sysfs shows under its number, is not the drive that was checked.
///
/// The number cannot pass to another drive while a descriptor is open, so what sysfs shows for it now is
/// the drive behind the descriptor. [`SafetyError::Environment`] where the descriptor cannot be looked at.
pub(crate) fn same_object(
    system: &System,
    drive: &DriveIdentity,
    opened: BorrowedFd<'_>,
) -> Result<Vec<Reason>, SafetyError> {
    let name = &drive.kernel_name;
    let broken = |error| SafetyError::from_io(format!("{name} cannot be looked at any more"), error);
    let changed = |difference| Reason::Changed { what: name.clone(), difference };
    let found = fstat(opened).map_err(broken)?;
    if DeviceNumber::from_raw(found.st_rdev) != drive.number {
        return Ok(vec![changed("its device number")]);
    }
    let bytes = seek(opened, SeekFrom::End(0)).map_err(broken)?;
    if bytes != drive.size.get() {
        return Ok(vec![changed("its size")]);
    }
    let Some(now) = DriveIdentity::read(system, drive.number) else {
        return Ok(vec![changed("its presence")]);
    };
    Ok(drive.difference(&now).map(changed).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flag, Signature, Unseen};
    fn drive() -> DriveIdentity {
        let folder = tempfile::tempdir().expect("a folder");
        let shown = folder.path().join("sys/dev/block/8:0");
        std::fs::create_dir_all(&shown).expect("a drive");
        std::fs::write(shown.join("ro"), "1").expect("a setting");
        let system = System::rooted_at(folder.path());
        DriveIdentity::read(&system, DeviceNumber { major: 8, minor: 0 }).expect("a drive")
    }

    #[test]
    fn a_signature_is_not_told_twice_and_what_is_not_known_counts() {
        let signature = Signature { device: "sda".into(), kind: "ext4".into(), label: None };
        let contents = Contents {
            signatures: vec![signature.clone()],
            nonzero_at: Some(1024),
            not_probed: false,
            not_known: vec!["sda1 could not be opened".into()],
            does_not_answer: None,
        };
        let reasons = content_reasons(&drive(), contents);
        let expected =
            [Reason::HoldsSignature(signature), Reason::ContentsNotKnown("sda1 could not be opened".into())];
        assert_eq!(reasons, expected);
        assert!(reasons.iter().all(|reason| reason.lifted_by() == Some(Flag::DestroyData)));
    }

    #[test]
    fn without_a_program_that_knows_signatures_the_bytes_decide() {
        let zeros = Contents { not_probed: true, ..Contents::default() };
        assert_eq!(content_reasons(&drive(), zeros), []);
        let data = Contents { not_probed: true, nonzero_at: Some(7), ..Contents::default() };
        assert!(matches!(content_reasons(&drive(), data)[..], [Reason::HoldsBytes { .. }]));
    }

    #[test]
    fn a_read_only_drive_and_what_was_not_seen_are_reasons_that_nothing_lifts() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("proc")).expect("a folder");
        let scan = UsageScan::take(&System::rooted_at(folder.path()));
        let reasons = use_reasons(&scan, &drive(), &[], OpenHandles::Everybody);
        let unseen = Unseen::LoopDevices;
        let expected = [Reason::ReadOnly("8:0".into()), Reason::UsersNotSeen { unseen, is_file: false }];
        assert_eq!(reasons, expected);
        assert!(reasons.iter().all(|reason| reason.lifted_by().is_none()));
    }
}
