//! Opening the destination of a rollup, and whether a failure will pass.

use drivelab_export::{Destination, ExportError, ExportFolder, ExportStore};
use drivelab_runner::Failure;
use drivelab_store::{Store, StoreError};

use crate::args::ExportPlace;
use crate::commands::export::place;
use crate::commands::store;

/// Why a destination cannot be opened.
pub enum NotOpened {
    /// It can never be written as it is.
    Refused {
        /// What ends the command, where nothing is recorded yet.
        failure: Failure,
        /// The reason as it goes on behind a colon, where the recording has begun without it.
        why: String,
    },
    /// It may be there later; a reason that goes on behind a colon.
    Away(String),
}

/// Opens a destination. Of a folder it is seen that it can be written.
pub fn open(to: &ExportPlace, mask: u32) -> Result<Box<dyn Destination>, NotOpened> {
    match to {
        ExportPlace::Folder(folder) => {
            let destination = ExportFolder::with_mask(folder.clone(), mask);
            destination.make().and_then(|()| destination.probe()).map_err(not_written)?;
            Ok(Box::new(destination))
        }
        ExportPlace::Store(address) => {
            let store = ExportStore::new(Store::open(address).map_err(not_opened)?);
            if store.is_free().map_err(not_opened)? {
                Ok(Box::new(store))
            } else {
                Err(NotOpened::Refused {
                    failure: place::holds_other_things("--rollup-to", address),
                    why: "it holds something else than exports".to_owned(),
                })
            }
        }
    }
}

fn not_written(error: ExportError) -> NotOpened {
    let why = reason(&error);
    let failure = match error {
        ExportError::NotWritten { path, source } => Failure::not_written(&path, &source),
        error => Failure::Environment(error.to_string()),
    };
    NotOpened::Refused { failure, why }
}

fn not_opened(error: StoreError) -> NotOpened {
    match error {
        StoreError::Unreachable { .. } | StoreError::Failed { .. } => NotOpened::Away(store_reason(&error)),
        error => NotOpened::Refused { why: store_reason(&error), failure: store::failure(error) },
    }
}

/// Why a step could not be written, as it goes on behind a colon: the recording goes on, and there is no command to run again.
pub fn reason(error: &ExportError) -> String {
    match error {
        ExportError::Store(error) => store_reason(error),
        error => error.to_string(),
    }
}

fn store_reason(error: &StoreError) -> String {
    match error {
        StoreError::Unreachable { why, .. } => format!("the store cannot be reached ({why})"),
        StoreError::Failed { why, .. } => format!("the store failed ({why})"),
        StoreError::Denied { why, .. } => format!("the store refuses access ({why})"),
        error => error.to_string(),
    }
}
