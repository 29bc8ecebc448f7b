//! The sizes of files and functions, and what may not be left in them.

use std::path::Path;
use std::process::Command;

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const LINE_WIDTH_MAX: usize = 130;

/// The files of the repository with one of these endings, as git knows them.
fn files(endings: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(&root)
        .output()
        .expect("git runs");
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    listed
        .lines()
        .filter(|name| endings.iter().any(|ending| name.ends_with(ending)))
        .filter_map(|name| Some((name.to_owned(), std::fs::read_to_string(root.join(name)).ok()?)))
        .collect()
}

#[test]
fn files_are_short() {
    let long: Vec<String> = files(&[".rs", ".ts", ".css"])
        .iter()
        .filter(|(_, text)| text.lines().count() > FILE_LINES_MAX)
        .map(|(name, text)| format!("{name}: {} lines", text.lines().count()))
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn functions_fit_on_a_screen() {
    let mut long = Vec::new();
    for (name, text) in files(&[".rs"]) {
        let mut start: Option<(usize, usize)> = None;
        for (number, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let head = line.trim_start();
            let is_head =
                ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn ", "const fn ", "pub const fn "]
                    .iter()
                    .any(|word| head.starts_with(word));
            if is_head && !line.trim_end().ends_with(';') {
                start = Some((number, indent));
            }
            if let Some((first, depth)) = start
                && line.trim_end() == format!("{}}}", " ".repeat(depth))
            {
                if number - first + 1 > FUNCTION_LINES_MAX {
                    long.push(format!("{name}:{}: {} lines", first + 1, number - first + 1));
                }
                start = None;
            }
        }
    }
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn lines_are_not_too_wide() {
    let mut wide = Vec::new();
    for (name, text) in files(&[".rs", ".ts", ".md", ".toml"]) {
        for (number, line) in text.lines().enumerate() {
            // A table or a link of Markdown cannot be broken.
            let is_prose = Path::new(&name).extension().is_some_and(|ending| ending == "md");
            let unbreakable = is_prose && (line.starts_with('|') || line.contains("]("));
            if line.chars().count() > LINE_WIDTH_MAX && !unbreakable {
                wide.push(format!("{name}:{}", number + 1));
            }
        }
    }
    assert_eq!(wide, Vec::<String>::new());
}

#[test]
fn nothing_is_left_for_later() {
    // Put together here, so that this file does not find itself.
    let words = [
        ["FIX", "ME"],
        ["XX", "X:"],
        ["todo", "!("],
        ["unimplemented", "!("],
        ["#[ign", "ore]"],
        ["dbg", "!("],
    ];
    let words: Vec<String> = words.iter().map(|halves| halves.concat()).collect();
    let mut left = Vec::new();
    for (name, text) in files(&[".rs", ".ts", ".md", ".toml", ".sh"]) {
        for (number, line) in text.lines().enumerate() {
            left.extend(
                words
                    .iter()
                    .filter(|word| line.contains(*word))
                    .map(|word| format!("{name}:{}: {word}", number + 1)),
            );
        }
    }
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn the_changelog_and_the_crates_agree_on_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let changelog = files(&["CHANGELOG.md"]);
    assert!(changelog.iter().any(|(_, text)| text.contains(version)), "CHANGELOG.md speaks of {version}");
}
