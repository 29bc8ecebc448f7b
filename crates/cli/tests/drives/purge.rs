//! Purges, alone and before a test: which one is taken, what is refused, and what is left.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::common::{self, drivelab, folder, notices, program, text};
use rustix::process::{Pid, Signal, kill_process};

/// A file of 1 MiB, next to the built program: the folder for temporary files may be memory.
fn target() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = folder.path().join("target.bin");
    fs::write(&path, vec![7; 1 << 20]).expect("a file");
    (folder, path)
}

/// Runs a short test of consistency; its notices.
fn consistency(target: &str, purge: &str, more: &[&str], code: i32) -> String {
    let folder = folder();
    let output = folder.path().join("runs");
    let mut arguments = vec!["consistency", target, "--duration=1s", "--destroy-data", "-o", text(&output)];
    arguments.extend(["--purge", purge]);
    arguments.extend(more);
    drivelab(&arguments).with_code(code);
    notices(&common::run_folders(&output)[0])
}

#[test]
fn a_file_is_discarded_and_its_length_stays() {
    let (_folder, path) = target();
    let asked = drivelab(&["purge", text(&path), "--destroy-data", "--dry-run"]).with_code(0);
    assert!(asked.stdout.contains("the target is no NVMe or ATA drive"), "{asked:?}");
    assert!(fs::read(&path).expect("the file").iter().all(|byte| *byte == 7), "a dry run has changed it");
    let document = drivelab(&["purge", text(&path), "--destroy-data", "--json"]).with_code(0).json();
    common::assert_fits(include_str!("../../schemas/drivelab.purge-1.json"), &document);
    assert_eq!((document["zeros"].as_u64(), document["unchanged"].as_u64()), (Some(64), Some(0)));
    let found = fs::metadata(&path).expect("the file");
    assert_eq!((found.len(), found.blocks()), (1 << 20, 0));
}

#[test]
fn what_is_not_confirmed_or_not_there_is_refused_and_nothing_is_changed() {
    let (folder, path) = target();
    let unconfirmed = drivelab(&["purge", text(&path)]).with_code(4);
    assert!(unconfirmed.stderr.contains("--destroy-data"), "{unconfirmed:?}");
    let missing = folder.path().join("missing");
    drivelab(&["purge", text(&missing), "--destroy-data"]).fails_in_one_line(2, &["is not there"]);
    assert!(!missing.exists());
    drivelab(&["purge", "sim:consistent"]).fails_in_one_line(2, &["new at every start"]);
    for how in ["sanitize", "format", "secure-erase"] {
        drivelab(&["purge", text(&path), "--destroy-data", "--purge", how])
            .fails_in_one_line(3, &["no NVMe or ATA drive", "--purge auto"]);
    }
    drivelab(&["purge", text(&path), "--purge", "none"]).fails_in_one_line(2, &["purges nothing"]);
    assert!(fs::read(&path).expect("the file").iter().all(|byte| *byte == 7));
}

#[test]
fn a_purge_takes_the_flags_of_its_target_alone() {
    let (_folder, path) = target();
    drivelab(&["purge", text(&path), "--serial=loop1", "--destroy-data", "--dry-run"])
        .fails_in_one_line(2, &["--serial confirms a drive"]);
    if !common::devices::loops_can_be_made() {
        return;
    }
    let drive = common::devices::Loop::of_zeros(16);
    for (more, why) in [("--serial=nothing", "that of no target here"), (&drive.serial(), "one too many")] {
        drivelab(&["purge", drive.text(), &drive.serial(), more, "--destroy-data", "--dry-run"])
            .fails_in_one_line(2, &[why, "leave it out"]);
    }
    drivelab(&["purge", drive.text(), &drive.serial(), "--destroy-data", "--dry-run"]).with_code(0);
}

/// A drive of which a part is mounted while it is being purged, through a loop device that was set up over it.
#[test]
fn a_use_that_begins_during_a_purge_ends_it() {
    use common::devices::{Loop, eventually, loops_can_be_made, run};
    if !loops_can_be_made() {
        return;
    }
    let (drive, state) = (Loop::of_zeros(4 << 20), folder());
    let mut command = program();
    command.env("XDG_STATE_HOME", state.path());
    command.args(["purge", drive.text(), &drive.serial(), "--destroy-data", "--purge=discard"]);
    let purge = common::running::Running::of(command);
    let log = state.path().join("drivelab/audit.log");
    let has_begun = || fs::read_to_string(&log).is_ok_and(|log| log.contains("purging"));
    assert!(eventually(has_begun), "the purge begins");
    let process = purge.process().parse().ok().and_then(Pid::from_raw).expect("a number");
    kill_process(process, Signal::STOP).expect("the process is there");
    let above = run("losetup", &["--find", "--show", "--offset=1T", "--sizelimit=64M", drive.text()]);
    kill_process(process, Signal::CONT).expect("the process is there");
    let ended = purge.ends();
    run("losetup", &["--detach", &above]);
    let ended = ended.with_code(4);
    let name = above.trim_start_matches("/dev/");
    assert!(ended.stderr.contains(name), "{ended:?}");
}

#[test]
fn a_purge_that_cannot_be_recorded_is_not_begun() {
    let (folder, path) = target();
    let mut command = program();
    let state = folder.path().join("state");
    fs::create_dir_all(state.join("drivelab/audit.log")).expect("a folder in the place of the log");
    command.env("XDG_STATE_HOME", &state).args(["purge", text(&path), "--destroy-data"]);
    let ended = common::Ended::of(&command.output().expect("it starts"));
    ended.fails_in_one_line(3, &["audit log"]);
    assert!(fs::read(&path).expect("the file").iter().all(|byte| *byte == 7));
}

#[test]
fn a_test_says_how_the_drive_was_purged() {
    let by_discard = "a discard of the range stands in for a sanitize or secure erase";
    for how in ["discard", "auto"] {
        assert!(consistency("sim:consistent", how, &[], 0).contains(by_discard), "{how}");
    }
    assert!(consistency("sim:consistent", "none", &[], 0).contains("not purged (--purge none)"));
    let (_folder, path) = target();
    assert!(consistency(text(&path), "auto", &[], 0).contains(by_discard));
}

#[test]
fn a_command_that_the_target_lacks_or_that_reaches_too_far_is_refused_before_anything_is_written() {
    let (_folder, path) = target();
    let refused = |test: &[&str], target: &str, how: &str, words: &[&str]| {
        let mut arguments = test.to_vec();
        arguments.extend([target, "--purge", how, "--destroy-data"]);
        drivelab(&arguments).fails_in_one_line(2, words);
    };
    for test in ["consistency", "pts", "trim"] {
        refused(&[test], "sim:consistent", "format", &["a simulated one has no such command"]);
    }
    for test in ["consistency", "trim"] {
        let part = drivelab(&[test, "sim:consistent", "--range=0-50%", "--purge=format"]).with_code(2);
        assert!(part.stderr.contains("leave one of the two out"), "{part:?}");
    }
    refused(&["trim"], "sim:consistent", "none", &["begins with a discard"]);
    for test in ["consistency", "pts"] {
        refused(&[test], text(&path), "secure-erase", &["a file has no such command"]);
    }
    assert!(fs::read(&path).expect("the file").iter().all(|byte| *byte == 7));
}

#[test]
fn a_replay_purges_the_target_where_that_is_asked_for() {
    let folder = folder();
    let trace = reads(folder.path());
    let (_place, path) = target();
    let replayed = |purge: &[&str], name: &str| {
        let run = folder.path().join(name);
        let mut arguments = vec!["replay", text(&trace), text(&path), "-o", text(&run)];
        arguments.extend(purge);
        drivelab(&arguments).with_code(0);
        notices(&run)
    };
    assert!(!replayed(&[], "as-it-is").contains("urge"));
    assert!(fs::read(&path).expect("the file").iter().all(|byte| *byte == 7));
    // It only reads, but a purge destroys.
    let unconfirmed = drivelab(&["replay", text(&trace), text(&path), "--purge", "discard"]).with_code(4);
    assert!(unconfirmed.stderr.contains("--destroy-data"), "{unconfirmed:?}");
    let purged = replayed(&["--purge", "discard", "--destroy-data"], "purged");
    assert!(purged.contains("a discard of the range"), "{purged}");
    assert!(fs::read(&path).expect("the file").iter().all(|byte| *byte == 0));
}

/// A trace of reads within 1 MiB.
fn reads(folder: &Path) -> PathBuf {
    let (source, trace) = (folder.join("source.csv"), folder.join("trace"));
    let row = |number: u64| {
        format!(
            "{},host,0,Read,{},4096,100\n",
            128_166_372_003_061_629 + number * 100_000,
            number % 64 * 4096
        )
    };
    fs::write(&source, (0..100).map(row).collect::<String>()).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}
