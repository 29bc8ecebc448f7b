//! Where the machine shows itself.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest text taken from one file of /sys or /proc.
const LONGEST_TEXT: u64 = 4 << 20;

/// The folder in which /sys, /proc and /etc lie: `/`, or a test's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    root: PathBuf,
}

impl Roots {
    /// The machine this program runs on.
    pub fn live() -> Roots {
        Roots::at(Path::new("/"))
    }

    /// A machine shown by the folder `root`.
    pub fn at(root: &Path) -> Roots {
        Roots { root: root.to_path_buf() }
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// The trimmed text of a file; `None` where there is none or it is empty.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let mut bytes = Vec::new();
        File::open(self.path(path)).ok()?.take(LONGEST_TEXT).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// The sysfs folder of the drive with this kernel name, or of the drive that a partition is a part of.
    pub(crate) fn drive_folder(&self, kernel_name: &str) -> PathBuf {
        let link = Path::new("sys/class/block").join(kernel_name.replace('/', "!"));
        if self.path(link.join("partition")).exists() {
            // The link leads into the drive's own folder, so the one above is the drive's.
            if let Some(drive) = self.path(&link).canonicalize().ok().as_deref().and_then(Path::parent) {
                return drive.to_path_buf();
            }
        }
        link
    }

    /// The folder of the device that the drive with this kernel name is, with all links resolved.
    pub(crate) fn device_folder(&self, kernel_name: &str) -> Option<PathBuf> {
        self.path(self.drive_folder(kernel_name).join("device")).canonicalize().ok()
    }

    /// The names in a folder, sorted; none where it cannot be read.
    pub(crate) fn names(&self, folder: impl AsRef<Path>) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}
