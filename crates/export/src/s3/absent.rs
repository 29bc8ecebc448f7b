//! A build without object stores: none can be opened.

use std::convert::Infallible;
use std::fs::File;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::s3::{ObjectEnd, StoreAddress, StoreError};

/// A prefix in a store; this build has none.
#[derive(Debug)]
pub struct Store(Infallible);

impl Store {
    /// Refuses the address.
    ///
    /// # Errors
    /// Always [`StoreError::NotBuiltIn`].
    pub fn open(address: &StoreAddress) -> Result<Store, StoreError> {
        Err(StoreError::NotBuiltIn(address.to_string()))
    }

    /// Where it is.
    pub fn address(&self) -> &StoreAddress {
        match self.0 {}
    }

    /// What lies directly below the prefix.
    ///
    /// # Errors
    /// None, as there is no store.
    pub fn top_level(&self) -> Result<Vec<String>, StoreError> {
        match self.0 {}
    }

    /// All objects.
    ///
    /// # Errors
    /// None, as there is no store.
    pub fn list(&self) -> Result<Vec<PathBuf>, StoreError> {
        match self.0 {}
    }

    /// An object.
    ///
    /// # Errors
    /// None, as there is no store.
    pub fn read(&self, _: &Path) -> Result<Option<Bytes>, StoreError> {
        match self.0 {}
    }

    /// The last bytes of an object.
    ///
    /// # Errors
    /// None, as there is no store.
    pub fn read_end(&self, _: &Path, _: u64) -> Result<Option<ObjectEnd>, StoreError> {
        match self.0 {}
    }

    /// Puts an object.
    ///
    /// # Errors
    /// None, as there is no store.
    pub fn put(&self, _: &Path, _: File) -> Result<u64, StoreError> {
        match self.0 {}
    }
}
