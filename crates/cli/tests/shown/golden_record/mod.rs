//! The golden record: what some sixty commands print and write, kept as text in the folder `texts`.
//!
//! On simulated drives and on files of their own, commands leave the same bytes everywhere: all of them are kept, with ids,
//! dates, and the names of machine, folder and version masked. On files, loop and zram devices, keys, headings, sentences
//! without their figures and exit codes are kept. Long lists and tables are cut, with a hash of the whole.
//!
//! A change that alters a line fails here, and shows it. If it is meant, write the texts anew, and say in the commit why:
//!
//!     DRIVELAB_WRITE_GOLDEN=1 cargo test --workspace --locked --features drivelab/object-store --test shown golden_record

#![expect(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "texts are short, and put together once"
)]

mod cases;
mod difference;
mod forms;
mod masks;
mod scene;
mod shapes;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cases::{Case, Tell};
use drivelab_runner::KINDS;
use scene::{Detail, Scene};

use crate::tested_kinds::TESTED;

/// How often a test on a device is run that leaves something else each time.
const ATTEMPTS: usize = 4;
/// What all texts may have together, in bytes.
const MOST_BYTES: u64 = 2_000_000;

fn texts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shown/golden_record/texts")
}

/// Runs the cases, and compares what they leave with what is kept.
fn compare<'a>(cases: impl IntoIterator<Item = &'a Case>) {
    let mut differences = String::new();
    for case in cases.into_iter().filter(|case| (case.can_run)()) {
        let file = texts().join(format!("{}.txt", case.name));
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        let new = told(case, &kept);
        if kept == new {
            continue;
        }
        if std::env::var_os("DRIVELAB_WRITE_GOLDEN").is_some() {
            std::fs::write(&file, &new).expect("the folder of texts");
            continue;
        }
        let beside = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{}.txt", case.name));
        std::fs::write(&beside, &new).expect("room");
        let shown = difference::difference(&kept, &new);
        differences +=
            &format!("{} differs; all of the new text is in {}\n{shown}\n", file.display(), beside.display());
    }
    assert!(differences.is_empty(), "{differences}{WHAT_TO_DO}");
}

/// What the commands of a case leave. On a busy machine a test on a device may be disturbed, and say so: it is run until it
/// leaves what is kept, or what it left before.
fn told(case: &Case, kept: &str) -> String {
    let mut before = vec![kept.to_owned()];
    loop {
        let mut scene = Scene::new(case.detail);
        match case.tell {
            Tell::Test(command) => scene.run_test(command),
            Tell::Steps(tell) => tell(&mut scene),
        }
        let new = scene.into_text();
        if case.detail == Detail::Exact || before.contains(&new) || before.len() > ATTEMPTS {
            return new;
        }
        before.push(new);
    }
}

const WHAT_TO_DO: &str = "If these changes are meant, write the texts anew with DRIVELAB_WRITE_GOLDEN=1, \
    and say in the commit why.";

#[test]
fn what_is_made_of_boots_and_traces_is_as_kept() {
    compare(cases::BOOTS);
    compare(cases::TRACES);
}

#[test]
fn what_is_made_of_results_is_as_kept() {
    compare(cases::FOUND);
}

#[test]
fn tests_on_simulated_drives_are_as_kept() {
    compare(&cases::of_kinds(0..TESTED.len() / 2).collect::<Vec<_>>());
}

#[test]
fn more_tests_on_simulated_drives_are_as_kept() {
    compare(&cases::of_kinds(TESTED.len() / 2..TESTED.len()).collect::<Vec<_>>());
    compare(cases::SIMULATED);
}

#[test]
fn what_is_printed_without_a_drive_is_as_kept() {
    compare(cases::TEXTS);
}

#[test]
fn the_shape_of_what_devices_leave_is_as_kept() {
    compare(cases::DEVICES);
}

#[test]
fn the_shape_of_other_results_of_this_machine_is_as_kept() {
    compare(cases::DRIVES);
    compare(cases::STREAMS);
}

#[test]
fn every_kind_and_every_command_has_a_case_and_every_text_is_of_one() {
    let names = cases::names();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len(), "a name stands twice: {names:?}");
    let (mut found, mut bytes, mut all) = (BTreeSet::new(), 0, String::new());
    for entry in std::fs::read_dir(texts()).expect("the folder of texts").flatten() {
        bytes += entry.metadata().expect("a file").len();
        found.insert(entry.path().file_stem().expect("a name").to_string_lossy().into_owned());
        all += &std::fs::read_to_string(entry.path()).expect("a text");
    }
    assert!(found.iter().map(String::as_str).eq(unique), "texts: {found:?}; cases: {names:?}");
    assert!(bytes <= MOST_BYTES, "{bytes} bytes of texts, of {MOST_BYTES} at most");
    for kind in KINDS {
        assert!(all.contains(&format!("\n$ drivelab {} ", kind.name)), "the kind {} has no case", kind.name);
    }
    let help = Scene::new(Detail::Exact).printed("--help");
    for command in cases::commands(&help) {
        assert!(all.contains(&format!("$ drivelab {command} --help")), "the help of {command} has no case");
        let is_run = |line: &str| {
            let words = line.strip_prefix("$ drivelab ").map(|words| words.split(' ').collect::<Vec<_>>());
            words.is_some_and(|words| words.len() > 1 && words[0] == command && !words.contains(&"--help"))
        };
        let is_excused = WITHOUT_A_CASE.iter().any(|(excused, _)| *excused == command);
        assert!(is_excused != all.lines().any(is_run), "{command} has no case, or is excused and has one");
    }
}

/// Commands that no case runs for what they print, and why.
const WITHOUT_A_CASE: [(&str, &str); 3] = [
    ("completions", "the case `completions` runs it; what it prints is as long as all other texts together"),
    ("drives", "it lists the drives of the machine"),
    ("man", "the case `completions` runs it, and keeps the names of the pages"),
];
