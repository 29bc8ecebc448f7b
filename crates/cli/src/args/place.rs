//! The folder or object store of exports.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use drivelab_store::{AddressError, StoreAddress};

/// Where exports are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportPlace {
    /// In a folder.
    Folder(PathBuf),
    /// In an object store.
    Store(StoreAddress),
}

impl ExportPlace {
    /// How clap reads it.
    pub fn parser() -> impl TypedValueParser<Value = ExportPlace> {
        OsStringValueParser::new().try_map(ExportPlace::parse)
    }

    fn parse(text: OsString) -> Result<ExportPlace, PlaceError> {
        if text.to_string_lossy().trim().is_empty() {
            return Err(PlaceError::Empty);
        }
        match text.to_str().filter(|text| StoreAddress::is_meant_by(text)) {
            Some(address) => Ok(ExportPlace::Store(address.parse()?)),
            None => Ok(ExportPlace::Folder(text.into())),
        }
    }
}

/// Why a text names no place of exports.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// It is empty, as that of a variable that is not set.
    #[error("it is empty: name a folder, or s3://BUCKET/PREFIX")]
    Empty,
    /// It is no address of an object store.
    #[error(transparent)]
    Address(#[from] AddressError),
}

impl fmt::Display for ExportPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportPlace::Folder(folder) => folder.display().fmt(out),
            ExportPlace::Store(address) => address.fmt(out),
        }
    }
}
