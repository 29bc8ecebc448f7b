//! The controllers of an NVMe drive, and the paths to it.
//!
//! With native multipath, a drive that may have several controllers is one block device, the head (`nvme0n1`), whose folder
//! is below that of the subsystem. Each controller has a block device of its own to it, a path (`nvme0c1n1`), which is hidden: it
//! has no node in /dev. Every request goes through one of the paths.

use std::path::{Path, PathBuf};

use crate::Roots;

/// A controller of an NVMe drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvmeController {
    /// Its name: `nvme0`.
    pub name: String,
    /// Its state, as the kernel has it: `live`, `resetting`, `dead`; `None` where it does not tell.
    pub state: Option<String>,
    /// Its folder, with all links resolved.
    pub(crate) folder: PathBuf,
}

/// The controllers of the NVMe drive with this kernel name, by number: those of its subsystem with native multipath; none of
/// another drive.
pub fn nvme_controllers(roots: &Roots, kernel_name: &str) -> Vec<NvmeController> {
    roots.device_folder(kernel_name).map_or_else(Vec::new, |device| controllers_in(roots, &device))
}

/// The controllers that a folder of sysfs is, or has where it is that of a subsystem.
pub(crate) fn controllers_in(roots: &Roots, device: &Path) -> Vec<NvmeController> {
    let name = device.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut found = Vec::new();
    if number_of(name).is_some() {
        found.push((name.to_owned(), device.to_path_buf()));
    } else if name.starts_with("nvme-subsys") {
        for name in roots.names(device) {
            if let (Some(_), Ok(folder)) = (number_of(&name), device.join(&name).canonicalize()) {
                found.push((name, folder));
            }
        }
        found.sort_by_key(|(name, _)| number_of(name));
    }
    let controller = |(name, folder): (String, PathBuf)| {
        let state = roots.text(folder.join("state"));
        NvmeController { name, state, folder }
    };
    found.into_iter().map(controller).collect()
}

/// A path to an NVMe drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvmePath {
    /// The name of its block device: `nvme0c1n1`.
    pub name: String,
    /// The major and the minor number of its block device, by which the kernel's events name it; `None` where the kernel does not
    /// tell.
    pub number: Option<(u32, u32)>,
}

/// The paths to the NVMe drive with this kernel name, such as `nvme0c1n1` of `nvme0n1`, in the order of their controllers; none
/// of a drive without native multipath. A partition has its drive's.
pub fn nvme_paths(roots: &Roots, kernel_name: &str) -> Vec<NvmePath> {
    let folders = path_folders(roots, kernel_name);
    if folders.is_empty() {
        return Vec::new();
    }
    // A hidden block device has no file of its own that tells its number.
    let table = roots.text("proc/diskstats").unwrap_or_default();
    let path = |name: &str| NvmePath { name: name.to_owned(), number: number_in(&table, name) };
    folders.iter().filter_map(|folder| folder.file_name()?.to_str()).map(path).collect()
}

/// The number of a block device in the kernel's table of their counters.
fn number_in(table: &str, name: &str) -> Option<(u32, u32)> {
    for line in table.lines() {
        let mut words = line.split_ascii_whitespace();
        if let [Some(major), Some(minor), Some(own)] = [words.next(), words.next(), words.next()]
            && own == name
        {
            let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
            // Some kernels have zeros for what is hidden.
            return (major != 0).then_some((major, minor));
        }
    }
    None
}

pub(crate) fn path_folders(roots: &Roots, kernel_name: &str) -> Vec<PathBuf> {
    let drive = roots.drive_folder(kernel_name);
    let Some(drive) = drive.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let mut paths = Vec::new();
    for controller in nvme_controllers(roots, kernel_name) {
        let names = roots.names(&controller.folder);
        let own = names.iter().filter(|name| head_of(name).as_deref() == Some(drive));
        paths.extend(own.map(|name| controller.folder.join(name)));
    }
    paths
}

/// The head that a path leads to, by their names: `nvme0n1` of `nvme0c1n1`; `None` of what is no path.
fn head_of(path: &str) -> Option<String> {
    let (subsystem, rest) = path.strip_prefix("nvme")?.split_once('c')?;
    let (controller, namespace) = rest.split_once('n')?;
    let are_numbers = [subsystem, controller, namespace].iter().all(|part| part.parse::<u32>().is_ok());
    are_numbers.then(|| format!("nvme{subsystem}n{namespace}"))
}

fn number_of(name: &str) -> Option<u32> {
    name.strip_prefix("nvme")?.parse().ok()
}

/// Machines made of files, for tests.
#[cfg(test)]
pub(crate) mod fixture {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// Writes a file of a machine, with its folders.
    pub fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The folder of a controller below its PCI device.
    pub fn controller(number: u32) -> String {
        format!("sys/devices/pci0000:00/0000:0{number}:00.0/nvme/nvme{number}")
    }

    /// A drive `nvme0n1` that several controllers serve, with native multipath.
    pub fn head(root: &Path, controllers: u32) {
        let subsystem = root.join("sys/devices/virtual/nvme-subsystem/nvme-subsys0");
        write(&subsystem, "nvme0n1/size", "2048\n");
        for number in 0..controllers {
            let folder = controller(number);
            write(root, &format!("{folder}/state"), "live\n");
            write(root, &format!("{folder}/nvme0c{number}n1/size"), "2048\n");
            symlink(root.join(folder), subsystem.join(format!("nvme{number}"))).expect("a link");
        }
        symlink(&subsystem, subsystem.join("nvme0n1/device")).expect("a link");
        for place in ["sys/class/block", "sys/dev/block"] {
            fs::create_dir_all(root.join(place)).expect("a folder");
        }
        symlink(subsystem.join("nvme0n1"), root.join("sys/class/block/nvme0n1")).expect("a link");
        symlink(subsystem.join("nvme0n1"), root.join("sys/dev/block/259:3")).expect("a link");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_head_has_the_controllers_of_its_subsystem_and_a_path_through_each() {
        let root = tempfile::tempdir().expect("a folder");
        fixture::head(root.path(), 2);
        let roots = Roots::at(root.path());
        // A controller that does not serve this namespace, and one whose number has more digits.
        let subsystem = root.path().join("sys/devices/virtual/nvme-subsystem/nvme-subsys0");
        fixture::write(root.path(), "sys/devices/pci0000:00/0000:0a:00.0/nvme/nvme10/state", "dead\n");
        let other = root.path().join("sys/devices/pci0000:00/0000:0a:00.0/nvme/nvme10");
        fs::create_dir(other.join("nvme0c10n12")).expect("another namespace");
        std::os::unix::fs::symlink(other, subsystem.join("nvme10")).expect("a link");
        let found = nvme_controllers(&roots, "nvme0n1");
        let found: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.state.as_deref())).collect();
        assert_eq!(found, [("nvme0", Some("live")), ("nvme1", Some("live")), ("nvme10", Some("dead"))]);
        let table =
            " 259       2 nvme0c0n1 3 0 24 3\n 259       3 nvme0n1 3 0 24 4\n   0       0 nvme0c1n1 0 0\n";
        fixture::write(root.path(), "proc/diskstats", table);
        let path = |name: &str, number| NvmePath { name: name.to_owned(), number };
        let expected = [path("nvme0c0n1", Some((259, 2))), path("nvme0c1n1", None)];
        assert_eq!(nvme_paths(&roots, "nvme0n1"), expected);
        assert_eq!(nvme_paths(&roots, "sda"), []);
    }

    #[test]
    fn a_path_is_known_by_its_name() {
        assert_eq!(head_of("nvme0c1n1").as_deref(), Some("nvme0n1"));
        assert_eq!(head_of("nvme12c3n45").as_deref(), Some("nvme12n45"));
        for name in ["nvme0n1", "nvme0n1p1", "nvme0c1", "nvmec1n1", "sdc1n1", "nvme0c1n1p1"] {
            assert_eq!(head_of(name), None, "{name}");
        }
    }
}
