//! tracefs, where it is mounted or by a mount of this program's own, and a private instance of it: made, written to, and removed
//! whatever happens.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use drivelab_program::Owner;
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use crate::tracer::TracerError;

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
        remove_those(&instances, |owner| !owner.is_alive());
        let owner = Owner::this_program().ok_or(TracerError::NoTracefs)?;
        for number in 0..MAX_INSTANCES {
            let path = instances.join(owner.instance(number));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Instance { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(TracerError::io(&path, error)),
            }
        }
        Err(TracerError::Io(instances, io::Error::other("too many instances of this program")))
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

/// Where tracefs is mounted, the usual place first.
const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// A mount that is attached nowhere: no other program sees it, and it is gone with this one.
static OWN: OnceLock<Result<OwnedFd, Errno>> = OnceLock::new();

/// The folder of tracefs; it is mounted for this program alone where it is not mounted.
pub fn root() -> Result<PathBuf, TracerError> {
    if let Some(mounted) = mounted()? {
        return Ok(mounted);
    }
    match OWN.get_or_init(mount) {
        Ok(own) => Ok(folder_of(own)),
        Err(Errno::PERM) => Err(TracerError::NotAllowed(PLACES[0].into())),
        Err(_) => Err(TracerError::NoTracefs),
    }
}

/// The folder of its instances.
pub fn instances() -> Result<PathBuf, TracerError> {
    Ok(root()?.join("instances"))
}

/// The same, where it is mounted already.
pub fn mounted_instances() -> Option<PathBuf> {
    let root = mounted().ok()?.or_else(|| OWN.get()?.as_ref().ok().map(folder_of))?;
    Some(root.join("instances"))
}

fn mounted() -> Result<Option<PathBuf>, TracerError> {
    for place in PLACES {
        match fs::metadata(Path::new(place).join("instances")) {
            Ok(_) => return Ok(Some(place.into())),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(TracerError::NotAllowed(place.into()));
            }
            Err(_) => {}
        }
    }
    Ok(None)
}

fn folder_of(mount: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()))
}

fn mount() -> Result<OwnedFd, Errno> {
    let file_system = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&file_system)?;
    let restricted = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    fsmount(&file_system, FsMountFlags::FSMOUNT_CLOEXEC, restricted)
}
