//! The folder that a run is to be kept in.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::commands::output;
use crate::exit::Failure;

/// What stands against the folder of a run, which `flag` names. A dry run needs no folder: it says so and goes
/// on.
pub fn folder_complaint(flag: &str, folder: &Path, dry_run: bool) -> Option<Failure> {
    let complaint = check_is_free(flag, folder).err()?;
    if dry_run {
        output::say(format_args!("drivelab: the run itself would fail: {complaint}"));
        return None;
    }
    Some(complaint)
}

/// Refuses a folder that holds something, named by `flag`: runs are never mixed, and nothing is overwritten.
fn check_is_free(flag: &str, folder: &Path) -> Result<(), Failure> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => {
            let folder = folder.display();
            Err(Failure::Usage(format!(
                "{flag} {folder} is not empty: name a folder that is empty or not there yet"
            )))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::io(&format!("{flag} {}", folder.display()), &error)),
    }
}
