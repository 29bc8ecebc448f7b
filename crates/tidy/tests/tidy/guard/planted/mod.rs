//! Each rule finds the fault that is planted for it, wherever it stands, and finds none where there is none.

mod crates;
mod scripts;
mod texts;

use crate::guard::rust::Workspace;
use crate::guard::sources::planted;

/// A rule about the product.
type Rule = fn(&Workspace) -> Vec<String>;

/// What stands before each planted fault: the guard once read no further than this.
const UNIT_TESTS: &str = "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n";

fn faults_of(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
    let workspace = Workspace::read(&planted(files));
    assert_eq!(workspace.unread, Vec::<String>::new());
    rule(&workspace)
}

/// The rule finds every one of these sources of a crate behind its unit tests, and none inside of them.
fn assert_finds(rule: Rule, krate: &str, sources: &[&str]) {
    let path = format!("crates/{krate}/src/lib.rs");
    for source in sources {
        let product = format!("{UNIT_TESTS}{source}");
        assert!(!faults_of(rule, &[(&path, &product)]).is_empty(), "not found: {source}");
        let tests = format!("#[cfg(test)]\nmod tests {{\n{source}\n}}\n");
        assert_eq!(faults_of(rule, &[(&path, &tests)]), Vec::<String>::new(), "in tests: {source}");
    }
}

/// The rule finds nothing in any of these sources of a crate.
fn assert_passes(rule: Rule, krate: &str, sources: &[&str]) {
    let path = format!("crates/{krate}/src/lib.rs");
    for source in sources {
        assert_eq!(faults_of(rule, &[(&path, source)]), Vec::<String>::new(), "{source}");
    }
}
