//! By what the results of one drive are known.

use crate::{Drive, Manifest};

/// By what results are known to be of one drive: its model and its serial number, or the target where it has no serial number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DriveKey {
    model: String,
    own: String,
}

impl DriveKey {
    /// The drive of a run.
    pub fn of(run: &Manifest) -> DriveKey {
        let Drive { model, serial, .. } = &run.drive;
        DriveKey::new(model, serial.as_deref().unwrap_or(&run.target))
    }

    /// A drive of this model with its serial number or another name of its own.
    pub fn new(model: &str, own: &str) -> DriveKey {
        DriveKey { model: model.to_owned(), own: own.to_owned() }
    }
}
