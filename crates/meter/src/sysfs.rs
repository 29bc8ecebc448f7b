//! Small files of the kernel that hold one figure.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::MeterError;

/// The longest text of a figure.
const LONGEST: u64 = 4096;

/// The names in a folder, sorted; none where it cannot be read.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The trimmed text of a file.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

pub(crate) fn figure(path: &Path) -> Result<i64, MeterError> {
    let text = text(path).map_err(|error| MeterError::Gone(format!("{}: {error}", path.display())))?;
    text.parse().map_err(|_| MeterError::NotANumber(text))
}

/// The first of these files that is there.
pub(crate) fn first(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| path.exists())
}
