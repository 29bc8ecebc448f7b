//! A folder as destination: a file in it is not whole until it is renamed, and who may read it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use drivelab_files::{DOCUMENT, open_regular};
use rustix::fs::{FlockOperation, OFlags, flock};

use crate::ExportError;
use crate::destination::{Destination, NewFile, Readers, WholeFile};
use crate::layout::CATALOGUE;
use crate::whole::records_where_whole;

/// A folder that results are exported to.
#[derive(Clone, Debug)]
pub struct ExportFolder {
    path: PathBuf,
    /// The user's mask of permissions, where the program has another one.
    mask: Option<u32>,
}

impl ExportFolder {
    /// This folder, which need not be there yet, for a program whose mask of permissions is the user's, or else `mask`.
    pub fn new(path: PathBuf, mask: Option<u32>) -> ExportFolder {
        ExportFolder { path, mask }
    }

    /// Makes it, and the folder of the catalogue, by which a later export knows it for a destination.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make(&self) -> Result<(), ExportError> {
        self.permissions(0o666).make_folder(&self.path.join(CATALOGUE))
    }

    fn permissions(&self, mode: u32) -> Permissions {
        Permissions { mode, mask: self.mask }
    }

    /// Sees that files can be written to it. Nothing is left of that.
    ///
    /// # Errors
    /// Where they cannot.
    pub fn probe(&self) -> Result<(), ExportError> {
        let catalogue = self.path.join(CATALOGUE);
        // A name of its own: other recordings may begin at the same time, and what a kill left may be another user's.
        let probe = tempfile::Builder::new().prefix(".probe-").suffix(".partial").tempfile_in(&catalogue);
        probe.map(drop).map_err(|error| ExportError::not_written(&catalogue, error))
    }
}

impl Destination for ExportFolder {
    fn whole_file(&self, path: &Path, run: &str, format: &str) -> Result<Option<WholeFile>, ExportError> {
        let whole = || {
            let file = open_regular(&self.path.join(path)).ok()?;
            let bytes = file.metadata().ok()?.len();
            Some(WholeFile { bytes, records: records_where_whole(file, run, format)? })
        };
        Ok(whole())
    }

    fn read_small(&self, path: &Path) -> Result<Option<Bytes>, ExportError> {
        Ok(drivelab_files::read(&self.path.join(path), DOCUMENT).ok().map(Bytes::from))
    }

    fn begin(&self, path: &Path, readers: Readers) -> Result<Box<dyn NewFile>, ExportError> {
        let mode = match readers {
            Readers::Owner => 0o600,
            Readers::All => 0o666,
        };
        Ok(Box::new(PartialFile::begin(self.path.join(path), self.permissions(mode))?))
    }
}

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

/// A file under another name in the folder of its own, and what locks that for this program. It is removed where it is dropped
/// before it was published; what a kill left is replaced by the next one of its name.
#[derive(Debug)]
pub struct PartialFile {
    file: File,
    partial: PathBuf,
    path: PathBuf,
    is_published: bool,
}

impl PartialFile {
    /// Begins a file that is to have this path. Folders that are not there are made.
    pub fn begin(path: PathBuf, permissions: Permissions) -> Result<PartialFile, ExportError> {
        permissions.make_folder(path.parent().unwrap_or(Path::new(".")))?;
        // Engines leave out files whose name begins with a full stop.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let partial = path.with_file_name(format!(".{name}.partial"));
        let not_written = |error| ExportError::not_written(&path, error);
        loop {
            let mut options = OpenOptions::new();
            // Not emptied before it is known that no other program writes it.
            options.read(true).write(true).create(true).truncate(false).mode(permissions.mode);
            // A link would lead what is written to another file, and a pipe would be waited for.
            options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
            let file = options.open(&partial).map_err(not_written)?;
            if let Err(error) = flock(&file, FlockOperation::NonBlockingLockExclusive) {
                return Err(match error {
                    rustix::io::Errno::WOULDBLOCK => ExportError::InUse(path),
                    error => not_written(error.into()),
                });
            }
            // Another export may have published it between the two calls: that file is whole, and not to be written.
            if is_file_of(&file, &partial).map_err(not_written)? {
                file.set_len(0).and_then(|()| permissions.set_of(&file)).map_err(not_written)?;
                return Ok(PartialFile { file, partial, path, is_published: false });
            }
        }
    }
}

impl NewFile for PartialFile {
    fn file(&self) -> Result<File, ExportError> {
        self.file.try_clone().map_err(|error| self.not_written(error))
    }

    fn not_written(&self, error: io::Error) -> ExportError {
        ExportError::not_written(&self.path, error)
    }

    /// Brings the file to the disk and renames it.
    fn publish(mut self: Box<Self>) -> Result<u64, ExportError> {
        let named = self.file.sync_all().and_then(|()| {
            let bytes = self.file.metadata()?.len();
            fs::rename(&self.partial, &self.path)?;
            Ok(bytes)
        });
        let bytes = named.map_err(|error| self.not_written(error))?;
        self.is_published = true;
        // Not every file system can sync a folder; the file is whole in any case.
        let _ = self.path.parent().map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
        Ok(bytes)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_published {
            // On a full disk a part of a file only takes room.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

fn is_file_of(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_has_its_name_when_it_is_whole_and_one_program_writes_it_at_a_time() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a/b/rollup.parquet");
        let permissions = Permissions { mode: 0o644, mask: None };
        let first = PartialFile::begin(path.clone(), permissions).expect("room");
        let refused = PartialFile::begin(path.clone(), permissions).expect_err("it is being written");
        assert!(matches!(refused, ExportError::InUse { .. }), "{refused}");
        first
            .file()
            .and_then(|mut file| file.write_all(b"longer").map_err(|error| first.not_written(error)))
            .expect("room");
        assert!(!path.exists());
        // As a kill leaves it: the lock is gone, and the file is there.
        let partial = path.with_file_name(".rollup.parquet.partial");
        drop(first);
        assert!(!partial.exists());
        fs::write(&partial, b"what a kill left").expect("room");
        let second = Box::new(PartialFile::begin(path.clone(), permissions).expect("room"));
        second.file().expect("a file").write_all(b"whole").expect("room");
        assert_eq!(second.publish().expect("room"), 5);
        assert_eq!(fs::read(&path).expect("the file"), b"whole");
        assert!(!partial.exists());
    }
}
