//! A folder as destination.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use drivelab_files::{DOCUMENT, open_regular};

use crate::ExportError;
use crate::destination::{Destination, NewFile, Readers};
use crate::partial_file::PartialFile;
use crate::whole::is_of;

/// A folder that results are exported to.
#[derive(Clone, Debug)]
pub struct ExportFolder(PathBuf);

impl ExportFolder {
    /// This folder, which need not be there yet.
    #[must_use]
    pub fn new(folder: PathBuf) -> ExportFolder {
        ExportFolder(folder)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Destination for ExportFolder {
    fn length_where_whole(&self, path: &Path, run: &str, format: &str) -> Result<Option<u64>, ExportError> {
        let whole = || {
            let file = open_regular(&self.0.join(path)).ok()?;
            let bytes = file.metadata().ok()?.len();
            is_of(file, run, format).then_some(bytes)
        };
        Ok(whole())
    }

    fn read_small(&self, path: &Path) -> Result<Option<Bytes>, ExportError> {
        Ok(drivelab_files::read(&self.0.join(path), DOCUMENT).ok().map(Bytes::from))
    }

    fn begin(&self, path: &Path, readers: Readers) -> Result<Box<dyn NewFile>, ExportError> {
        let mode = match readers {
            Readers::Owner => 0o600,
            Readers::All => 0o666,
        };
        Ok(Box::new(PartialFile::begin(self.0.join(path), mode)?))
    }
}
