//! The folder that a run is to be kept in.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::exit::Failure;

/// Refuses a folder that holds something, named by `flag`: runs are never mixed, and nothing is overwritten.
pub fn check_is_free(flag: &str, folder: &Path) -> Result<(), Failure> {
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
