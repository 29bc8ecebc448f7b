//! A file system made for a measurement, which ends with it whatever happens.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use drivelab_block::ByteCount;
use drivelab_program::{NoAnswer, answer, find};
use drivelab_safety::{Released, SafetyError};
use rustix::fs::{Mode, OFlags, openat};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen,
};

/// How long mkfs may be silent: it zeroes its tables.
const PATIENCE: Duration = Duration::from_secs(600);
/// Nothing is left for the kernel to write in the background, and nothing is discarded: the other paths find the
/// drive as this one found it.
const OPTIONS: &str = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";

/// An ext4 at the beginning of a drive whose claim was given up for it.
///
/// It is mounted nowhere: the kernel keeps the mount for a descriptor, and takes it down when that is closed, by the end of
/// the program at the latest, be it killed. So there is nothing to be undone by a later start.
#[derive(Debug)]
pub struct Scratch {
    mount: OwnedFd,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// Somebody else uses the drive.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// The program that makes file systems did not.
    #[error("{0}")]
    NotMade(String),
    /// The kernel did not take it.
    #[error("the new file system could not be mounted: {0}")]
    NotMounted(io::Error),
}

impl Scratch {
    /// Makes the file system in the first `length` bytes, and mounts it. The drive's identity and users are checked before
    /// each step.
    ///
    /// # Errors
    /// [`ScratchError`].
    pub fn ext4(drive: &Released, length: ByteCount) -> Result<Scratch, ScratchError> {
        drive.verify(&[])?;
        make(drive.path(), length)?;
        drive.verify(&[])?;
        mount(drive.path()).map(|mount| Scratch { mount }).map_err(ScratchError::NotMounted)
    }

    /// Its root.
    pub(crate) fn root(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(&self.mount, ".", flags, Mode::empty())?)
    }
}

fn make(drive: &Path, length: ByteCount) -> Result<(), ScratchError> {
    let not_made = |why: String| ScratchError::NotMade(format!("mkfs.ext4 {}: {why}", drive.display()));
    let program = find("mkfs.ext4").ok_or_else(|| {
        ScratchError::NotMade("mkfs.ext4 is not installed: install e2fsprogs, or leave out --fs".to_owned())
    })?;
    let path = drive.to_str().ok_or_else(|| not_made("its path is no plain text".to_owned()))?;
    let size = format!("{}k", length.get() / 1024);
    match answer(&program, &["-q", "-F", "-E", OPTIONS, path, &size], None, PATIENCE) {
        Ok(answer) if answer.status.success() => Ok(()),
        Ok(answer) => Err(not_made(format!("it ended with {}", answer.status))),
        Err(NoAnswer::NotRun(error)) => Err(not_made(error.to_string())),
        Err(NoAnswer::Silent | NoAnswer::Endless) => Err(not_made("it came to no end".to_owned())),
    }
}

fn mount(drive: &Path) -> io::Result<OwnedFd> {
    let made = fsopen("ext4", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&made, "source", drive)?;
    fsconfig_create(&made)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NOEXEC
        | MountAttrFlags::MOUNT_ATTR_NOATIME;
    Ok(fsmount(&made, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}
