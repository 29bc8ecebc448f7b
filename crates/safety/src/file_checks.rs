//! The checks that a file has to pass, each as the reasons against it.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{SeekFrom, fstat, seek};
use rustix::io::Errno;

use drivelab_block::ByteCount;

use crate::passing::settled;
use crate::{ClaimOptions, Confirmation, DeviceNumber, FileIdentity, Reason, SafetyError, System};

/// What is said against a file that is already claimed.
pub(crate) fn reasons_again(
    system: &System,
    file: &FileIdentity,
    opened: BorrowedFd<'_>,
    options: &ClaimOptions,
) -> Result<Vec<Reason>, SafetyError> {
    let mut reasons = in_use(system, file, options);
    let now = identity_of(system, &file.path, opened)?;
    let what = || file.path.display().to_string();
    if !now.is_same_file(file) {
        reasons.push(Reason::Changed { what: what(), difference: "the file" });
    }
    if now.size < file.size {
        reasons.push(Reason::Changed { what: what(), difference: "its size" });
    }
    Ok(reasons)
}

/// Uses of the file, and what could not be looked at unless the file may be taken to be unused.
pub(crate) fn in_use(system: &System, file: &FileIdentity, options: &ClaimOptions) -> Vec<Reason> {
    settled(system, |census| {
        let uses = census.uses_of_file(file).into_iter().map(Reason::InUse);
        let unseen = if options.assume_unused { Vec::new() } else { census.unseen_of_file(file) };
        let not_seen = |unseen| Reason::UsersNotSeen { unseen, is_file: true };
        uses.chain(unseen.into_iter().map(not_seen)).collect()
    })
}

/// The reason that lies in what the file holds, unless that may be destroyed.
pub(crate) fn content_reason(
    file: &FileIdentity,
    opened: BorrowedFd<'_>,
    confirmation: &Confirmation,
) -> Result<Option<Reason>, SafetyError> {
    if confirmation.destroy_data {
        return Ok(None);
    }
    let what = file.path.display().to_string();
    Ok(first_stored_byte(opened)?.map(|at| Reason::StoresBytes { what, at }))
}

/// Where the first stored byte lies; `None` for a file that is one hole. A file system that knows no holes
/// says that everything is stored.
pub(crate) fn first_stored_byte(opened: BorrowedFd<'_>) -> Result<Option<ByteCount>, SafetyError> {
    match seek(opened, SeekFrom::Data(0)) {
        Ok(at) => Ok(Some(ByteCount::new(at))),
        Err(Errno::NXIO) => Ok(None),
        Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(Some(ByteCount::new(0))),
        Err(error) => Err(SafetyError::from_io("what the file holds cannot be told", error)),
    }
}

/// Which file an open descriptor is.
pub(crate) fn identity_of(
    system: &System,
    path: &Path,
    opened: BorrowedFd<'_>,
) -> Result<FileIdentity, SafetyError> {
    let found = fstat(opened)
        .map_err(|error| SafetyError::from_io(format!("{} cannot be looked at", path.display()), error))?;
    let device = DeviceNumber::from_raw(found.st_dev);
    let size = u64::try_from(found.st_size).map_err(|_| {
        SafetyError::from_io(format!("{} has no size", path.display()), io::Error::other("negative"))
    })?;
    Ok(FileIdentity {
        path: path.to_path_buf(),
        device,
        inode: found.st_ino,
        size: ByteCount::new(size),
        file_system: crate::uses::mounts::file_system_of(system, device),
    })
}
