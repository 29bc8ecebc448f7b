//! What a path names: a drive, a file, or nothing that can be tested.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use drivelab_block::ByteCount;

use crate::{DeviceNumber, DriveIdentity, SafetyError, System, kernel_owned};

/// What is to be tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A block device: a whole drive or a partition.
    Drive(Box<DriveTarget>),
    /// A regular file, there already or to be created.
    File(FileTarget),
}

/// A block device, and the path by which it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveTarget {
    pub(crate) path: PathBuf,
    pub(crate) identity: DriveIdentity,
}

impl DriveTarget {
    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Who the drive is.
    pub fn identity(&self) -> &DriveIdentity {
        &self.identity
    }
}

/// A regular file, and what it is at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTarget {
    pub(crate) path: PathBuf,
    pub(crate) existing: Option<FileIdentity>,
}

impl FileTarget {
    /// The path with every link followed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which file it is; `None` where it would have to be created.
    pub fn existing(&self) -> Option<&FileIdentity> {
        self.existing.as_ref()
    }
}

/// A regular file as the kernel knows it, whatever its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// The path with every link followed.
    pub path: PathBuf,
    /// The device its file system is on; a number of no real device for btrfs, tmpfs and overlays.
    pub device: DeviceNumber,
    /// Its inode number.
    pub inode: u64,
    /// Its length.
    pub size: ByteCount,
    /// The kind of the file system it is on, where the mount table tells.
    pub file_system: Option<String>,
}

impl FileIdentity {
    /// Whether both are the same file, whatever its length is by now.
    pub(crate) fn is_same_file(&self, other: &FileIdentity) -> bool {
        self.number() == other.number()
    }

    /// Device and inode.
    pub(crate) fn number(&self) -> (DeviceNumber, u64) {
        (self.device, self.inode)
    }

    /// The regular file at a path; `None` where there is none.
    pub(crate) fn at(system: &System, path: &Path) -> Option<FileIdentity> {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(FileIdentity::from_metadata(system, path, &found))
    }

    pub(crate) fn from_metadata(system: &System, path: &Path, found: &fs::Metadata) -> FileIdentity {
        let device = DeviceNumber::from_raw(found.dev());
        FileIdentity {
            path: path.to_path_buf(),
            device,
            inode: found.ino(),
            size: ByteCount::new(found.len()),
            file_system: crate::uses::mounts::file_system_of(system, device),
        }
    }
}

impl Target {
    /// Finds what a path names. Links are followed, and a block device is known by its number from then on.
    ///
    /// # Errors
    /// [`SafetyError::Usage`] for a folder, a character device and the like; [`SafetyError::NotFound`] for a
    /// device that is not there or a file whose folder is not; [`SafetyError::Environment`] where the system
    /// does not let it be looked at.
    pub fn resolve(system: &System, path: &Path) -> Result<Target, SafetyError> {
        match fs::metadata(path) {
            Ok(found) => Target::from_metadata(system, path, &found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => absent_file(system, path),
            Err(error) => Err(SafetyError::not_looked_at(path, error)),
        }
    }

    /// The block device with this number, as `path`.
    ///
    /// # Errors
    /// [`SafetyError::NotFound`] where sysfs shows no such device.
    pub fn from_number(system: &System, number: DeviceNumber, path: &Path) -> Result<Target, SafetyError> {
        let identity = DriveIdentity::read(system, number).ok_or_else(|| {
            SafetyError::NotFound(format!(
                "{} is the block device {number}, but sysfs shows no such device: attach the drive, and \
                see that /sys is mounted",
                path.display()
            ))
        })?;
        Ok(Target::of_drive(path, identity))
    }

    /// Refuses a drive of no length: a loop device without a file, a reader without a card.
    fn with_a_medium(self) -> Result<Target, SafetyError> {
        match &self {
            Target::Drive(drive) if drive.identity.size.get() == 0 => Err(SafetyError::NotFound(format!(
                "{} is 0 bytes long: attach a file to it (losetup) or put a medium in, or name another drive",
                drive.path.display()
            ))),
            _ => Ok(self),
        }
    }

    pub(crate) fn of_drive(path: &Path, identity: DriveIdentity) -> Target {
        Target::Drive(Box::new(DriveTarget { path: path.to_path_buf(), identity }))
    }

    /// The path by which the target is opened.
    pub fn path(&self) -> &Path {
        match self {
            Target::Drive(drive) => &drive.path,
            Target::File(file) => &file.path,
        }
    }

    fn from_metadata(system: &System, path: &Path, found: &fs::Metadata) -> Result<Target, SafetyError> {
        let kind = found.file_type();
        if kind.is_block_device() {
            let target = Target::from_number(system, DeviceNumber::from_raw(found.rdev()), path)?;
            return target.with_a_medium();
        }
        if kind.is_file() {
            refuse_kernel_owned(path, path)?;
            let path = fs::canonicalize(path).map_err(|error| SafetyError::not_looked_at(path, error))?;
            let existing = FileIdentity::from_metadata(system, &path, found);
            return Ok(Target::File(FileTarget { path, existing: Some(existing) }));
        }
        Err(SafetyError::Usage(not_a_target(path, kind)))
    }
}

/// Who the target is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A drive or a partition.
    Drive(Box<DriveIdentity>),
    /// A regular file.
    File(FileIdentity),
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Drive(drive) => write!(f, "{drive}"),
            Identity::File(file) => write!(f, "{} ({})", file.path.display(), file.size),
        }
    }
}

fn not_a_target(path: &Path, kind: fs::FileType) -> String {
    if kind.is_dir() {
        let file = path.join("drivelab.bin");
        return format!(
            "{} is a folder: name a drive, or a file in it such as {}",
            path.display(),
            file.display()
        );
    }
    let path = path.display();
    if kind.is_char_device() {
        let name = path.to_string();
        let is_number = |rest: &&str| rest.parse::<u32>().is_ok();
        if let Some(controller) = name.strip_prefix("/dev/nvme").filter(is_number) {
            return format!(
                "{path} is an NVMe controller: name one of its namespaces, such as /dev/nvme{controller}n1"
            );
        }
        return format!(
            "{path} is a character device: name a block device (see `drivelab drives`) or a file"
        );
    }
    format!(
        "{path} is neither a drive nor a regular file: name a block device (see `drivelab drives`) or a file"
    )
}

/// Refuses a file in which the kernel shows itself, wherever that is mounted: a write there changes a
/// setting.
fn refuse_kernel_owned(path: &Path, there: &Path) -> Result<(), SafetyError> {
    let Some(file_system) = kernel_owned(there) else { return Ok(()) };
    Err(SafetyError::Usage(format!(
        "{} belongs to the kernel ({file_system}) and holds no data: name a drive (see `drivelab drives`), \
        or a file on one",
        path.display()
    )))
}

/// A file that could be created at `path`. Nothing is created among the device nodes: a mistyped drive
/// would become a file in memory, and its results would look like those of a very fast drive.
fn absent_file(system: &System, path: &Path) -> Result<Target, SafetyError> {
    let not_found = |why: &str| SafetyError::NotFound(format!("{} {why}", path.display()));
    let name = path.file_name().ok_or_else(|| not_found("is not there"))?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = fs::canonicalize(folder)
        .map_err(|_| not_found("is not there, and neither is its folder: create the folder first"))?;
    let kernel_owned = [system.dev(""), system.sys(""), system.proc("")];
    let shared_memory = folder.starts_with(system.dev("shm"));
    if !shared_memory && kernel_owned.iter().any(|root| folder.starts_with(root)) {
        return Err(not_found("is not there: see `drivelab drives` for the drives that are"));
    }
    refuse_kernel_owned(path, &folder)?;
    if fs::symlink_metadata(path).is_ok() {
        return Err(not_found("is a link to nothing: mend the link, or name the file itself"));
    }
    Ok(Target::File(FileTarget { path: folder.join(name), existing: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_controller_of_nvme_drives_is_said_to_have_namespaces() {
        let kind = fs::metadata("/dev/null").expect("a character device").file_type();
        assert!(not_a_target(Path::new("/dev/nvme12"), kind).ends_with("such as /dev/nvme12n1"));
        for other in ["/dev/nvme-fabrics", "/dev/null"] {
            assert!(not_a_target(Path::new(other), kind).contains("is a character device"), "{other}");
        }
    }

    #[test]
    fn a_drive_without_a_medium_is_told_from_one_that_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let system = System::rooted_at(folder.path());
        fs::create_dir_all(system.sys("dev/block/8:0")).expect("a drive");
        for (sectors, exit_code) in [("0", Some(3)), ("2048", None)] {
            fs::write(system.sys("dev/block/8:0/size"), sectors).expect("a size");
            let number = DeviceNumber { major: 8, minor: 0 };
            let target = Target::from_number(&system, number, Path::new("/dev/sda")).expect("a drive");
            assert_eq!(target.with_a_medium().err().map(|error| error.exit_code()), exit_code);
        }
    }

    #[test]
    fn a_path_that_leads_nowhere_says_why() {
        let system = System::live();
        let path = Path::new("/dev/null/file.bin");
        let through_a_file = Target::resolve(&system, path).expect_err("no folder").to_string();
        assert!(through_a_file.contains("cannot be looked at"), "{through_a_file}");
        let new = Target::resolve(&system, Path::new("no-such-file.bin")).expect("a file that can be made");
        let folder = std::env::current_dir().and_then(fs::canonicalize).expect("a folder");
        assert_eq!(new.path(), folder.join("no-such-file.bin"), "beside the program");
    }

    #[test]
    fn a_file_is_the_same_by_another_name_and_length_and_a_copy_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("image"), "x").expect("room on disk");
        let identity = |name: &str| {
            let found = fs::metadata(path(name)).expect("a file");
            FileIdentity::from_metadata(&System::live(), &path(name), &found)
        };
        let first = identity("image");
        fs::copy(path("image"), path("copy")).expect("room on disk");
        fs::hard_link(path("image"), path("link")).expect("a link");
        fs::write(path("image"), "longer").expect("room on disk");
        assert!(first.is_same_file(&identity("image")) && first.is_same_file(&identity("link")));
        assert!(!first.is_same_file(&identity("copy")));
    }
}
