//! Imports run one way inside a crate and inside the page's program, too: no modules import each other in a circle.

use crate::guard::graph::{self, Arrows};
use crate::guard::rust::{Krate, Workspace};
use crate::guard::sources::Source;
use crate::guard::typescript;

/// The circles among the modules of each crate.
pub fn of_rust(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for folder in workspace.crates.keys() {
        let circles = graph::circles(&arrows(workspace, folder));
        faults.extend(circles.iter().map(|circle| circle.fault(folder)));
    }
    faults
}

/// Which modules of a crate name which others; a module is a file with all that is written in it. The root is left out:
/// everything lies in its folder.
pub fn arrows(workspace: &Workspace, folder: &str) -> Arrows {
    let krate = &workspace.crates[folder];
    let mut arrows = Arrows::new();
    for module in krate.modules.values().filter(|module| !module.of_file.is_empty()) {
        let known = arrows.entry(module.of_file.clone()).or_default();
        for target in module.references.iter().flat_map(|reference| &reference.targets) {
            if workspace.krate_of(target).is_some_and(|(other, _)| other == folder) {
                known.extend(home(krate, &target[1..]));
            }
        }
    }
    arrows
}

/// The file, as a module, that has an item of a crate; none of what the root has.
fn home(krate: &Krate, item: &[String]) -> Option<Vec<String>> {
    let module = (1..=item.len()).rev().find_map(|depth| krate.modules.get(&item[..depth]))?;
    Some(module.of_file.clone())
}

/// The circles among modules of TypeScript and JavaScript, by the folder that a package is in.
pub fn of_typescript(sources: &[Source]) -> Vec<String> {
    let imports = typescript::arrows(sources);
    graph::circles(&imports.arrows).iter().map(|circle| circle.fault("TypeScript")).collect()
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let faults = of_rust(crate::guard::workspace());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_scripts_import_each_other_in_a_circle() {
    let faults = of_typescript(crate::guard::sources::repository());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
