//! A file system made for a measurement, which ends with it whatever happens.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drivelab_block::{ByteCount, FileSystem};
use drivelab_program::{NoAnswer, answer, find};
use drivelab_safety::{Released, SafetyError};
use rustix::fs::syncfs;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_flag, fsconfig_set_string,
    fsmount, fsopen,
};

use crate::in_place::open_folder;

/// How long mkfs may be silent: it zeroes its tables.
const PATIENCE: Duration = Duration::from_secs(600);

/// A file system at the beginning of a drive whose claim was given up for it.
///
/// It is mounted nowhere: the kernel keeps the mount for a descriptor, and takes it down when that is closed, by the end of
/// the program at the latest, be it killed. So there is nothing to be undone by a later start.
#[derive(Debug)]
pub struct Scratch {
    mount: OwnedFd,
    drive: PathBuf,
    kind: FileSystem,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// Somebody else uses the drive.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// The program that makes file systems did not, the kernel did not take it, or work on it failed.
    #[error("{0}")]
    Environment(String),
}

fn not_mounted(kind: FileSystem, error: impl fmt::Display) -> ScratchError {
    ScratchError::Environment(format!("the new {} could not be mounted: {error}", kind.word()))
}

impl Scratch {
    /// Makes the file system in the first `length` bytes, and mounts it. The drive's identity and users are checked before
    /// each step.
    ///
    /// # Errors
    /// [`ScratchError`].
    pub fn make(drive: &Released, kind: FileSystem, length: ByteCount) -> Result<Scratch, ScratchError> {
        drive.verify(&[])?;
        make(drive.path(), kind, length)?;
        drive.verify(&[])?;
        let mount = mount(drive.path(), kind).map_err(|error| not_mounted(kind, error))?;
        Ok(Scratch { mount, drive: drive.path().to_path_buf(), kind })
    }

    /// Writes out what is in it, takes it down and mounts it again, so that nothing of it is cached any more. The caller has
    /// closed everything in it.
    ///
    /// # Errors
    /// [`ScratchError`]; the drive's identity and users are checked again before the second mount.
    pub fn mounted_anew(self, drive: &Released) -> Result<Scratch, ScratchError> {
        let Scratch { mount: old, drive: path, kind } = self;
        let not_mounted = |error| not_mounted(kind, error);
        // A synchronised mount is taken down quickly; one that is not would fail where nobody sees it.
        open_folder(&old, ".").and_then(syncfs).map_err(|error| not_mounted(io::Error::from(error)))?;
        drop(old);
        drive.verify(&[])?;
        Ok(Scratch { mount: mount(&path, kind).map_err(not_mounted)?, drive: path, kind })
    }

    pub(crate) fn root(&self) -> io::Result<OwnedFd> {
        Ok(open_folder(&self.mount, ".")?)
    }
}

/// The program that makes this file system, and the Debian package it comes with.
pub fn maker_of(kind: FileSystem) -> (String, &'static str) {
    let package = match kind {
        FileSystem::Ext2 | FileSystem::Ext3 | FileSystem::Ext4 => "e2fsprogs",
        FileSystem::Xfs => "xfsprogs",
        FileSystem::Btrfs => "btrfs-progs",
    };
    (format!("mkfs.{}", kind.word()), package)
}

/// The least that such a file system can be made of: `mkfs.xfs` takes nothing below 300 MB, `mkfs.btrfs` nothing below
/// 109 MiB and fills that with metadata soon.
pub fn least_size(kind: FileSystem) -> ByteCount {
    ByteCount::new(match kind {
        FileSystem::Ext2 | FileSystem::Ext3 | FileSystem::Ext4 => 16 << 20,
        FileSystem::Xfs => 300 << 20,
        FileSystem::Btrfs => 256 << 20,
    })
}

/// What mkfs is told: nothing is left for the kernel to write in the background, and nothing is discarded, so that whatever
/// comes next finds the drive as this found it.
fn arguments(kind: FileSystem, path: &str, length: ByteCount) -> Vec<String> {
    let kibibytes = format!("{}k", length.get() / 1024);
    let words: &[&str] = match kind {
        FileSystem::Ext2 => &["-q", "-F", "-E", "lazy_itable_init=0,nodiscard", path, &kibibytes],
        FileSystem::Ext3 | FileSystem::Ext4 => {
            &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", path, &kibibytes]
        }
        FileSystem::Xfs => &["-q", "-f", "-K", "-d", &format!("size={kibibytes}"), path],
        // It takes no size that is not whole in its sectors of 4 KiB.
        FileSystem::Btrfs => {
            &["-q", "-f", "-K", "-b", &format!("{}k", length.get() / (1 << 16) * (1 << 6)), path]
        }
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn make(drive: &Path, kind: FileSystem, length: ByteCount) -> Result<(), ScratchError> {
    let (name, package) = maker_of(kind);
    let not_made = |why: String| ScratchError::Environment(format!("{name} {}: {why}", drive.display()));
    let program = find(&name).ok_or_else(|| {
        ScratchError::Environment(format!(
            "{name} is not installed: install {package}, or leave out --fs {}",
            kind.word()
        ))
    })?;
    let path = drive.to_str().ok_or_else(|| not_made("its path is no plain text".to_owned()))?;
    let words = arguments(kind, path, length);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    // Killed, this program is not to leave one that writes to a drive which nobody claims any more.
    let bound = binder().zip(program.to_str());
    let program = match &bound {
        Some((setpriv, name)) => {
            words.splice(..0, ["--pdeathsig", "KILL", *name]);
            setpriv
        }
        None => &program,
    };
    match answer(program, &words, None, PATIENCE) {
        Ok(answer) if answer.status.success() => Ok(()),
        Ok(answer) => Err(not_made(answer.failure())),
        Err(NoAnswer::NotRun(error)) => Err(not_made(error.to_string())),
        Err(NoAnswer::Silent | NoAnswer::Endless) => Err(not_made("it came to no end".to_owned())),
    }
}

/// A program that has another one killed with this one; busybox has one of the same name that cannot.
fn binder() -> Option<PathBuf> {
    let program = find("setpriv")?;
    let help = answer(&program, &["--help"], None, PATIENCE).ok()?;
    String::from_utf8_lossy(&help.output).contains("--pdeathsig").then_some(program)
}

fn mount(drive: &Path, kind: FileSystem) -> io::Result<OwnedFd> {
    let made = fsopen(kind.word(), FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&made, "source", drive)?;
    if kind == FileSystem::Btrfs {
        // It discards by itself otherwise, some time after a deletion.
        fsconfig_set_flag(&made, "nodiscard")?;
    }
    fsconfig_create(&made)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NOEXEC
        | MountAttrFlags::MOUNT_ATTR_NOATIME;
    Ok(fsmount(&made, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}
