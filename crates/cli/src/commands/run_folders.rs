//! The folders of runs below another one.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_record::{RunFolder, is_run_folder};
use drivelab_runner::Failure;
use drivelab_trace::is_trace_folder;

/// The folders of runs in a folder, in the order of their names.
pub fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<PathBuf> = entries.filter(|entry| is_run_folder(entry)).collect();
    runs.sort();
    runs
}

/// What a folder without a manifest holds that only looks like a run: a trace has segments, too.
pub fn no_run(folder: &Path) -> Option<Failure> {
    let shown = folder.display();
    let text = if is_trace_folder(folder) {
        format!("{shown} is a trace and no run: drivelab trace show {shown} shows it")
    } else if folder.join("segments").is_dir() {
        format!(
            "{shown} holds the records of a run and no run.json, without which they mean nothing: put back a whole copy"
        )
    } else {
        return None;
    };
    Some(Failure::Usage(text))
}

/// Why a folder of a run is of no kind.
pub fn not_known(folder: &Path) -> Failure {
    match RunFolder::open(folder) {
        Err(damaged) => damaged.into(),
        Ok((_, run)) => Failure::Usage(format!(
            "{}: this version knows no test that is called {}: open it with the version that made it ({})",
            folder.display(),
            run.method,
            run.version
        )),
    }
}
