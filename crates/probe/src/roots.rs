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

    /// The names in a folder, sorted; none where it cannot be read.
    pub(crate) fn names(&self, folder: impl AsRef<Path>) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}
