//! The folders of the runs that were named.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_record::is_run_folder;
use drivelab_review::is_review_folder;
use drivelab_runner::{Failure, output};

use super::others::page_of;
use crate::commands::review;
use crate::commands::run_folders::{no_run, runs_in};

/// What was found where runs were named.
#[derive(Debug, Default)]
pub struct FoundRuns {
    /// The folders of runs, each once.
    pub runs: Vec<PathBuf>,
    /// Why folders with records of a run are not among them.
    pub without_manifest: Vec<Failure>,
    /// Where the pages of other commands are: nothing of them is missing here.
    pub of_others: Vec<Failure>,
}

/// The folders of all runs that were named, in the order of the names; one that is named twice is shown once.
pub fn find(named: &[PathBuf]) -> Result<FoundRuns, Failure> {
    let mut all = FoundRuns::default();
    for path in named {
        if let Some(failure) = page_without_flag(path).filter(|_| named.len() > 1) {
            return Err(failure);
        }
        let found = run_folders(path)?;
        for run in found.runs {
            if all.runs.iter().any(|earlier| is_same(earlier, &run)) {
                output::say(format_args!("{} is named twice and shown once", run.display()));
            } else {
                all.runs.push(run);
            }
        }
        all.without_manifest.extend(found.without_manifest);
        all.of_others.extend(found.of_others);
    }
    Ok(all)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || fs::canonicalize(one).ok().is_some_and(|one| fs::canonicalize(other).ok() == Some(one))
}

/// The folder itself where it is that of a run, else the folders of runs in it, in the order of their names.
fn run_folders(path: &Path) -> Result<FoundRuns, Failure> {
    if let Some(failure) = page_of(path) {
        return Err(failure);
    }
    if is_review_folder(path) {
        return Ok(FoundRuns { runs: review::all_results(path)?, ..FoundRuns::default() });
    }
    if is_run_folder(path) {
        return Ok(FoundRuns { runs: vec![path.to_owned()], ..FoundRuns::default() });
    }
    if path.is_file() {
        return Err(Failure::Usage(not_a_folder(path)));
    }
    let entries = fs::read_dir(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Failure::Usage(format!(
            "{} is not there: name the folder of a run, one that -o or --output made",
            path.display()
        )),
        _ => Failure::io(&path.display().to_string(), &error),
    })?;
    if let Some(failure) = no_run(path) {
        return Err(failure);
    }
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let mut found = FoundRuns::default();
    for folder in folders {
        if let Some(failure) = page_of(&folder) {
            found.of_others.push(failure);
        } else if is_review_folder(&folder) {
            found.runs.extend(review::all_results(&folder)?);
        } else if is_run_folder(&folder) {
            found.runs.push(folder);
        } else if let Some(failure) = no_run(&folder) {
            found.without_manifest.push(failure);
        } else {
            // A test of several runs keeps each of them in a folder of its own, below one folder.
            found.runs.extend(runs_in(&folder));
        }
    }
    if found.runs.is_empty() && found.without_manifest.is_empty() && found.of_others.is_empty() {
        return Err(Failure::Usage(format!(
            "{} holds no run (a folder with a run.json): name a folder that -o or --output made",
            path.display()
        )));
    }
    Ok(found)
}

/// What to type where the name of a page stands among the folders.
fn page_without_flag(path: &Path) -> Option<Failure> {
    let is_page = path.extension().is_some_and(|ending| ending == "html") && !path.is_dir();
    let shown = path.display();
    let text =
        format!("{shown} is a page and no folder of a result: write --report {shown} to make that page");
    is_page.then_some(Failure::Usage(text))
}

/// What to name instead of a file.
fn not_a_folder(path: &Path) -> String {
    let shown = path.display();
    if path.extension().is_some_and(|kind| kind == "html") {
        return format!(
            "{shown} is a page, which a browser opens: to make it anew, name the folder of its run"
        );
    }
    format!("{shown} is a file: name the folder of a run, one that -o or --output made")
}
