//! Drives and files that the kernel serves to other machines: iSCSI and its kin, NVMe over fabrics.

use std::fs;
use std::path::{Path, PathBuf};

use super::overlays::FileNames;
use crate::system::{System, names_in, nonempty_text};
use crate::{DeviceNumber, FileIdentity};

/// One drive or file that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServedExport {
    /// Who serves it, for a message: `iblock_0/disk1`.
    pub by: String,
    /// The block device that is served, where it is one.
    pub device: Option<DeviceNumber>,
    file: Option<FileIdentity>,
}

impl ServedExport {
    /// Whether this is the file that is served.
    pub(crate) fn is_file(&self, names: &FileNames) -> bool {
        self.file.as_ref().is_some_and(|own| names.has(own.number()))
    }
}

/// Everything that is served.
pub(crate) fn all(system: &System) -> Vec<ServedExport> {
    let root = system.sys("kernel/config");
    let mut exports = Vec::new();
    for backstore in below(&root.join("target/core")).iter().flat_map(|folder| below(folder)) {
        exports.extend(export(system, &backstore, "udev_path", "the SCSI target"));
    }
    for subsystem in below(&root.join("nvmet/subsystems")) {
        for namespace in below(&subsystem.join("namespaces")) {
            exports.extend(export(system, &namespace, "device_path", "the NVMe target"));
        }
    }
    exports
}

fn below(folder: &Path) -> Vec<PathBuf> {
    names_in(folder).into_iter().map(|name| folder.join(name)).filter(|path| path.is_dir()).collect()
}

fn export(system: &System, folder: &Path, file: &str, kind: &str) -> Option<ServedExport> {
    let path = PathBuf::from(nonempty_text(&folder.join(file)).filter(|path| path != "(null)")?);
    let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file);
    let name = |folder: &Path| Some(folder.file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = [folder.parent().and_then(name), name(folder)].into_iter().flatten().collect();
    Some(ServedExport {
        by: format!("{kind} {}", names.join("/")),
        device: system.number_of_node(&path),
        file: found.map(|found| FileIdentity::from_metadata(system, &path, &found)),
    })
}

/// Everything that is served, as text that differs where anything else is served.
pub(crate) fn shown(system: &System) -> Vec<Vec<u8>> {
    all(system).into_iter().map(|export| format!("{export:?}").into_bytes()).collect()
}
