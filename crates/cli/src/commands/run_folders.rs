//! The folders of runs below another one.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_record::is_run_folder;

/// The folders of runs in a folder, in the order of their names.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<PathBuf> = entries.filter(|entry| is_run_folder(entry)).collect();
    runs.sort();
    runs
}
