//! The checks that a file has to pass, each as the reasons against it, and how it can be addressed.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{AtFlags, SeekFrom, StatxFlags, fstat, seek, statx};
use rustix::io::Errno;

use drivelab_block::{ByteCount, Geometry};

use crate::passing::settled;
use crate::{
    ClaimOptions, Confirmation, DeviceNumber, DriveIdentity, FileIdentity, Reason, SafetyError, System,
};

/// Asks `statx` for the alignment of direct I/O.
const STATX_DIOALIGN: u32 = 0x2000;

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
    settled(system, |scan| {
        let uses = scan.uses_of_file(file).into_iter().map(Reason::InUse);
        let unseen = if options.assume_unused { Vec::new() } else { scan.unseen_of_file(file) };
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
    let found = fstat(opened).map_err(|error| SafetyError::not_looked_at(path, error))?;
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

/// The geometry of an opened file: whole blocks of what direct I/O asks for; sectors where the page cache
/// is in between. [`SafetyError::Usage`] where the file is shorter than one block.
pub(crate) fn file_geometry(
    system: &System,
    file: &FileIdentity,
    opened: BorrowedFd<'_>,
    direct: bool,
) -> Result<Geometry, SafetyError> {
    let logical_block = if direct { direct_block(system, file, opened) } else { 512 };
    let whole = file.size.get() - file.size.get() % u64::from(logical_block);
    if file.size.get() == 0 {
        return Err(SafetyError::Usage(format!(
            "{} is empty, so there is nothing to read: name a file that holds something, or write one first",
            file.path.display()
        )));
    }
    if whole == 0 {
        return Err(SafetyError::Usage(format!(
            "{} is {}, shorter than one block of {logical_block} bytes: give it a larger --file-size",
            file.path.display(),
            file.size
        )));
    }
    let physical_block = DriveIdentity::read(system, file.device)
        .map_or(4096, |drive| drive.physical_block)
        .max(logical_block);
    Ok(Geometry { capacity: ByteCount::new(whole), logical_block, physical_block })
}

/// The alignment that direct I/O needs: from the file system where the kernel tells (6.1 and later), else
/// from its drive, else the page size, which every file system accepts.
fn direct_block(system: &System, file: &FileIdentity, opened: BorrowedFd<'_>) -> u32 {
    let told = statx(opened, "", AtFlags::EMPTY_PATH, StatxFlags::from_bits_retain(STATX_DIOALIGN))
        .ok()
        .map(|found| found.stx_dio_offset_align)
        // A kernel that does not know it leaves a zero.
        .filter(|align| align.is_power_of_two());
    let of_drive = || DriveIdentity::read(system, file.device).map(|drive| drive.logical_block);
    told.or_else(of_drive).unwrap_or(4096).max(512)
}
