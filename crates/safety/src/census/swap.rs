//! What the kernel swaps to.

use std::fs;
use std::path::PathBuf;

use super::overlays::FileNames;
use crate::octal::unescape;
use crate::system::{System, text};
use crate::{DeviceNumber, FileIdentity};

/// One swap area in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swap {
    pub path: PathBuf,
    /// The block device that is swapped to; `None` for a file.
    pub device: Option<DeviceNumber>,
    file: Option<FileIdentity>,
}

impl Swap {
    /// Whether this is the file that is swapped to.
    pub(crate) fn is_file(&self, names: &FileNames) -> bool {
        self.file.as_ref().is_some_and(|own| names.has(own.number()))
    }
}

/// Every swap area in use.
pub(crate) fn all(system: &System) -> Vec<Swap> {
    let table = text(&system.proc("swaps")).unwrap_or_default();
    table.lines().skip(1).filter_map(|line| swap(system, line)).collect()
}

fn swap(system: &System, line: &str) -> Option<Swap> {
    let path = unescape(line.split_whitespace().next()?);
    let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file);
    let file = found.map(|found| FileIdentity::from_metadata(system, &path, &found));
    Some(Swap { device: system.number_of_node(&path), file, path })
}
