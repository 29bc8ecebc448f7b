//! One name has one meaning, and says what it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::guard::rust::{Module, Workspace};

/// So many type names may have several meanings.
const SHARED_NAMES_MAX: usize = 40;
/// Crates that are no part of the product.
const OUTSIDE: &[&str] = &["benches", "guest", "testbed", "tidy"];

/// Type names with several meanings, each with the files that have one.
pub fn shared_types(workspace: &Workspace) -> Vec<String> {
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in product(workspace) {
        for name in &module.facts.types {
            files.entry(name).or_default().insert(&module.file);
        }
    }
    let shared = files.into_iter().filter(|(_, files)| files.len() > 1);
    shared.map(|(name, files)| format!("{name}: {}", Vec::from_iter(files).join(", "))).collect()
}

/// Functions whose name is no verb and says nothing: `of`.
pub fn functions_called_of(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for module in product(workspace) {
        for function in module.facts.functions.iter().filter(|function| function.name == "of") {
            faults.push(format!("{}:{}: a function is called of", module.file, function.line));
        }
    }
    faults
}

fn product(workspace: &Workspace) -> impl Iterator<Item = &Module> {
    let crates = workspace.crates.values().filter(|krate| !OUTSIDE.contains(&krate.folder.as_str()));
    let modules = crates.flat_map(|krate| krate.modules.values());
    // Examples are no part of it.
    modules.filter(|module| module.file.contains("/src/"))
}

#[test]
fn few_type_names_have_several_meanings() {
    let shared = shared_types(crate::guard::workspace());
    assert!(shared.len() <= SHARED_NAMES_MAX, "{} names:\n{}", shared.len(), shared.join("\n"));
}

#[test]
fn no_function_is_called_of() {
    assert_eq!(functions_called_of(crate::guard::workspace()), Vec::<String>::new());
}
