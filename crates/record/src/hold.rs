//! Which folders of runs are written by a process: it holds a lock of the kernel's (flock(2)), which ends with the process, also
//! where that is killed.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

use crate::RecordError;

/// The lock on the folder of a run, released when the last copy is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    _folder: Arc<File>,
}

impl Hold {
    /// Locks a folder for this process; `None` on a file system that has no locks of folders (NFS): the run goes on without.
    ///
    /// # Errors
    /// Where another process holds it: its run is still under way.
    pub(crate) fn take(path: &Path) -> Result<Option<Hold>, RecordError> {
        let Ok(folder) = File::open(path) else { return Ok(None) };
        match folder.try_lock() {
            Ok(()) => Ok(Some(Hold { _folder: Arc::new(folder) })),
            Err(TryLockError::WouldBlock) => Err(RecordError::UnderWay { path: path.to_owned() }),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}
