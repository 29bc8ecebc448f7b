//! Who may read what is written to a folder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::ExportError;

/// The permissions of a file and of the folders that are made for it.
#[derive(Clone, Copy, Debug)]
pub struct Permissions {
    /// Those of the file before the user's mask takes some away.
    pub mode: u32,
    /// The user's mask, where the program has another one; none where the system applies it.
    pub mask: Option<u32>,
}

impl Permissions {
    /// Makes a folder, with those that it lies in.
    pub fn make_folder(&self, folder: &Path) -> Result<(), ExportError> {
        let Some(mask) = self.mask else {
            return fs::create_dir_all(folder).map_err(|error| ExportError::not_written(folder, error));
        };
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err())
            .collect();
        for made in missing.into_iter().rev() {
            let permissions = fs::Permissions::from_mode(0o777 & !mask);
            let is_made = match fs::create_dir(made) {
                Ok(()) => fs::set_permissions(made, permissions),
                // Another machine made it meanwhile.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                Err(error) => Err(error),
            };
            is_made.map_err(|error| ExportError::not_written(made, error))?;
        }
        Ok(())
    }

    /// Gives a file that was opened with its mode the rest of its permissions.
    pub fn set_of(&self, file: &File) -> io::Result<()> {
        match self.mask {
            Some(mask) => file.set_permissions(fs::Permissions::from_mode(self.mode & !mask)),
            None => Ok(()),
        }
    }
}
