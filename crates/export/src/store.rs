//! A store of objects as destination.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::s3::{Store, StoreError};
use bytes::Bytes;

use crate::ExportError;
use crate::destination::{Destination, NewFile, Readers, WholeFile};
use crate::parquet_end::ParquetEnd;
use crate::whole::records_where_whole;

/// What is read of the end of an object at first, in bytes: the footer of a day of rollups, or of most days of records.
const END_BYTES: u64 = 64 << 10;

/// A prefix of a store that results are exported to. Files are made in the folder for temporary files, where they have no name,
/// and put when they are whole.
#[derive(Clone, Debug)]
pub struct ExportStore(Rc<Store>);

impl ExportStore {
    /// An open store.
    pub fn new(store: Store) -> ExportStore {
        ExportStore(Rc::new(store))
    }

    /// Whether nothing is below the prefix, or nothing but exports.
    ///
    /// # Errors
    /// Where the store fails.
    pub fn is_free(&self) -> Result<bool, StoreError> {
        let names = self.0.top_level()?;
        let is_own = |name: &String| {
            [crate::CATALOGUE, crate::DRIVES].contains(&name.as_str()) || name.starts_with("date=")
        };
        Ok(names.iter().any(|name| name == crate::CATALOGUE) || names.iter().all(is_own))
    }

    /// The end of an object with its whole footer.
    fn end(&self, path: &Path) -> Result<Option<ParquetEnd>, StoreError> {
        let Some(end) = self.0.read_end(path, END_BYTES)? else { return Ok(None) };
        let end = ParquetEnd::from_end(end);
        match end.missing() {
            None => Ok(Some(end)),
            Some(wanted) => Ok(self.0.read_end(path, wanted)?.map(ParquetEnd::from_end)),
        }
    }
}

impl Destination for ExportStore {
    fn whole_file(&self, path: &Path, run: &str, format: &str) -> Result<Option<WholeFile>, ExportError> {
        let Some(end) = self.end(path)? else { return Ok(None) };
        let bytes = end.length();
        Ok(records_where_whole(end, run, format).map(|records| WholeFile { bytes, records }))
    }

    fn read_small(&self, path: &Path) -> Result<Option<Bytes>, ExportError> {
        Ok(self.0.read(path)?)
    }

    fn begin(&self, path: &Path, _: Readers) -> Result<Box<dyn NewFile>, ExportError> {
        let folder = std::env::temp_dir();
        let file =
            tempfile::tempfile_in(&folder).map_err(|error| ExportError::not_written(&folder, error))?;
        Ok(Box::new(UnsentFile { file, folder, path: path.to_owned(), store: Rc::clone(&self.0) }))
    }
}

/// A file without a name, which is gone with the program.
struct UnsentFile {
    file: File,
    folder: PathBuf,
    path: PathBuf,
    store: Rc<Store>,
}

impl NewFile for UnsentFile {
    fn file(&self) -> Result<File, ExportError> {
        self.file.try_clone().map_err(|error| self.not_written(error))
    }

    fn not_written(&self, error: io::Error) -> ExportError {
        ExportError::not_written(&self.folder, error)
    }

    fn publish(self: Box<Self>) -> Result<u64, ExportError> {
        Ok(self.store.put(&self.path, self.file)?)
    }
}
