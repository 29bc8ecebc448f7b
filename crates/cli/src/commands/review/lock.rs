//! One review at a time works in a folder.

use std::fs::File;
use std::path::Path;

use drivelab_runner::Failure;
use rustix::fs::{FlockOperation, flock};

/// Locks the folder of a review for this program, until the file is dropped.
///
/// # Errors
/// Another review works there, or the folder cannot be opened.
pub fn locked(folder: &Path) -> Result<File, Failure> {
    let shown = folder.display();
    let file = File::open(folder)
        .map_err(|error| Failure::Usage(format!("{shown}: {error}: name the folder of a review")))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        Failure::Usage(format!(
            "another drivelab review works in {shown}: wait for its end, or stop it first"
        ))
    })?;
    Ok(file)
}
