//! A private instance of tracefs: made, written to, and removed whatever happens.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::tracer::TracerError;
use crate::tracer::tracefs::{instances, mounted_instances};
use drivelab_program::Owner;

/// More of one program's instances than this are a mistake.
const MAX_INSTANCES: u32 = 64;

/// The folder of an instance, which is removed when this is dropped.
#[derive(Debug)]
pub struct Instance {
    path: PathBuf,
}

impl Instance {
    /// Makes an instance, and removes those of programs that are gone.
    pub fn create() -> Result<Instance, TracerError> {
        let instances = instances()?;
        remove_abandoned(&instances);
        let owner = Owner::this_program().ok_or(TracerError::NoTracefs)?;
        for number in 0..MAX_INSTANCES {
            let path = instances.join(owner.instance(number));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Instance { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(TracerError::io(&path, error)),
            }
        }
        Err(TracerError::Io {
            path: instances,
            source: io::Error::other("too many instances of this program"),
        })
    }

    /// The instance in this folder, which is there.
    #[cfg(test)]
    pub fn at(path: PathBuf) -> Instance {
        Instance { path }
    }

    /// A file of it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes one of its settings.
    pub fn set(&self, name: &str, value: &str) -> Result<(), TracerError> {
        let path = self.file(name);
        fs::write(&path, value).map_err(|error| TracerError::io(&path, error))
    }
}

impl Drop for Instance {
    /// Switches everything off even where the folder cannot go, because somebody looks into it.
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Switches off what this program still has on, before it ends without dropping anything. A folder that it looks into cannot
/// go before it; the next program that records takes it away.
pub fn switch_off_own() {
    let (Some(instances), Some(own)) = (mounted_instances(), Owner::this_program()) else { return };
    remove_those(&instances, |owner| owner == own);
}

fn remove_abandoned(instances: &Path) {
    remove_those(instances, |owner| !owner.is_alive());
}

fn remove_those(instances: &Path, is_due: impl Fn(Owner) -> bool) {
    for entry in fs::read_dir(instances).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if Owner::of_instance(&name.to_string_lossy()).is_some_and(&is_due) {
            remove(&entry.path());
        }
    }
}

/// What cannot be removed is tried again by the next program that starts.
fn remove(path: &Path) {
    let _ = fs::write(path.join("tracing_on"), "0");
    let _ = fs::write(path.join("events/enable"), "0");
    let _ = fs::remove_dir(path);
}
