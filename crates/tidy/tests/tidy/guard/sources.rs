//! The texts that the rules are about.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A file of the repository.
pub struct Source {
    /// Its path from the root of the repository, with slashes.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Source {
    /// Whether its name ends in a dot and one of these endings.
    pub fn ends_with(&self, endings: &[&str]) -> bool {
        let ending = Path::new(&self.path).extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| endings.contains(&ending))
    }
}

/// Sources for a test, each with its path and its text.
pub fn planted(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|(path, text)| Source { path: (*path).to_owned(), text: (*text).to_owned() }).collect()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text files of the repository as git knows them, with those that are new and not ignored.
///
/// # Panics
///
/// If git does not list them, or one of them is not in UTF-8.
pub fn repository() -> &'static [Source] {
    static FILES: OnceLock<Vec<Source>> = OnceLock::new();
    FILES.get_or_init(read)
}

/// Endings of the files that some rule reads.
const READ: &[&str] = &["rs", "ts", "mts", "js", "mjs", "css", "md", "toml", "sh"];

fn read() -> Vec<Source> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("names in UTF-8");
    let mut found = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let mut source = Source { path: path.to_owned(), text: String::new() };
        let file = root().join(path);
        // A file that is removed and not yet committed is still listed.
        if source.ends_with(READ) && file.is_file() {
            source.text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
            found.push(source);
        }
    }
    assert!(found.len() > 100, "git lists {} files", found.len());
    found
}
