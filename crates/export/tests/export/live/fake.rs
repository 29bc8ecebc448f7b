//! A destination in memory that can be away.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bytes::Bytes;
use drivelab_export::{Destination, ExportError, NewFile, Readers, WholeFile};

/// Holds files that were published whole.
#[derive(Clone, Default)]
pub struct Fake(Rc<Inner>);

#[derive(Default)]
struct Inner {
    files: RefCell<BTreeMap<PathBuf, Bytes>>,
    /// How many files are published until it is away; it is there where this is none.
    left: Cell<Option<u32>>,
}

impl Fake {
    /// It takes this many files, and is away then.
    pub fn takes(&self, files: u32) {
        self.0.left.set(Some(files));
    }

    /// It takes every file.
    pub fn is_there(&self) {
        self.0.left.set(None);
    }

    /// The files with this name, by their paths.
    pub fn named(&self, name: &str) -> Vec<(PathBuf, Bytes)> {
        let files = self.0.files.borrow();
        let named = files.iter().filter(|(path, _)| path.ends_with(name));
        named.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    }
}

fn away(path: &Path) -> ExportError {
    ExportError::NotWritten { path: path.to_owned(), source: io::ErrorKind::NetworkUnreachable.into() }
}

impl Destination for Fake {
    fn whole_file(&self, _: &Path, _: &str, _: &str) -> Result<Option<WholeFile>, ExportError> {
        Ok(None)
    }

    fn read_small(&self, path: &Path) -> Result<Option<Bytes>, ExportError> {
        Ok(self.0.files.borrow().get(path).cloned())
    }

    fn begin(&self, path: &Path, _: Readers) -> Result<Box<dyn NewFile>, ExportError> {
        let file = tempfile::tempfile().expect("room");
        Ok(Box::new(FakeFile { file, path: path.to_owned(), fake: self.clone() }))
    }
}

struct FakeFile {
    file: File,
    path: PathBuf,
    fake: Fake,
}

impl NewFile for FakeFile {
    fn file(&self) -> Result<File, ExportError> {
        Ok(self.file.try_clone().expect("a descriptor"))
    }

    fn not_written(&self, source: io::Error) -> ExportError {
        ExportError::NotWritten { path: self.path.clone(), source }
    }

    fn publish(mut self: Box<Self>) -> Result<u64, ExportError> {
        if let Some(left) = self.fake.0.left.get() {
            let left = left.checked_sub(1).ok_or_else(|| away(&self.path))?;
            self.fake.0.left.set(Some(left));
        }
        let mut bytes = Vec::new();
        self.file.rewind().and_then(|()| self.file.read_to_end(&mut bytes)).expect("a file");
        let length = bytes.len() as u64;
        self.fake.0.files.borrow_mut().insert(self.path, bytes.into());
        Ok(length)
    }
}
