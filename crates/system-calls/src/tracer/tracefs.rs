//! tracefs: where it is mounted, or a mount of this program's own where it is not.

use std::fs;
use std::io::ErrorKind;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use crate::tracer::TracerError;

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
        Err(Errno::PERM) => Err(TracerError::NotAllowed { path: PLACES[0].into() }),
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
                return Err(TracerError::NotAllowed { path: place.into() });
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
