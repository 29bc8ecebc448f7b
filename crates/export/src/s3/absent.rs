//! A build without object stores: none can be opened. What each function would do is said in `client.rs`.

#![expect(missing_docs, clippy::missing_errors_doc, reason = "they are those of client.rs")]

use std::convert::Infallible;
use std::fs::File;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::s3::{ObjectEnd, StoreAddress, StoreError, StoreFault};

/// A prefix in a store; this build has none.
#[derive(Debug)]
pub struct Store(Infallible);

impl Store {
    pub fn open(address: &StoreAddress) -> Result<Store, StoreError> {
        Err(StoreError { address: address.to_string(), fault: StoreFault::NotBuiltIn })
    }

    pub fn address(&self) -> &StoreAddress {
        match self.0 {}
    }

    pub fn top_level(&self) -> Result<Vec<String>, StoreError> {
        match self.0 {}
    }

    pub fn list(&self) -> Result<Vec<PathBuf>, StoreError> {
        match self.0 {}
    }

    pub fn read(&self, _: &Path) -> Result<Option<Bytes>, StoreError> {
        match self.0 {}
    }

    pub fn read_end(&self, _: &Path, _: u64) -> Result<Option<ObjectEnd>, StoreError> {
        match self.0 {}
    }

    pub fn put(&self, _: &Path, _: File) -> Result<u64, StoreError> {
        match self.0 {}
    }
}
