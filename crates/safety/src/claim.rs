//! The only way to a [`WriteGrant`]: check, claim, and check again what was claimed.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use crate::checks::{confirmation_reason, content_reasons, refuse_for, same_object, use_reasons};
use crate::file_claim::FileClaim;
use crate::grant::Lending;
use crate::look::{Sought, look_at};
use crate::opening::{opened_directly, opened_to_look};
use crate::passing::settled;
use crate::security::{Locks, locks};
use crate::signature::open_node;
use crate::usage_scan::OpenHandles;
use crate::{
    ClaimOptions, Confirmation, Contents, DriveIdentity, DriveTarget, Identity, Note, Reason, Refusal,
    SafetyError, System, Target, WriteGrant, note,
};

/// Claims a target for writing.
///
/// A drive is checked, opened exclusively, and checked again through what was opened; everything said
/// against it is collected. A file is created or opened as the options and the confirmation say. Nothing is
/// changed on a target that is refused.
///
/// # Errors
/// [`SafetyError::Refused`] with every reason found; [`SafetyError::NotFound`], [`SafetyError::Environment`]
/// and [`SafetyError::Usage`] where it does not come to that.
pub fn claim_for_writing(
    system: &System,
    target: &Target,
    confirmation: &Confirmation,
    options: &ClaimOptions,
) -> Result<WriteGrant, SafetyError> {
    match target {
        Target::Drive(drive) => DriveClaim::new(system, drive, confirmation, options).claim(),
        Target::File(target) => FileClaim { system, target, confirmation, options }.claim(),
    }
}

/// Says what stands against a claim, without claiming: for `--dry-run` and for lists.
///
/// # Errors
/// The same as [`claim_for_writing`], except what only the claim itself would show.
pub fn check_for_writing(
    system: &System,
    target: &Target,
    confirmation: &Confirmation,
    options: &ClaimOptions,
) -> Result<Vec<Note>, SafetyError> {
    match target {
        Target::Drive(drive) => DriveClaim::new(system, drive, confirmation, options).check(),
        Target::File(target) => FileClaim { system, target, confirmation, options }.check(),
    }
}

/// A claim of a drive, and what the user has said about it.
pub(crate) struct DriveClaim<'a> {
    pub system: &'a System,
    pub target: &'a DriveTarget,
    pub options: &'a ClaimOptions,
    /// Whether what the drive holds may be destroyed.
    pub may_destroy: bool,
    /// Why it is not confirmed that this drive is meant; none if it is.
    pub unconfirmed: Option<Reason>,
}

impl<'a> DriveClaim<'a> {
    fn new(
        system: &'a System,
        target: &'a DriveTarget,
        confirmation: &Confirmation,
        options: &'a ClaimOptions,
    ) -> DriveClaim<'a> {
        let unconfirmed = confirmation_reason(system, &target.identity, confirmation);
        DriveClaim { system, target, options, may_destroy: confirmation.destroy_data, unconfirmed }
    }

    pub(crate) fn claim(self) -> Result<WriteGrant, SafetyError> {
        let mut notes = self.check()?;
        let DriveClaim { system, target, options, may_destroy, .. } = self;
        let drive = &target.identity;
        let (descriptor, direct) = open_exclusively(target)?;
        let mut reasons = same_object(system, drive, descriptor.as_fd())?;
        reasons.extend(uses_against(system, drive, options));
        if !may_destroy {
            // A drive that did not answer was refused before it was opened here: who closes one last may have to wait for it.
            let held = look_at(system, drive, Sought::Everything(options.sample_seed));
            notes.extend(not_probed(&held));
            reasons.extend(content_reasons(drive, held));
        }
        refuse_for(drive.to_string(), reasons)?;
        if !direct {
            notes.push(Note::Buffered);
        }
        Ok(WriteGrant {
            _drive_lock: lock_drive(system, drive, &descriptor),
            system: system.clone(),
            descriptor,
            path: target.path.clone(),
            identity: Identity::Drive(Box::new(drive.clone())),
            geometry: drive.geometry(),
            direct,
            options: options.clone(),
            lending: Lending::default(),
            notes,
        })
    }

    /// Everything that can be said against a drive before it is opened for writing.
    fn check(&self) -> Result<Vec<Note>, SafetyError> {
        let DriveClaim { system, target, options, may_destroy, .. } = *self;
        let drive = &target.identity;
        let mut reasons = uses_against(system, drive, options);
        // What asks the drive comes after the look that shows whether it answers: each of these programs would wait for it.
        let sought = if may_destroy { Sought::Answer } else { Sought::Everything(options.sample_seed) };
        let held = look_at(system, drive, sought);
        let locks = if held.does_not_answer.is_none() { locks(system, drive) } else { Locks::default() };
        reasons.extend(locks.reasons);
        reasons.extend(self.unconfirmed.clone());
        if may_destroy {
            // Whatever else could not be seen of it may be destroyed.
            let silence = Contents { does_not_answer: held.does_not_answer, ..Contents::default() };
            reasons.extend(content_reasons(drive, silence));
        } else {
            reasons.extend(content_reasons(drive, held));
        }
        // A drive that does not answer keeps who opens it in the kernel, and so does one that a program has open which waits for
        // it there: what is refused is not opened.
        refuse_for(drive.to_string(), reasons)?;
        let opened = opened_to_look(&target.path).map_err(|error| {
            SafetyError::from_io(format!("{} cannot be opened", target.path.display()), error)
        })?;
        refuse_for(drive.to_string(), same_object(system, drive, opened.as_fd())?)?;
        let mut notes = note::surroundings(system, drive);
        notes.extend(locks.notes);
        notes.extend(Note::of_init(system));
        Ok(notes)
    }
}

/// Without the program that knows signatures the sampled places decide alone: almost every signature lies
/// within the first or the last mebibyte, which are looked at whole.
fn not_probed(held: &Contents) -> Option<Note> {
    let why =
        "wipefs of util-linux is not installed; the start, the end and places in between hold only zeros";
    held.not_probed.then(|| Note::NotChecked { what: "signatures".to_owned(), why: why.to_owned() })
}

fn uses_against(system: &System, drive: &DriveIdentity, options: &ClaimOptions) -> Vec<Reason> {
    settled(system, |scan| use_reasons(scan, drive, &options.output_folders, OpenHandles::Everybody))
}

/// Opens the drive for this program alone, without the page cache where that is possible.
fn open_exclusively(target: &DriveTarget) -> Result<(OwnedFd, bool), SafetyError> {
    opened_directly(&target.path, OFlags::RDWR | OFlags::EXCL, Mode::empty())
        .map_err(|error| not_opened(&target.path, &target.identity, error))
}

fn not_opened(path: &Path, drive: &DriveIdentity, error: Errno) -> SafetyError {
    let what = drive.kernel_name.clone();
    let reason = match error {
        Errno::BUSY => Reason::Claimed(what),
        Errno::ROFS => Reason::ReadOnly(what),
        _ => return SafetyError::from_io(format!("{} cannot be opened for writing", path.display()), error),
    };
    Refusal::to_write(drive.to_string(), reason).into()
}

/// Takes the lock by which udev and its kin leave a drive alone. It is a courtesy, not the claim, so a run
/// goes on without it.
fn lock_drive(system: &System, drive: &DriveIdentity, descriptor: &OwnedFd) -> Option<OwnedFd> {
    let whole = match &drive.parent {
        None => descriptor.try_clone().ok()?,
        Some(parent) => open_node(system, parent.number, &parent.kernel_name).ok()?,
    };
    flock(&whole, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceNumber;

    #[test]
    fn a_drive_that_has_changed_since_it_was_looked_at_is_refused_and_no_fault_of_the_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let system = System::rooted_at(folder.path());
        std::fs::create_dir_all(system.sys("dev/block/8:0")).expect("a drive");
        let drive = DriveIdentity::read(&system, DeviceNumber { major: 8, minor: 0 }).expect("a drive");
        for (error, exit_code, said) in [
            (Errno::BUSY, 4, "is claimed by the kernel or by another program"),
            (Errno::ROFS, 4, "is read-only"),
            (Errno::NOMEDIUM, 3, "/dev/sda cannot be opened for writing"),
        ] {
            let told = not_opened(Path::new("/dev/sda"), &drive, error);
            assert_eq!(told.exit_code(), exit_code, "{told}");
            assert!(told.to_string().contains(said), "{told}");
        }
    }

    #[test]
    fn that_no_program_has_looked_for_signatures_stands_beside_the_results() {
        let note = |not_probed| {
            super::not_probed(&Contents { not_probed, ..Contents::default() }).map(|note| note.to_string())
        };
        assert_eq!(note(false), None);
        assert!(note(true).is_some_and(|note| note.starts_with("not known: signatures (wipefs")));
    }
}
