//! Object stores as commands open them.

use drivelab_runner::Failure;
use drivelab_store::{Store, StoreAddress, StoreError};

/// Opens a store, and sees that it can be reached.
pub fn open(address: &StoreAddress) -> Result<Store, Failure> {
    Store::open(address).map_err(failure)
}

/// How a command ends whose store fails.
pub fn failure(error: StoreError) -> Failure {
    match error {
        StoreError::NotBuiltIn { .. } | StoreError::Settings { .. } => Failure::Usage(error.to_string()),
        error => Failure::Environment(error.to_string()),
    }
}
