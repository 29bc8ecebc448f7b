//! Where the system shows itself, below /sys, /proc, /run and /dev, and what its small files hold.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

/// The longest text taken from one file of /sys or /proc: the mount table of a busy container host is the
/// longest that is read, and it stays far below this.
const LONGEST_TEXT: u64 = 16 << 20;

/// Major and minor number of a block device: the one name that two paths to the same drive share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl DeviceNumber {
    /// The number as `stat` gives it.
    pub fn from_raw(raw: u64) -> DeviceNumber {
        DeviceNumber { major: rustix::fs::major(raw), minor: rustix::fs::minor(raw) }
    }

    /// Reads `8:1`; `None` for anything else.
    pub fn parse(text: &str) -> Option<DeviceNumber> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// The folder under which the running system shows its devices, mounts and processes: `/`, or a test's own.
///
/// A value of its own, so that a test can show a machine with any drives from a folder it has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    root: PathBuf,
}

impl System {
    /// The machine this program runs on.
    pub fn live() -> System {
        System::rooted_at(Path::new("/"))
    }

    /// Whether the kernel shows its devices: containers may do without sysfs.
    pub fn has_sysfs(&self) -> bool {
        self.sys("class/block").is_dir()
    }

    /// A machine whose /sys, /proc, /run and /dev lie in the folder `root`.
    pub fn rooted_at(root: &Path) -> System {
        System { root: root.to_path_buf() }
    }

    /// Whether this is the machine this program runs on, and not one made of files.
    pub(crate) fn is_live(&self) -> bool {
        *self == System::live()
    }

    pub(crate) fn sys(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join("sys").join(path)
    }

    pub(crate) fn proc(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join("proc").join(path)
    }

    pub(crate) fn run(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join("run").join(path)
    }

    pub(crate) fn dev(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join("dev").join(path)
    }

    /// The folder of sysfs that describes a block device; a partition's lies within its drive's.
    pub(crate) fn block_folder(&self, number: DeviceNumber) -> Option<PathBuf> {
        fs::canonicalize(self.sys(format!("dev/block/{number}"))).ok()
    }

    /// The number of the block device with this kernel name (`sda1`, `nvme0n1`).
    pub(crate) fn number_of_name(&self, kernel_name: &str) -> Option<DeviceNumber> {
        // sysfs writes the slash of a name such as `cciss/c0d0` as an exclamation mark.
        let file = kernel_name.replace('/', "!");
        DeviceNumber::parse(&text(&self.sys(format!("class/block/{file}/dev")))?)
    }

    /// The number of the block device that a path such as `/dev/mapper/vg-root` names, whatever the name, and wherever it lies.
    pub(crate) fn number_of_node(&self, path: &Path) -> Option<DeviceNumber> {
        let number_of = |node: &Path| {
            let found = fs::metadata(node).ok().filter(|found| found.file_type().is_block_device())?;
            Some(DeviceNumber::from_raw(found.rdev()))
        };
        let Ok(below_dev) = path.strip_prefix("/dev") else {
            return number_of(path).filter(|_| self.is_live());
        };
        let node = self.dev(below_dev);
        if let Some(number) = number_of(&node) {
            return Some(number);
        }
        // A container may lack the node, and a fixture cannot make one: the kernel's name still tells.
        let target = match fs::read_link(&node) {
            Ok(target) => target,
            Err(_) => below_dev.to_path_buf(),
        };
        let named: PathBuf = target
            .components()
            .filter(|part| matches!(part, Component::Normal(name) if *name != "dev"))
            .collect();
        self.number_of_name(named.to_str()?)
    }

    /// The links in a folder of /dev that lead to the device with this kernel name, sorted.
    pub(crate) fn links_to(&self, kernel_name: &str, folder: &str) -> Vec<String> {
        let folder = self.dev(folder);
        let mut links = names_in(&folder);
        links.retain(|name| {
            let target = fs::read_link(folder.join(name));
            target.is_ok_and(|target| target.file_name().is_some_and(|file| file == kernel_name))
        });
        links
    }

    /// The kernel names of every block device, drives and partitions, sorted.
    pub(crate) fn block_names(&self) -> Vec<String> {
        names_in(&self.sys("class/block"))
    }

    /// Whether the device with this kernel name is a path of a drive that the kernel joins with others and shows under another
    /// name.
    pub(crate) fn is_hidden(&self, kernel_name: &str) -> bool {
        let file = kernel_name.replace('/', "!");
        number(&self.sys(format!("class/block/{file}/hidden"))) == Some(1)
    }

    /// The ids of all processes that /proc shows, sorted.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mut ids: Vec<u32> =
            names_in(&self.proc("")).iter().filter_map(|name| name.parse().ok()).collect();
        ids.sort_unstable();
        ids
    }
}

/// The trimmed text of a small file; `None` where it cannot be read.
pub(crate) fn text(path: &Path) -> Option<String> {
    let bytes = raw_text(path)?;
    Some(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// The trimmed text of a small file, where there is any.
pub(crate) fn nonempty_text(path: &Path) -> Option<String> {
    text(path).filter(|text| !text.is_empty())
}

pub(crate) fn number(path: &Path) -> Option<u64> {
    text(path)?.parse().ok()
}

/// The bytes of a file, up to a limit that no such file reaches.
pub(crate) fn raw_text(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(LONGEST_TEXT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The names in a folder, sorted; none where it cannot be read.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The path that `text` stands for, in which the kernel has written odd characters as in its tables: `\040` for a space.
pub fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if let Some(byte) = escaped(rest) {
            bytes.push(byte);
            rest = &rest[4..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn escaped(text: &[u8]) -> Option<u8> {
    let &[b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', ..] = text else { return None };
    Some((high - b'0') * 64 + (middle - b'0') * 8 + (low - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_the_characters_they_stand_for() {
        assert_eq!(unescape("/mnt/my\\040disk"), PathBuf::from("/mnt/my disk"));
        assert_eq!(unescape("/caf\\303\\251"), PathBuf::from("/café"));
        assert_eq!(unescape("/a\\134b\\"), PathBuf::from("/a\\b\\"));
        assert_eq!(unescape("\\400\\04"), PathBuf::from("\\400\\04"));
    }
}
