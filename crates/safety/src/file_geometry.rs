//! How a file can be addressed.

use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, StatxFlags, statx};

use drivelab_block::{ByteCount, Geometry};

use crate::{DriveIdentity, FileIdentity, SafetyError, System};

/// The geometry of an opened file: whole blocks of what direct I/O asks for; sectors where the page cache
/// is in between.
///
/// # Errors
/// [`SafetyError::Usage`] where the file is shorter than one block.
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

/// Asks `statx` for the alignment of direct I/O.
const STATX_DIOALIGN: u32 = 0x2000;
