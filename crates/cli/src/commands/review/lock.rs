//! One review at a time works in a folder.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use drivelab_runner::Failure;
use rustix::fs::{FlockOperation, flock};

/// How long the step of a review that was killed may take to end, such as one whose write is still with the drive.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether it has.
const GLANCE: Duration = Duration::from_millis(20);

/// Locks the folder of a review for this program and the steps that it hands the file to, until the last of them has ended.
///
/// # Errors
/// Another review works there, or the folder cannot be opened.
pub fn locked(folder: &Path) -> Result<File, Failure> {
    let shown = folder.display();
    let file = File::open(folder)
        .map_err(|error| Failure::Usage(format!("{shown}: {error}: name the folder of a review")))?;
    let mut waited = Duration::ZERO;
    while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        if waited >= PATIENCE {
            return Err(Failure::Usage(format!(
                "another drivelab review works in {shown}: wait for its end, or stop it first"
            )));
        }
        #[expect(clippy::disallowed_methods, reason = "another program is waited for")]
        std::thread::sleep(GLANCE);
        waited += GLANCE;
    }
    Ok(file)
}
