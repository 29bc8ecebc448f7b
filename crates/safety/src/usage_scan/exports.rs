//! Drives and files that the kernel serves to other machines: iSCSI and its kin, NVMe over fabrics.

use std::path::{Path, PathBuf};

use crate::system::{System, names_in, nonempty_text};
use crate::{DeviceNumber, FileIdentity, Use};

/// A drive or file that the kernel itself uses, without a claim: it serves it, or swaps to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KernelUse {
    /// How.
    pub used: Use,
    /// The block device, where it is one.
    pub device: Option<DeviceNumber>,
    /// The file, where it is one.
    pub file: Option<FileIdentity>,
}

/// Everything that is served.
pub(crate) fn all(system: &System) -> Vec<KernelUse> {
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

fn export(system: &System, folder: &Path, file: &str, kind: &str) -> Option<KernelUse> {
    let path = PathBuf::from(nonempty_text(&folder.join(file)).filter(|path| path != "(null)")?);
    let name = |folder: &Path| Some(folder.file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = [folder.parent().and_then(name), name(folder)].into_iter().flatten().collect();
    Some(KernelUse {
        used: Use::Exported(format!("{kind} {}", names.join("/"))),
        device: system.number_of_node(&path),
        file: FileIdentity::at(system, &path),
    })
}

/// Everything that is served, as text that differs where anything else is served.
pub(crate) fn shown(system: &System) -> Vec<Vec<u8>> {
    all(system).into_iter().map(|export| format!("{export:?}").into_bytes()).collect()
}
