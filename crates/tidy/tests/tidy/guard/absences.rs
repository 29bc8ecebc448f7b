//! What may not be where: clocks, files, output, unsafe code, write grants.

use crate::guard::arrows::OUTSIDE_THE_PROGRAM;
use crate::guard::rust::{Form, Reference, Workspace};

/// Names that a rule forbids.
enum Word {
    /// Parts of a path, one after the other.
    Path(&'static [&'static str]),
    /// A macro.
    Macro(&'static str),
    /// A value of a type that is made of its fields.
    Value(&'static str),
}

impl Word {
    fn is_in(&self, reference: &Reference) -> bool {
        match self {
            Word::Path(parts) => reference.has(parts),
            Word::Macro(name) => {
                // A macro that is imported is there under whatever name it is called.
                reference.targets.iter().any(|target| {
                    target.last().is_some_and(|last| last == name)
                        && (reference.form == Form::Macro || target[0] == "std")
                })
            }
            Word::Value(name) => {
                reference.form == Form::Literal
                    && reference.targets.iter().any(|target| target.last().is_some_and(|last| last == name))
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            Word::Path(parts) => parts.join("::"),
            Word::Macro(name) => format!("{name}!"),
            Word::Value(name) => format!("{name} {{"),
        }
    }
}

const CLOCKS: &[Word] = &[
    Word::Path(&["std", "time", "Instant"]),
    Word::Path(&["Instant", "now"]),
    Word::Path(&["SystemTime"]),
    Word::Path(&["Timestamp", "now"]),
    Word::Path(&["Zoned", "now"]),
    Word::Path(&["thread", "sleep"]),
    Word::Path(&["thread", "sleep_until"]),
    Word::Path(&["nanosleep"]),
    Word::Path(&["clock_nanosleep"]),
    Word::Path(&["clock_gettime"]),
    Word::Path(&["_rdtsc"]),
];

const OUTPUT: &[Word] = &[
    Word::Macro("println"),
    Word::Macro("print"),
    Word::Macro("eprintln"),
    Word::Macro("eprint"),
    Word::Path(&["io", "stdout"]),
    Word::Path(&["io", "stderr"]),
];

const OUTSIDE: &[Word] = &[
    Word::Path(&["std", "fs"]),
    Word::Path(&["std", "process"]),
    Word::Path(&["std", "net"]),
    Word::Path(&["std", "env"]),
    Word::Path(&["std", "thread"]),
];

/// Crates that touch nothing outside of themselves.
const PURE: &[&str] = &["stats", "view", "inspect", "kinds", "block", "workload"];

/// Files that read a clock in a crate that does not: the recorder's pace.
const CLOCKS_ELSEWHERE: &[&str] = &["crates/record/src/pace.rs"];
/// Files with unsafe code in a crate that has none: hints to processor and kernel that change nothing but speed, a call of
/// numbers that no library has, and memory that a test shares with the kernel.
const UNSAFE_ELSEWHERE: &[&str] = &[
    "crates/sim/src/ftl/memory.rs",
    "crates/safety/src/usage_scan/kcmp.rs",
    "crates/safety/src/usage_scan/loop_status.rs",
    "crates/guest/src/inside/own_disk/ring.rs",
];

/// Where one of the words is in the crates that pass, apart from the files that are allowed.
fn offenders(
    workspace: &Workspace,
    is_meant: impl Fn(&str) -> bool,
    words: &[Word],
    allowed: &[&str],
) -> Vec<String> {
    let mut faults = Vec::new();
    for krate in workspace.crates.values().filter(|krate| is_meant(&krate.folder)) {
        for module in krate.modules.values().filter(|module| !allowed.contains(&module.file.as_str())) {
            for reference in &module.references {
                if let Some(word) = words.iter().find(|word| word.is_in(reference)) {
                    faults.push(format!("{}:{}: {}", module.file, reference.line, word.shown()));
                }
            }
        }
    }
    faults
}

/// Clocks that are read, and threads that sleep, outside of engines, the recorder's pace, the runner and the command line.
pub fn clocks(workspace: &Workspace) -> Vec<String> {
    let is_meant =
        |krate: &str| !["uring", "runner", "cli"].contains(&krate) && !OUTSIDE_THE_PROGRAM.contains(&krate);
    offenders(workspace, is_meant, CLOCKS, CLOCKS_ELSEWHERE)
}

/// What touches the machine in crates that touch nothing.
pub fn impurities(workspace: &Workspace) -> Vec<String> {
    offenders(workspace, |krate| PURE.contains(&krate), OUTSIDE, &[])
}

/// What prints outside of the runner and the command line.
pub fn output(workspace: &Workspace) -> Vec<String> {
    let is_meant = |krate: &str| !["runner", "cli"].contains(&krate) && !OUTSIDE_THE_PROGRAM.contains(&krate);
    offenders(workspace, is_meant, OUTPUT, &[])
}

/// Unsafe code outside of the real engine.
pub fn unsafe_code(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for krate in workspace.crates.values().filter(|krate| krate.folder != "uring") {
        for module in
            krate.modules.values().filter(|module| !UNSAFE_ELSEWHERE.contains(&module.file.as_str()))
        {
            let lines = module.facts.unsafe_lines.iter();
            faults.extend(lines.map(|line| format!("{}:{line}: unsafe", module.file)));
        }
    }
    faults
}

/// Write grants that are made outside of `safety`, and fields of the grant that others could fill.
pub fn write_grants(workspace: &Workspace) -> Vec<String> {
    let mut faults = offenders(workspace, |krate| krate != "safety", &[Word::Value("WriteGrant")], &[]);
    let mut grants = 0;
    for krate in workspace.crates.values().filter(|krate| krate.folder == "safety") {
        for module in krate.modules.values() {
            for grant in module.facts.structs.iter().filter(|one| one.name == "WriteGrant") {
                grants += 1;
                if grant.has_open_fields {
                    faults.push(format!("{}: a field of WriteGrant is public", module.file));
                }
            }
        }
    }
    if grants != 1 {
        faults.push(format!("crates/safety has {grants} structs WriteGrant"));
    }
    faults
}

#[test]
fn only_engines_the_recorders_pace_the_runner_and_the_command_line_read_a_clock_or_sleep() {
    assert_eq!(clocks(crate::guard::workspace()), Vec::<String>::new());
}

#[test]
fn analysis_and_views_touch_nothing() {
    assert_eq!(impurities(crate::guard::workspace()), Vec::<String>::new());
}

#[test]
fn only_the_command_line_prints() {
    assert_eq!(output(crate::guard::workspace()), Vec::<String>::new());
}

#[test]
fn unsafe_code_stays_in_the_real_engine() {
    assert_eq!(unsafe_code(crate::guard::workspace()), Vec::<String>::new());
}

#[test]
fn only_safety_can_make_a_write_grant() {
    assert_eq!(write_grants(crate::guard::workspace()), Vec::<String>::new());
}

#[test]
fn every_exception_is_of_a_file_that_is_there() {
    let files = &crate::guard::workspace().files;
    for file in CLOCKS_ELSEWHERE.iter().chain(UNSAFE_ELSEWHERE) {
        assert!(files.contains_key(*file), "{file} is not there");
    }
}
