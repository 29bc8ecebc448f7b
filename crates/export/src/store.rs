//! A store of objects as destination.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bytes::{Buf as _, Bytes};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::ExportError;
use crate::destination::{Destination, NewFile, Readers, WholeFile};
use crate::s3::{ObjectEnd, Store, StoreError};
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
        let end = ParquetEnd(end);
        match end.missing() {
            None => Ok(Some(end)),
            Some(wanted) => Ok(self.0.read_end(path, wanted)?.map(ParquetEnd)),
        }
    }
}

impl Destination for ExportStore {
    fn whole_file(&self, path: &Path, run: &str, format: &str) -> Result<Option<WholeFile>, ExportError> {
        let Some(end) = self.end(path)? else { return Ok(None) };
        let bytes = end.0.length;
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

/// At the very end of a file: the length of its footer in four bytes, and the four letters of the format.
const TRAILER_BYTES: usize = 8;

/// The last bytes of a file. Reading before them is an error.
struct ParquetEnd(ObjectEnd);

impl ParquetEnd {
    /// How many bytes of the end hold the footer, where these are too few.
    fn missing(&self) -> Option<u64> {
        let there = self.0.bytes.len();
        let trailer = self.0.bytes.get(there.checked_sub(TRAILER_BYTES)?..)?;
        let footer = u64::from(u32::from_le_bytes(trailer.get(..4)?.try_into().ok()?));
        let wanted = (footer + TRAILER_BYTES as u64).min(self.0.length);
        (wanted > there as u64).then_some(wanted)
    }
}

impl Length for ParquetEnd {
    fn len(&self) -> u64 {
        self.0.length
    }
}

impl ChunkReader for ParquetEnd {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let end = &self.0;
        let before = end.length - end.bytes.len() as u64;
        let begin = start.checked_sub(before).and_then(|begin| usize::try_from(begin).ok());
        let begin = begin.filter(|begin| *begin <= end.bytes.len()).ok_or_else(not_read)?;
        Ok(end.bytes.slice(begin..).reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let rest = self.get_read(start)?.into_inner();
        if rest.len() < length { Err(not_read()) } else { Ok(rest.slice(..length)) }
    }
}

fn not_read() -> ParquetError {
    ParquetError::External(Box::new(io::Error::other("only the end of the file was read")))
}
