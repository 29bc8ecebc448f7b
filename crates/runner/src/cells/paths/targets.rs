//! What is written, and by which paths it can be reached.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_documents::Notice;
use drivelab_kinds::paths::{DataPath, FileLocation, PathLeftOut};
use drivelab_safety::{DeviceNumber, Identity, WriteGrant};
use drivelab_system_calls::Folder;
use drivelab_uring::{Access, Namespace, NoPassthrough};

use crate::{Failure, Real};

pub struct Files {
    pub folder: Folder,
    pub parent: PathBuf,
    pub device: Option<DeviceNumber>,
}

impl Files {
    pub fn make(parent: &Path) -> Result<Files, Failure> {
        let folder = Folder::make(parent).map_err(|error| Failure::not_written(parent, &error))?;
        let device = parent.metadata().ok().map(|found| DeviceNumber::from_raw(found.dev()));
        Ok(Files { folder, parent: parent.to_path_buf(), device })
    }
}

/// Everything that is written to, opened and cleared.
pub struct PathTargets {
    pub real: Option<Real>,
    pub files: Option<Files>,
    /// Whether the file-system paths get a file system of their own on the drive.
    pub scratch: bool,
    /// The paths that are left out, and why.
    pub left_out: Vec<PathLeftOut>,
}

impl PathTargets {
    /// A simulated drive, which only the ring's own loop reaches.
    pub fn simulated() -> PathTargets {
        let mut targets = PathTargets { real: None, files: None, scratch: false, left_out: Vec::new() };
        let why = "a simulated drive has neither a file system nor a device file";
        targets.leave_out(&DataPath::ALL[..4], why);
        targets.leave_out(&[DataPath::Passthrough], "a simulated drive takes no commands");
        targets
    }

    /// What a reader has to know of every comparison on such a target, which the user named so.
    pub fn notices(&self, target: &str) -> Vec<Notice> {
        let mut notes = Vec::new();
        if self.is_file() {
            let text = "The file is written in place by every path: no file is created, and none grows.";
            notes.push(text.to_owned());
        }
        if let (Some(_), Some(files)) = (&self.real, &self.files) {
            notes.push(format!(
                "The file-system paths wrote to {}, every other path to {target}: they compare only where both are alike.",
                files.parent.display()
            ));
        }
        if self.scratch {
            let text = "The file-system paths wrote to an ext4 on the target, made anew for each cell.";
            notes.push(text.to_owned());
        }
        if self.real.is_some() || self.files.is_some() {
            let text = "Buffered paths wait for the drive's own cache (fsync); direct paths and the raw ones do not.";
            notes.push(text.to_owned());
        }
        let of_drive = self.real.iter().flat_map(Real::notices);
        notes.into_iter().map(Notice::note).chain(of_drive).collect()
    }

    pub fn of_folder(parent: &Path) -> Result<PathTargets, Failure> {
        let files = Some(Files::make(parent)?);
        let mut targets = PathTargets { real: None, files, scratch: false, left_out: Vec::new() };
        let why = "the target is a directory, and its drive is in use by the file system";
        targets.leave_out(&DataPath::ALL[2..], why);
        targets.leave_out_refused();
        Ok(targets)
    }

    /// A claimed drive or file, and a folder beside it or a file system on it.
    pub fn of_real(
        real: Real,
        directory: Option<&Path>,
        place: FileLocation,
    ) -> Result<PathTargets, Failure> {
        let scratch = place == FileLocation::NewExt4;
        let files = directory.map(Files::make).transpose()?;
        let mut targets = PathTargets { real: Some(real), files, scratch, left_out: Vec::new() };
        if targets.is_file() {
            let why = "the target is a file, not a drive";
            targets.leave_out(&[DataPath::DeviceBuffered, DataPath::DeviceDirect], why);
        } else if targets.files.is_none() && !scratch {
            let why = "no file system was asked for (--fs), or named in addition to the drive (--directory)";
            targets.leave_out(&[DataPath::FileBuffered, DataPath::FileDirect], why);
        }
        targets.leave_out_refused();
        if let Err(why) = targets.namespace() {
            targets.leave_out(&[DataPath::Passthrough], &why.to_string());
        }
        Ok(targets)
    }

    /// The namespace behind a claimed NVMe drive, which holds the claim as long as it lives.
    pub fn namespace(&self) -> Result<Namespace, NoPassthrough> {
        match self.real.as_ref().map(|real| &real.access) {
            Some(Access::Write(grant)) => Namespace::open(grant),
            Some(Access::Read(_)) | None => Err(NoPassthrough::NotNvme),
        }
    }

    /// Leaves out direct paths where direct I/O was refused.
    fn leave_out_refused(&mut self) {
        let why = "O_DIRECT was refused there";
        if self.files.as_ref().is_some_and(|files| !files.folder.takes_direct()) {
            self.leave_out(&[DataPath::FileDirect], why);
        }
        if self.grant().is_some_and(|grant| !grant.direct()) {
            let own = if self.is_file() { DataPath::FileDirect } else { DataPath::DeviceDirect };
            self.leave_out(&[own, DataPath::Raw], why);
        }
    }

    fn leave_out(&mut self, paths: &[DataPath], why: &str) {
        self.left_out.extend(paths.iter().map(|path| PathLeftOut { path: *path, why: why.to_owned() }));
    }

    /// Whether a file that is there already is written in place.
    pub fn is_file(&self) -> bool {
        self.real.as_ref().is_some_and(|real| matches!(real.identity(), Identity::File(_)))
    }

    pub fn paths(&self) -> Vec<DataPath> {
        let is_left_out = |path: &DataPath| self.left_out.iter().any(|left| left.path == *path);
        DataPath::ALL.into_iter().filter(|path| !is_left_out(path)).collect()
    }

    pub fn grant(&self) -> Option<&WriteGrant> {
        match &self.real.as_ref()?.access {
            Access::Write(grant) => Some(grant),
            Access::Read(_) => None,
        }
    }

    /// The device that a path ends at, where the kernel has one.
    pub fn device(&self, path: DataPath) -> Option<DeviceNumber> {
        if let Some(files) = self.files.as_ref().filter(|_| path.is_file()) {
            return files.device;
        }
        self.real.as_ref().map(Real::device)
    }
}
