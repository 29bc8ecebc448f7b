//! Whether a target takes discards, found out before anything is written to it.

use std::path::Path;

use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, statfs};
use rustix::io::Errno;

use crate::Target;
use crate::kernel_owned::magic_of;
use crate::opening::opened;

/// `MSDOS_SUPER_MAGIC` and `EXFAT_SUPER_MAGIC` of `linux/magic.h`: these file systems know neither holes nor files
/// without a name, with which others are asked.
const WITHOUT_HOLES: [u64; 2] = [0x4d44, 0x2011_bab0];
/// What is punched out of the empty file with which a file system is asked.
const PROBE_BYTES: u64 = 4096;

impl Target {
    /// Why the target takes no discards, in words: the kernel passes none on to the drive, or the file system of the file punches
    /// no holes (`fallocate(2)`, `FALLOC_FL_PUNCH_HOLE`). `None` where it takes them, and where that is not known.
    ///
    /// Neither the drive nor the file is opened. A file system is asked with an empty file that never has a name; it
    /// is not asked where the user may make no file beside the target, or where it has no files without a name.
    pub fn no_discards(&self) -> Option<&'static str> {
        match self {
            Target::Drive(drive) => (!drive.identity.takes_discards)
                .then_some("the kernel passes none on to it: its queue/discard_max_bytes is 0"),
            Target::File(file) => {
                punches_no_holes(file.path().parent()?).then_some("its file system punches no holes in files")
            }
        }
    }
}

/// Whether it is known that the file system of a folder punches no holes.
fn punches_no_holes(folder: &Path) -> bool {
    let Ok(found) = statfs(folder) else { return false };
    if WITHOUT_HOLES.contains(&magic_of(&found)) {
        return true;
    }
    let Ok(file) = opened(folder, OFlags::TMPFILE | OFlags::RDWR, Mode::empty()) else { return false };
    let hole = FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);
    fallocate(&file, hole, 0, PROBE_BYTES) == Err(Errno::OPNOTSUPP)
}
