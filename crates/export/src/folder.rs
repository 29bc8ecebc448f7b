//! A folder as destination.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use drivelab_files::{DOCUMENT, open_regular};

use crate::ExportError;
use crate::destination::{Destination, NewFile, Readers, WholeFile};
use crate::layout::CATALOGUE;
use crate::partial_file::{PartialFile, Permissions};
use crate::whole::records_where_whole;

/// A folder that results are exported to.
#[derive(Clone, Debug)]
pub struct ExportFolder {
    path: PathBuf,
    /// The user's mask of permissions, where the program has another one.
    mask: Option<u32>,
}

impl ExportFolder {
    /// This folder, which need not be there yet.
    pub fn new(folder: PathBuf) -> ExportFolder {
        ExportFolder { path: folder, mask: None }
    }

    /// The same for a program whose mask of permissions is not the user's, which is `mask`.
    pub fn with_mask(folder: PathBuf, mask: u32) -> ExportFolder {
        ExportFolder { path: folder, mask: Some(mask) }
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
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
