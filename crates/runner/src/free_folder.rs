//! The folder that a run is to be kept in, and the room of folders.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use drivelab_block::ByteCount;
use drivelab_safety::kernel_owned;
use rustix::fs::{Access, access, statvfs};

use crate::Failure;

/// What stands against the folder of a run, which `flag` names: that it holds something, since runs are never mixed, and nothing
/// is overwritten. What is missing of its path is made later, below the nearest folder that is there; that one has to take it. A
/// dry run needs no folder: it shows the plan, and then ends with this as the run would.
pub fn folder_complaint(flag: &str, folder: &Path) -> Option<Failure> {
    let named = format!("{flag} {}", folder.display());
    let empty = "name a folder that is empty or not there yet";
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => check_takes_files(&named, folder).err(),
        Ok(false) => Some(usage!("{named} is not empty: {empty}")),
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(folder).is_ok() => {
            Some(usage!("{named} is a link to nothing: {empty}"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => check_takes_files(&named, nearest(folder)).err(),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            let what = if folder.exists() { "is a file" } else { "lies below a file" };
            Some(usage!("{named} {what}: {empty}"))
        }
        Err(error) => Some(Failure::not_written(Path::new(&named), &error)),
    }
}

/// The nearest folder above that is there.
fn nearest(folder: &Path) -> &Path {
    let above = folder.ancestors().skip(1).find(|above| above.exists());
    above.filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn check_takes_files(named: &str, there: &Path) -> Result<(), Failure> {
    let not_written = |error| Failure::not_written(Path::new(named), &io::Error::from(error));
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(not_written)?;
    // Root may write there, and still nothing can be made.
    if kernel_owned(there).is_some() {
        let there = there.display();
        return Err(environment!(
            "{named} cannot be made: {there} belongs to the kernel; name a folder on a drive or in memory"
        ));
    }
    Ok(())
}

/// What the file system of a folder has room for.
pub fn free_room(folder: &Path) -> Result<ByteCount, Failure> {
    let found = statvfs(folder)
        .map_err(|error| Failure::io(&format!("{} cannot be looked at", folder.display()), &error.into()))?;
    Ok(ByteCount::new(found.f_bavail.saturating_mul(found.f_frsize)))
}
