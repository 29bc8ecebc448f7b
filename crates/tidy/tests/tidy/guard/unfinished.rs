//! Nothing is left for later, and no output of a search for a fault.

use crate::guard::rust::{Form, Workspace};
use crate::guard::sources::{Source, repository};

/// Macros that stand for code which is not there, or that help to find a fault.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

/// Words in any text that mark something as not done.
fn words() -> [String; 2] {
    // Put together here, so that this file does not find itself.
    [["FIX", "ME"].concat(), ["XX", "X:"].concat()]
}

/// Marks in the texts, comments included.
pub fn marks(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources {
        for (index, line) in source.text.lines().enumerate() {
            for word in words().iter().filter(|word| line.contains(*word)) {
                faults.push(format!("{}:{}: {word}", source.path, index + 1));
            }
        }
    }
    faults
}

/// Code that is not there, debug output and ignored tests, in every Rust file: tests included.
pub fn stand_ins(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, file) in &workspace.files {
        for facts in file.everything.values() {
            faults.extend(facts.ignored_tests.iter().map(|line| format!("{path}:{line}: an ignored test")));
            for (mention, line) in &facts.mentions {
                let name = mention.path.last().filter(|_| mention.form == Form::Macro);
                if let Some(name) = name.filter(|name| MACROS.contains(&name.as_str())) {
                    faults.push(format!("{path}:{line}: {name}!"));
                }
            }
            // One that is imported is meant to be called, under whatever name.
            for import in facts.imports.iter().filter(|import| is_of_std(&import.path)) {
                if let Some(name) = import.path.last().filter(|name| MACROS.contains(&name.as_str())) {
                    faults.push(format!("{path}:{}: {name}!", import.line));
                }
            }
        }
    }
    faults
}

fn is_of_std(path: &[String]) -> bool {
    path.iter().find(|part| !part.is_empty()).is_some_and(|first| ["std", "core"].contains(&first.as_str()))
}

#[test]
fn nothing_is_left_for_later() {
    assert_eq!(marks(repository()), Vec::<String>::new());
    assert_eq!(stand_ins(crate::guard::workspace()), Vec::<String>::new());
}

#[test]
fn the_changelog_and_the_crates_agree_on_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let changelog = repository().iter().find(|source| source.path == "CHANGELOG.md").expect("CHANGELOG.md");
    assert!(changelog.text.contains(version), "CHANGELOG.md speaks of {version}");
}
