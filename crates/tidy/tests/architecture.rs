//! The invariants of ARCHITECTURE.md that are absences: who may not know whom, and what may not be where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn metadata(more: &[&str]) -> serde_json::Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(more)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

/// Every Rust source of a crate's `src` folder, with its text.
fn sources(krate: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&root().join("crates").join(krate).join("src"), &mut found);
    assert!(!found.is_empty(), "{krate} has sources");
    found
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source in UTF-8");
            found.push((path, text));
        }
    }
}

fn crates() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("crates"))
        .expect("the folder of crates")
        .flatten()
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// What each crate may use of the others, all downward. ARCHITECTURE.md has the same list in its table of crates.
const ARROWS: &[(&str, &[&str])] = &[
    ("block", &[]),
    ("boot", &["files"]),
    ("decode", &[]),
    ("files", &[]),
    ("fio", &[]),
    ("meter", &[]),
    ("purge", &["decode"]),
    ("program", &[]),
    ("store", &[]),
    ("workload", &["block"]),
    ("analysis", &["block"]),
    ("rollup", &["analysis", "block"]),
    ("sim", &["block", "files"]),
    ("safety", &["block", "program"]),
    ("probe", &["block", "program"]),
    ("uring", &["block", "purge", "safety"]),
    ("image", &["block", "program"]),
    ("plain", &["block", "analysis", "workload", "program", "safety"]),
    ("verify", &["block", "workload"]),
    ("stream", &["block", "safety", "uring"]),
    ("record", &["block", "analysis", "files"]),
    ("live", &["analysis"]),
    ("review", &["files", "record"]),
    ("trace", &["block", "files", "record"]),
    ("export", &["analysis", "block", "files", "record", "rollup", "store", "trace"]),
    ("fleet", &["analysis", "block", "export", "files", "record", "rollup", "store"]),
    ("tracer", &["program"]),
    ("sharing", &["program"]),
    ("view", &["record"]),
    ("inspect", &["block", "boot", "analysis", "fleet", "record", "review", "view"]),
    ("method", &["block", "analysis", "record", "workload"]),
    // What replays and traces have in common: whether slow I/Os are clustered.
    (
        "tests",
        &[
            "block", "analysis", "decode", "fio", "inspect", "method", "record", "trace", "verify", "view",
            "workload",
        ],
    ),
    (
        "runner",
        &[
            "block", "workload", "analysis", "sim", "safety", "probe", "uring", "stream", "record", "trace",
            "tracer", "method", "verify", "decode", "sharing", "meter", "image", "tests", "view", "files",
            "purge", "live",
        ],
    ),
    (
        "cli",
        &[
            "block", "workload", "analysis", "sim", "safety", "probe", "uring", "stream", "record", "trace",
            "tracer", "method", "verify", "decode", "plain", "sharing", "meter", "image", "program",
            "runner", "tests", "view", "inspect", "files", "purge", "boot", "review", "live", "fio",
            "export", "fleet", "store",
        ],
    ),
    ("tidy", &[]),
    ("benches", &[]),
    ("guest", &[]),
    ("testbed", &[]),
];

/// Crates that are no part of the program: they wait for the kernel and print what they do.
const OUTSIDE_THE_PROGRAM: [&str; 3] = ["benches", "guest", "testbed"];

#[test]
fn arrows_run_downward_only() {
    let metadata = metadata(&["--no-deps"]);
    let mut seen = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let folder = Path::new(package["manifest_path"].as_str().expect("a path"))
            .parent()
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned())
            .expect("a folder");
        let normal = package["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .filter(|one| one["kind"].is_null());
        let ours: Vec<String> = normal
            .filter_map(|one| one["name"].as_str()?.strip_prefix("drivelab-").map(str::to_owned))
            .collect();
        seen.insert(folder, ours);
    }
    for (krate, uses) in &seen {
        let (_, allowed) = ARROWS.iter().find(|(name, _)| name == krate).unwrap_or_else(|| {
            panic!("crates/{krate} is a new crate: write in ARCHITECTURE.md and here what it may use")
        });
        for used in uses {
            assert!(allowed.contains(&used.as_str()), "crates/{krate} may not use {used}");
        }
    }
}

#[test]
fn the_vocabulary_depends_on_std_alone() {
    let metadata = metadata(&["--no-deps"]);
    let block =
        metadata["packages"].as_array().expect("packages").iter().find(|one| one["name"] == "drivelab-block");
    assert_eq!(block.expect("the crate block")["dependencies"].as_array().map(Vec::len), Some(0));
}

#[test]
fn what_is_no_part_of_the_program_is_not_published_and_all_else_is() {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().expect("packages");
    // An empty list of registries is what `publish = false` is.
    let mut kept_back: Vec<&str> = packages
        .iter()
        .filter(|package| package["publish"].as_array().is_some_and(Vec::is_empty))
        .filter_map(|package| package["name"].as_str()?.strip_prefix("drivelab-"))
        .collect();
    let mut expected: Vec<&str> = OUTSIDE_THE_PROGRAM.into_iter().chain(["tidy"]).collect();
    kept_back.sort_unstable();
    expected.sort_unstable();
    assert_eq!(kept_back, expected);
}

/// Files outside tests that contain one of the words, apart from those allowed.
fn offenders(krate: &str, words: &[&str], allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources(krate) {
        let shown = path.display().to_string();
        if allowed.iter().any(|ending| shown.ends_with(ending)) {
            continue;
        }
        for (number, line) in code_lines(&text) {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                found.push(format!("{shown}:{number}: {word}"));
            }
        }
    }
    found
}

/// Lines that are code: no comments, and nothing below the unit tests' heading.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(index, line)| (index + 1, line))
}

#[test]
fn only_engines_the_recorders_pace_the_runner_and_the_command_line_read_a_clock_or_sleep() {
    let words = ["Instant::now", "SystemTime", "thread::sleep", "clock_gettime", "_rdtsc"];
    let allowed =
        |name: &&str| ["uring", "runner", "cli"].contains(name) || OUTSIDE_THE_PROGRAM.contains(name);
    for krate in crates().iter().map(String::as_str).filter(|name| !allowed(name)) {
        let found = offenders(krate, &words, &["record/src/pace.rs"]);
        assert_eq!(found, Vec::<String>::new());
    }
}

#[test]
fn analysis_and_views_touch_nothing_and_print_nothing() {
    let words = ["std::fs", "std::process", "std::net", "std::env", "println!", "print!(", "std::thread"];
    for krate in ["analysis", "view", "inspect", "tests", "block", "workload"] {
        assert_eq!(offenders(krate, &words, &[]), Vec::<String>::new());
    }
}

#[test]
fn only_the_command_line_prints() {
    let allowed = |name: &&str| ["runner", "cli"].contains(name) || OUTSIDE_THE_PROGRAM.contains(name);
    for krate in crates().iter().map(String::as_str).filter(|name| !allowed(name)) {
        assert_eq!(offenders(krate, &["println!", "print!("], &[]), Vec::<String>::new());
    }
}

#[test]
fn serde_stays_at_the_edges() {
    for krate in ["block", "workload", "analysis", "sim", "method", "uring"] {
        assert_eq!(offenders(krate, &["serde"], &[]), Vec::<String>::new());
    }
}

#[test]
fn unsafe_code_stays_in_the_real_engine() {
    for krate in crates().iter().filter(|name| *name != "uring") {
        assert_eq!(
            offenders(krate, &["unsafe {", "unsafe fn", "unsafe impl"], UNSAFE_ELSEWHERE),
            Vec::<String>::new()
        );
    }
}

/// The exceptions: hints to processor and kernel that change nothing but speed, a call of numbers that no library has, and
/// memory that a test shares with the kernel.
const UNSAFE_ELSEWHERE: &[&str] =
    &["sim/src/ftl/memory.rs", "safety/src/census/kcmp.rs", "guest/src/inside/own_disk/ring.rs"];

#[test]
fn only_safety_can_make_a_write_grant() {
    for krate in crates().iter().filter(|name| *name != "safety") {
        assert_eq!(offenders(krate, &["WriteGrant {"], &[]), Vec::<String>::new());
    }
    let (_, text) =
        sources("safety").into_iter().find(|(path, _)| path.ends_with("grant.rs")).expect("grant.rs");
    let body = text
        .split("pub struct WriteGrant {")
        .nth(1)
        .and_then(|rest| rest.split('}').next())
        .expect("the grant");
    assert!(
        !body.lines().any(|line| line.trim_start().starts_with("pub ")),
        "the grant's fields are private"
    );
}
