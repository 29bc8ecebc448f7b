//! Which crate may use which others, all downward.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::guard::rust::{Krate, Workspace};
use crate::guard::sources::{repository, root};

/// What a crate may use of the others.
pub struct Arrow {
    /// The crate, by the name of its folder.
    pub krate: &'static str,
    /// The crates that it may use.
    pub uses: &'static [&'static str],
}

/// What each crate may use of the others. ARCHITECTURE.md has the same list in its table of crates.
pub const ARROWS: &[Arrow] = &[
    Arrow { krate: "block", uses: &[] },
    Arrow { krate: "boot", uses: &["block", "files"] },
    Arrow { krate: "decode", uses: &[] },
    Arrow { krate: "files", uses: &[] },
    Arrow { krate: "fio", uses: &[] },
    Arrow { krate: "meter", uses: &[] },
    Arrow { krate: "purge", uses: &["decode"] },
    Arrow { krate: "program", uses: &[] },
    Arrow { krate: "workload", uses: &["block"] },
    Arrow { krate: "stats", uses: &["block"] },
    Arrow { krate: "sim", uses: &["block", "files"] },
    Arrow { krate: "safety", uses: &["block", "program"] },
    Arrow { krate: "probe", uses: &["block", "decode", "program"] },
    Arrow { krate: "uring", uses: &["block", "purge", "safety"] },
    Arrow { krate: "system-calls", uses: &["block", "stats", "workload", "program", "safety"] },
    Arrow { krate: "stream", uses: &["block", "safety", "uring"] },
    Arrow { krate: "documents", uses: &["block", "stats", "files"] },
    Arrow { krate: "record", uses: &["block", "stats", "files", "documents"] },
    Arrow { krate: "trace", uses: &["block", "files", "record", "documents"] },
    Arrow { krate: "export", uses: &["stats", "block", "files", "record", "trace", "documents"] },
    Arrow { krate: "view", uses: &["stats", "documents"] },
    Arrow {
        krate: "inspect",
        uses: &["block", "boot", "stats", "decode", "export", "record", "view", "documents"],
    },
    Arrow { krate: "method", uses: &["block", "stats", "record", "workload"] },
    Arrow {
        krate: "kinds",
        uses: &[
            "block",
            "stats",
            "decode",
            "fio",
            "inspect",
            "method",
            "documents",
            "trace",
            "workload",
            "view",
        ],
    },
    Arrow {
        krate: "runner",
        uses: &[
            "block",
            "workload",
            "stats",
            "sim",
            "safety",
            "probe",
            "uring",
            "stream",
            "system-calls",
            "record",
            "trace",
            "method",
            "decode",
            "meter",
            "kinds",
            "view",
            "files",
            "purge",
            "documents",
            "program",
        ],
    },
    Arrow {
        krate: "cli",
        uses: &[
            "block",
            "workload",
            "stats",
            "sim",
            "safety",
            "probe",
            "uring",
            "stream",
            "record",
            "trace",
            "system-calls",
            "method",
            "decode",
            "runner",
            "meter",
            "program",
            "kinds",
            "view",
            "inspect",
            "files",
            "purge",
            "boot",
            "fio",
            "export",
            "documents",
        ],
    },
    Arrow { krate: "tidy", uses: &[] },
    Arrow { krate: "benches", uses: &[] },
    Arrow { krate: "guest", uses: &[] },
    Arrow { krate: "testbed", uses: &[] },
];

/// Crates that are no part of the program: they wait for the kernel and print what they do.
pub const OUTSIDE_THE_PROGRAM: [&str; 3] = ["benches", "guest", "testbed"];

/// Crates of the workspace that one names in its sources and may not use.
pub fn forbidden_names(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for Krate { folder, modules } in workspace.crates.values() {
        for module in modules.values() {
            for reference in &module.references {
                let used = reference.targets.iter().filter_map(|target| workspace.krate_of(target));
                for (used, _) in
                    used.filter(|(used, other)| other.folder != *folder && !may_use(folder, used))
                {
                    let place = format!("{}:{}", module.file, reference.line);
                    faults.push(format!("{place}: crates/{folder} may not use {used}"));
                }
            }
        }
    }
    faults
}

fn may_use(krate: &str, used: &str) -> bool {
    ARROWS.iter().any(|arrow| arrow.krate == krate && arrow.uses.contains(&used))
}

/// Dependencies that `cargo metadata` names and that are not allowed: those of the product, and of the scripts that build it.
pub fn forbidden_dependencies(metadata: &serde_json::Value) -> Vec<String> {
    let mut faults = Vec::new();
    let packages = metadata["packages"].as_array().expect("packages");
    let mut folders = BTreeMap::new();
    for package in packages {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        folders.insert(package["name"].as_str().expect("a name"), folder.into_owned());
    }
    for package in packages {
        let krate = &folders[package["name"].as_str().expect("a name")];
        if !ARROWS.iter().any(|arrow| arrow.krate == krate) {
            faults.push(format!(
                "crates/{krate} is a new crate: write in ARCHITECTURE.md and here what it may use"
            ));
        }
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let used = dependency["name"].as_str().and_then(|name| folders.get(name));
            let is_for_tests = dependency["kind"] == "dev";
            if let Some(used) = used.filter(|used| !is_for_tests && !may_use(krate, used)) {
                faults.push(format!("crates/{krate} may not use {used}"));
            }
        }
    }
    faults
}

fn metadata() -> serde_json::Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--no-deps"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

/// Rows of the table of crates, in the text of ARCHITECTURE.md, that say something else than the list.
pub fn wrong_rows(architecture: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for arrow in ARROWS {
        let begins = format!("| `{}` |", arrow.krate);
        let Some(row) = architecture.lines().find(|line| line.starts_with(&begins)) else {
            faults.push(format!("{} has no row", arrow.krate));
            continue;
        };
        let cell = row.split('|').nth(3).unwrap_or_default().trim();
        // "all but" names those that may not be used.
        let is_wrong = if let Some((_, others)) = cell.split_once(" but ") {
            arrow.uses.iter().any(|used| others.contains(&format!("`{used}`")))
        } else {
            let mut listed: Vec<&str> = cell.split(", ").filter(|one| !one.is_empty()).collect();
            let mut uses = arrow.uses.to_vec();
            listed.sort_unstable();
            uses.sort_unstable();
            listed != uses
        };
        if is_wrong {
            faults.push(format!(
                "{} may use {cell}, says ARCHITECTURE.md, and {:?} here",
                arrow.krate, arrow.uses
            ));
        }
    }
    faults
}

#[test]
fn the_table_of_crates_says_the_same() {
    let architecture = repository().iter().find(|source| source.path == "ARCHITECTURE.md");
    assert_eq!(wrong_rows(&architecture.expect("ARCHITECTURE.md").text), Vec::<String>::new());
}

#[test]
fn arrows_run_downward_only() {
    assert_eq!(forbidden_dependencies(&metadata()), Vec::<String>::new());
    assert_eq!(forbidden_names(crate::guard::workspace()), Vec::<String>::new());
}

/// A circle among crates would be no way down; cargo itself refuses one only among those that are built.
#[test]
fn the_list_of_arrows_has_no_circle() {
    let mut below: Vec<&str> = Vec::new();
    while below.len() < ARROWS.len() {
        let next = ARROWS.iter().find(|arrow| {
            !below.contains(&arrow.krate) && arrow.uses.iter().all(|used| below.contains(used))
        });
        below.push(next.expect("a crate that uses only those below it").krate);
    }
}

#[test]
fn what_is_no_part_of_the_program_is_not_published_and_all_else_is() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    // An empty list of registries is what `publish = false` is.
    let mut unpublished: Vec<&str> = packages
        .iter()
        .filter(|package| package["publish"].as_array().is_some_and(Vec::is_empty))
        .filter_map(|package| package["name"].as_str()?.strip_prefix("drivelab-"))
        .collect();
    let mut expected: Vec<&str> = OUTSIDE_THE_PROGRAM.into_iter().chain(["tidy"]).collect();
    unpublished.sort_unstable();
    expected.sort_unstable();
    assert_eq!(unpublished, expected);
}
