//! Opening something for reading: no claim, no ceremony.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, fstat};

use drivelab_block::Geometry;

use crate::checks::{refuse, same_object};
use crate::file_checks::file_geometry;
use crate::look::check_answers;
use crate::opening::opened_directly;
use crate::{Access, DeviceNumber, Identity, SafetyError, System, Target};

/// A target opened for reading only: nothing can be written through it.
#[derive(Debug)]
pub struct ReadAccess {
    descriptor: OwnedFd,
    /// Who the target is.
    pub identity: Identity,
    /// What a workload has to know before it can address the target.
    pub geometry: Geometry,
    /// Whether I/O bypasses the page cache; a file system may not allow it.
    pub direct: bool,
}

impl AsFd for ReadAccess {
    /// The descriptor, opened for reading.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Opens a target for reading.
///
/// # Errors
/// [`SafetyError::NotFound`] for a file that is not there, [`SafetyError::Environment`] where the system does
/// not let it be opened, [`SafetyError::Refused`] where the path has come to name something else.
pub fn open_for_reading(system: &System, target: &Target) -> Result<ReadAccess, SafetyError> {
    match target {
        Target::Drive(drive) => {
            let identity = drive.identity.clone();
            check_answers(system, &identity, Access::Read)?;
            let (descriptor, direct) = open_reading(&drive.path)?;
            refuse(Access::Read, identity.to_string(), same_object(system, &identity, descriptor.as_fd())?)?;
            let geometry = identity.geometry();
            Ok(ReadAccess { descriptor, identity: Identity::Drive(Box::new(identity)), geometry, direct })
        }
        Target::File(file) => {
            let Some(existing) = &file.existing else {
                return Err(SafetyError::NotFound(format!(
                    "{} is not there: name a file that is, a drive (see `drivelab drives`), or sim:consistent",
                    file.path.display()
                )));
            };
            let (descriptor, direct) = open_reading(&file.path)?;
            let found = fstat(&descriptor).map_err(|error| SafetyError::not_looked_at(&file.path, error))?;
            if (DeviceNumber::from_raw(found.st_dev), found.st_ino) != existing.number() {
                let what = file.path.display();
                return Err(SafetyError::NotFound(format!(
                    "{what} was replaced by another file: start again"
                )));
            }
            let geometry = file_geometry(system, existing, descriptor.as_fd(), direct)?;
            Ok(ReadAccess { descriptor, identity: Identity::File(existing.clone()), geometry, direct })
        }
    }
}

fn open_reading(path: &std::path::Path) -> Result<(OwnedFd, bool), SafetyError> {
    opened_directly(path, OFlags::RDONLY, Mode::empty())
        .map_err(|error| SafetyError::from_io(format!("{} cannot be opened", path.display()), error))
}
