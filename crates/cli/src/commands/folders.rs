//! Folders of results and their pages: found below others, named once, and what is said of those that are of none.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use drivelab_boot::is_boot_folder;
use drivelab_files::open_regular;
use drivelab_record::{RunFolder, is_run_folder};
use drivelab_runner::{Failure, say, usage};
use drivelab_trace::is_trace_folder;
use drivelab_view::format::shell_word;
use drivelab_view::views_mark;

/// Folders of results, in the order of their paths, each once.
#[derive(Debug, Default)]
pub struct FoundFolders {
    pub runs: Vec<PathBuf>,
    pub boots: Vec<PathBuf>,
    /// Those of traces that are none of a boot.
    pub traces: Vec<PathBuf>,
    /// Why others are not among these, a sentence each.
    pub left_out: Vec<String>,
}

impl FoundFolders {
    /// Everything in and below these folders. Links to folders are not followed: they may lead in a circle.
    pub fn below(folders: &[PathBuf]) -> Result<FoundFolders, Failure> {
        let mut found = FoundFolders::default();
        for folder in folders {
            if !folder.is_dir() {
                return Err(usage!(
                    "{}: there is no such folder: name one below which -o or --output made folders of results",
                    folder.display()
                ));
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
        Ok((_, run)) => usage!(
            "{}: this version knows no test that is called {}: open it with the version that made it ({})",
            folder.display(),
            run.method,
            run.version
        ),
    }
}

/// The first value that was named before.
pub fn named_twice<T: PartialEq>(values: &[T]) -> Option<usize> {
    (1..values.len()).find(|place| values[..*place].contains(&values[*place]))
}

/// The first of these paths that leads to where an earlier one does.
pub fn path_named_twice(paths: &[impl AsRef<Path>]) -> Option<&Path> {
    let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let places: Vec<PathBuf> = paths.iter().map(|path| place(path.as_ref())).collect();
    named_twice(&places).map(|twice| paths[twice].as_ref())
}

/// Refuses a value that is named twice: its figures would have one name.
pub fn check_once<T: PartialEq>(option: &str, values: &[T]) -> Result<(), Failure> {
    named_twice(values).map_or(Ok(()), |_| Err(usage!("{option} names a value twice: name each once")))
}

/// Within how many bytes of a page its mark stands.
const HEAD: u64 = 4096;

/// Whether a file is a page with this view alone, such as `index`.
pub fn is_page_of(page: &Path, view: &str) -> bool {
    let mut head = Vec::new();
    let read = open_regular(page).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(&views_mark(&[view]))
}

/// Says that a page has the name from before: to make it again, all records are read.
pub fn say_outdated(page: &Path, folder: &Path) {
    say!(
        "{} still has the name from before: `drivelab report {}` makes it again, which reads all records",
        page.display(),
        shell_word(&folder.to_string_lossy())
    );
}
