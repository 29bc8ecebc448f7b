//! Claiming a regular file: created or overwritten only as asked.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::event::{Timespec, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, ftruncate, statvfs};
use rustix::io::Errno;

use drivelab_block::ByteCount;

use crate::checks::refuse_for;
use crate::file_checks::{content_reason, file_geometry, first_stored_byte, identity_of, in_use};
use crate::grant::Lending;
use crate::opening::{opened, opened_directly};
use crate::{
    ClaimOptions, Confirmation, FileIdentity, FileTarget, Identity, Note, Reason, Refusal, SafetyError,
    System, WriteGrant,
};

/// How often a locked file is looked at, and the time between two looks: together a second.
const LOOKS: usize = 40;
const BETWEEN_LOOKS: Timespec = Timespec { tv_sec: 0, tv_nsec: 25_000_000 };

/// A claim of a regular file, as it is asked for.
#[derive(Clone, Copy)]
pub(crate) struct FileClaim<'a> {
    pub system: &'a System,
    pub target: &'a FileTarget,
    pub confirmation: &'a Confirmation,
    pub options: &'a ClaimOptions,
}

impl FileClaim<'_> {
    /// Claims a file for writing, creating it where a size is given and it is not there.
    pub(crate) fn claim(self) -> Result<WriteGrant, SafetyError> {
        let path = &self.target.path;
        let is_new = self.target.existing.is_none();
        let opened = if let Some(file) = &self.target.existing {
            self.open_existing(file)?
        } else {
            enough_room(path, wanted_size(path, self.options)?)?;
            open_direct(path, OFlags::CREATE | OFlags::EXCL)?
        };
        // No other program has used what this claim has just created.
        let assume_unused = self.options.assume_unused || is_new;
        let options = ClaimOptions { assume_unused, ..self.options.clone() };
        let granted = FileClaim { options: &options, ..self }.grant(opened);
        if granted.is_err() && is_new {
            // A file that this claim has created and could not finish is of no use to anybody.
            let _ = fs::remove_file(path);
        }
        granted
    }

    /// Says what stands against a claim of the file, without claiming it.
    pub(crate) fn check(self) -> Result<Vec<Note>, SafetyError> {
        let Some(file) = &self.target.existing else {
            enough_room(&self.target.path, wanted_size(&self.target.path, self.options)?)?;
            return Ok(Vec::new());
        };
        let look = opened(&file.path, OFlags::RDONLY, Mode::empty());
        let look = look.map_err(|error| not_opened(&file.path, error))?;
        let mut reasons = in_use(self.system, file, self.options);
        reasons.extend(content_reason(file, look.as_fd(), self.confirmation)?);
        refuse_for(file.path.display().to_string(), reasons)?;
        final_size(file.size, look.as_fd(), &file.path, self.options).map(|_| Vec::new())
    }

    fn open_existing(self, file: &FileIdentity) -> Result<(OwnedFd, bool), SafetyError> {
        let mut reasons = in_use(self.system, file, self.options);
        // A look at the contents needs no right to write, so it is taken before anything is opened for writing.
        let look = opened(&file.path, OFlags::RDONLY, Mode::empty());
        if let Ok(look) = &look {
            reasons.extend(content_reason(file, look.as_fd(), self.confirmation)?);
        }
        refuse_for(file.path.display().to_string(), reasons)?;
        let (descriptor, direct) = open_direct(&file.path, OFlags::empty())?;
        let now = identity_of(self.system, &file.path, descriptor.as_fd())?;
        let reasons = if now.is_same_file(file) {
            content_reason(file, descriptor.as_fd(), self.confirmation)?.into_iter().collect()
        } else {
            vec![Reason::Changed { what: file.path.display().to_string(), difference: "the file" }]
        };
        refuse_for(file.path.display().to_string(), reasons)?;
        Ok((descriptor, direct))
    }

    /// Locks the opened file, gives it its size and checks it once more.
    fn grant(self, (descriptor, direct): (OwnedFd, bool)) -> Result<WriteGrant, SafetyError> {
        let FileClaim { system, target, confirmation, options } = self;
        let path = &target.path;
        if !locked_in_time(&descriptor) {
            return Err(locked(path));
        }
        let file = identity_of(system, path, descriptor.as_fd())?;
        let mut reasons = in_use(system, &file, options);
        if target.existing.is_none() && file.size.get() > 0 {
            // Somebody else has put a file with data where this claim has created an empty one.
            reasons.push(Reason::Changed { what: path.display().to_string(), difference: "its size" });
        }
        reasons.extend(content_reason(&file, descriptor.as_fd(), confirmation)?);
        refuse_for(path.display().to_string(), reasons)?;
        let size = final_size(file.size, descriptor.as_fd(), path, options)?;
        if size != file.size {
            ftruncate(&descriptor, size.get()).map_err(|error| {
                SafetyError::from_io(format!("{} cannot be made {size} long", path.display()), error)
            })?;
        }
        let file = FileIdentity { size, ..file };
        let geometry = file_geometry(system, &file, descriptor.as_fd(), direct)?;
        let mut notes: Vec<Note> = Note::of_init(system).into_iter().collect();
        if target.existing.is_some() && options.assume_unused {
            notes.push(Note::AssumedUnused);
        }
        if !direct {
            notes.push(Note::Buffered);
        }
        Ok(WriteGrant {
            system: system.clone(),
            descriptor,
            path: path.clone(),
            _drive_lock: None,
            identity: Identity::File(file),
            geometry,
            direct,
            options: options.clone(),
            lending: Lending::default(),
            notes,
        })
    }
}

fn wanted_size(path: &Path, options: &ClaimOptions) -> Result<ByteCount, SafetyError> {
    options.create_size.filter(|size| size.get() > 0).ok_or_else(|| {
        SafetyError::Usage(format!(
            "{} is not there: add --file-size to create it, such as --file-size=1GiB",
            path.display()
        ))
    })
}

fn enough_room(path: &Path, size: ByteCount) -> Result<(), SafetyError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let file_system = statvfs(folder).map_err(|error| SafetyError::not_looked_at(folder, error))?;
    let free = ByteCount::new(file_system.f_bavail.saturating_mul(file_system.f_frsize));
    if size <= free {
        return Ok(());
    }
    let message = format!(
        "{} would take {size}, and its file system has {free} left: choose a smaller --file-size or another \
        folder",
        path.display()
    );
    Err(SafetyError::Environment { message, source: None })
}

/// Opens for reading and writing, without the page cache where the file system allows that.
fn open_direct(path: &Path, flags: OFlags) -> Result<(OwnedFd, bool), SafetyError> {
    opened_directly(path, flags | OFlags::RDWR, Mode::RUSR | Mode::WUSR)
        .map_err(|error| not_opened(path, error))
}

fn not_opened(path: &Path, error: Errno) -> SafetyError {
    match error {
        Errno::TXTBSY => locked(path),
        _ => SafetyError::from_io(format!("{} cannot be opened for writing", path.display()), error),
    }
}

fn locked(path: &Path) -> SafetyError {
    let what = path.display().to_string();
    Refusal::to_write(what.clone(), Reason::Locked(what)).into()
}

/// Locks a file. The kernel holds what a killed program had for some time after its end: that is waited for.
fn locked_in_time(descriptor: &OwnedFd) -> bool {
    for _ in 0..LOOKS {
        match flock(descriptor, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return true,
            Err(Errno::WOULDBLOCK) => {
                // Nothing can be polled for here but the time.
                let _ = poll(&mut [], Some(&BETWEEN_LOOKS));
            }
            Err(_) => return false,
        }
    }
    false
}

/// The length the file shall have: as it is, or as asked where it holds nothing yet.
fn final_size(
    now: ByteCount,
    file: BorrowedFd<'_>,
    path: &Path,
    options: &ClaimOptions,
) -> Result<ByteCount, SafetyError> {
    match options.create_size {
        None if now.get() == 0 => Err(SafetyError::Usage(format!(
            "{} is empty: add --file-size to say how long it shall be, such as --file-size=1GiB",
            path.display()
        ))),
        None => Ok(now),
        Some(size) if size == now || first_stored_byte(file)?.is_none() => {
            if size > now {
                enough_room(path, size).map(|()| size)
            } else {
                Ok(size)
            }
        }
        Some(size) => Err(SafetyError::Usage(format!(
            "{} is {now} long, not {size}: leave out --file-size, or remove the file first",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_let_go_soon_is_waited_for_and_another_is_not() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let open = || OwnedFd::from(fs::File::open(file.path()).expect("a file"));
        let (held, mine) = (open(), open());
        flock(&held, FlockOperation::NonBlockingLockExclusive).expect("nobody has it");
        assert!(!locked_in_time(&mine));
        let letting_go = std::thread::spawn(move || {
            let _ = poll(&mut [], Some(&BETWEEN_LOOKS));
            drop(held);
        });
        assert!(locked_in_time(&mine));
        letting_go.join().expect("it has ended");
    }

    #[test]
    fn a_program_that_has_been_started_meanwhile_refuses_the_claim_and_is_no_fault_of_the_machine() {
        let told = |error| not_opened(Path::new("/srv/program"), error).exit_code();
        assert_eq!((told(Errno::TXTBSY), told(Errno::NOSPC)), (4, 3));
    }

    #[test]
    fn a_file_of_somebody_else_in_the_place_of_the_one_just_created_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file.bin");
        let target = FileTarget { path: path.clone(), existing: None };
        let confirmation = Confirmation { serial: None, destroy_data: true };
        let options = ClaimOptions {
            create_size: Some(ByteCount::new(8192)),
            assume_unused: true,
            ..ClaimOptions::default()
        };
        let claim = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("a file");
            let opened = open_direct(&path, OFlags::empty()).expect("the file");
            let system = &System::live();
            let claim = FileClaim { system, target: &target, confirmation: &confirmation, options: &options };
            claim.grant(opened).map_err(|error| error.exit_code())
        };
        assert_eq!(claim(&[1; 8192]).err(), Some(4));
        claim(&[]).expect("as it was created");
    }
}
