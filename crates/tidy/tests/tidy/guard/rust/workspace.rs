//! The crates of the workspace with their modules, as `mod` declarations lead from one file to the next.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, Name};
use super::parsed::RustFile;
use super::resolved::Reference;
use crate::guard::sources::Source;

/// A module of a crate, without what is compiled for tests alone.
pub struct Module {
    /// Its file, from the root of the repository.
    pub file: String,
    /// The module that the file is: another one where this is written inside of it.
    pub of_file: Name,
    /// What it names and holds.
    pub facts: Facts,
    /// What it names, as far as it is known what that is.
    pub references: Vec<Reference>,
}

/// A crate: a library or a program.
#[derive(Default)]
pub struct Krate {
    /// Its folder below `crates/`.
    pub folder: String,
    /// Its modules by their names; the empty name is its root.
    pub modules: BTreeMap<Name, Module>,
}

/// Every crate below `crates/`, and every Rust file of the repository.
pub struct Workspace {
    /// The crates by the names of their folders, and further programs of a folder by the paths of their first files.
    pub crates: BTreeMap<String, Krate>,
    /// The files by their paths, tests and programs of other workspaces included.
    pub files: BTreeMap<String, RustFile>,
    /// What could not be read, each as a fault.
    pub unread: Vec<String>,
}

impl Workspace {
    /// Reads sources. What they name of each other is resolved.
    pub fn read(sources: &[Source]) -> Workspace {
        let mut files = BTreeMap::new();
        let mut unread = Vec::new();
        for source in sources.iter().filter(|source| source.ends_with(&["rs"])) {
            match RustFile::parse(&source.text) {
                Ok(file) => drop(files.insert(source.path.clone(), file)),
                Err(why) => unread.push(format!("{}: {why}", source.path)),
            }
        }
        let mut workspace = Workspace { crates: BTreeMap::new(), files, unread };
        workspace.follow_declarations();
        workspace.resolve();
        workspace
    }

    fn follow_declarations(&mut self) {
        let mut reached = BTreeSet::new();
        for (path, file) in roots_first(&self.files) {
            let Some((folder, rest)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
            else {
                continue;
            };
            let is_program = rest == "main.rs" || rest.ends_with("/main.rs") || rest.starts_with("bin/");
            if rest == "lib.rs" || is_program {
                let is_first = !self.crates.contains_key(folder);
                let name = if is_first { folder.to_owned() } else { format!("{folder}/{rest}") };
                let mut krate = Krate { folder: folder.to_owned(), modules: BTreeMap::new() };
                let mut way = Way {
                    files: &self.files,
                    krate: &mut krate,
                    reached: &mut reached,
                    unread: &mut self.unread,
                };
                way.follow(path, file, &Vec::new(), false);
                self.crates.insert(name, krate);
            }
        }
        let lost = self.files.keys().filter(|path| is_of_a_crate(path) && !reached.contains(*path));
        self.unread.extend(lost.map(|path| format!("{path}: no module declares it")));
    }
}

/// Files in an order in which the library or the one program of a folder comes before its further programs.
fn roots_first(files: &BTreeMap<String, RustFile>) -> Vec<(&String, &RustFile)> {
    let mut ordered: Vec<(&String, &RustFile)> = files.iter().collect();
    ordered.sort_by_key(|(path, _)| !path.ends_with("/src/lib.rs") && !path.ends_with("/src/main.rs"));
    ordered
}

/// Whether a file belongs to a crate's own sources.
fn is_of_a_crate(path: &str) -> bool {
    path.strip_prefix("crates/").is_some_and(|path| path.split('/').nth(1) == Some("src"))
}

/// The way through the files of a crate.
struct Way<'a> {
    files: &'a BTreeMap<String, RustFile>,
    krate: &'a mut Krate,
    reached: &'a mut BTreeSet<String>,
    unread: &'a mut Vec<String>,
}

impl Way<'_> {
    fn follow(&mut self, path: &str, file: &RustFile, name: &Name, is_for_tests: bool) {
        self.reached.insert(path.to_owned());
        if !is_for_tests {
            for (within, facts) in &file.product {
                let module = Module {
                    file: path.to_owned(),
                    of_file: name.clone(),
                    facts: facts.clone(),
                    references: Vec::new(),
                };
                self.krate.modules.insert([&name[..], within].concat(), module);
            }
        }
        for declared in &file.declared {
            let is_for_tests = is_for_tests || declared.is_for_tests;
            let places = places_of(path, &declared.within, &declared.name, declared.path.as_deref());
            let Some((next, file)) = places.iter().find_map(|place| self.files.get_key_value(place)) else {
                self.unread.push(format!("{path}: the file of mod {} is not there", declared.name));
                continue;
            };
            let name = [&name[..], &declared.within, std::slice::from_ref(&declared.name)].concat();
            self.follow(next, file, &name, is_for_tests);
        }
    }
}

/// Where the file of a module may lie that a file declares.
fn places_of(path: &str, within: &[String], name: &str, named: Option<&str>) -> Vec<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    if let Some(named) = named {
        let mut parts: Vec<&str> = folder.split('/').collect();
        for part in named.split('/') {
            match part {
                ".." => drop(parts.pop()),
                _ => parts.push(part),
            }
        }
        return vec![parts.join("/")];
    }
    let own = match file {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
    };
    let folder = [&[own], within].concat().join("/");
    vec![format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")]
}
