//! Folders of results: found below others, and what is said of those that are of none.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_boot::is_boot_folder;
use drivelab_record::{RunFolder, is_run_folder};
use drivelab_runner::Failure;
use drivelab_trace::is_trace_folder;

/// Folders of results, in the order of their paths, each once.
#[derive(Debug, Default)]
pub struct FoundFolders {
    /// Those of runs.
    pub runs: Vec<PathBuf>,
    /// Those of boots.
    pub boots: Vec<PathBuf>,
    /// Those of traces that are none of a boot.
    pub traces: Vec<PathBuf>,
    /// Why others are not among these, a sentence each.
    pub left_out: Vec<String>,
}

impl FoundFolders {
    /// Everything in and below these folders. Links to folders are not followed: they may lead in a circle.
    ///
    /// # Errors
    /// One of the folders is not there, or is none.
    pub fn below(folders: &[PathBuf]) -> Result<FoundFolders, Failure> {
        let mut found = FoundFolders::default();
        for folder in folders {
            if !folder.is_dir() {
                let text = format!(
                    "{}: there is no such folder: name one below which -o or --output made folders of results",
                    folder.display()
                );
                return Err(Failure::Usage(text));
            }
            found.look_into(folder);
        }
        for all in [&mut found.runs, &mut found.boots, &mut found.traces] {
            let mut known = std::collections::HashSet::new();
            all.retain(|folder| known.insert(fs::canonicalize(folder).unwrap_or_else(|_| folder.clone())));
        }
        Ok(found)
    }

    /// Whether there is nothing, not even a folder that only looks like that of a result.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.boots.is_empty() && self.traces.is_empty() && self.left_out.is_empty()
    }

    /// That no result is in these folders.
    pub fn nothing_in(folders: &[PathBuf]) -> String {
        let named: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        format!(
            "{}: there is no result in it: name a folder below which -o or --output made folders of results",
            named.join(", ")
        )
    }

    fn look_into(&mut self, folder: &Path) {
        if is_run_folder(folder) {
            self.runs.push(folder.to_owned());
        } else if is_boot_folder(folder) {
            self.boots.push(folder.to_owned());
        } else if is_trace_folder(folder) {
            self.traces.push(folder.to_owned());
        } else if let Some(why) = no_run(folder) {
            self.left_out.push(why.to_string());
        } else {
            self.look_below(folder);
        }
    }

    fn look_below(&mut self, folder: &Path) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.left_out.push(format!("{}: {error}", folder.display())),
        };
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let mut below: Vec<PathBuf> = entries.flatten().filter(is_folder).map(|entry| entry.path()).collect();
        below.sort();
        below.iter().for_each(|folder| self.look_into(folder));
    }
}

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
