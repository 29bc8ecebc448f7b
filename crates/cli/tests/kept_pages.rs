//! Pages that cannot be kept, pages that are made a second time, and the exit codes of both.

mod common;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use common::{Ended, drivelab, folder, program, text};

/// A user who may read what this test made, and write to nothing of it.
const OTHER_USER: u32 = 65_534;

fn open_to(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("its own");
}

/// Runs the program as a user who may write nowhere; root may write to every folder.
fn as_reader(arguments: &[&str]) -> Ended {
    let mut command = program();
    command.args(arguments);
    if rustix::process::geteuid().is_root() {
        command.uid(OTHER_USER).gid(OTHER_USER);
    }
    Ended::of(&command.output().expect("drivelab starts"))
}

/// Makes a folder one that everyone may read, and no user may write to.
fn shut(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let is_folder = entry.file_type().expect("a kind").is_dir();
        if is_folder {
            shut(&entry.path());
        } else {
            open_to(&entry.path(), 0o444);
        }
    }
    open_to(folder, 0o555);
}

fn unshut(folder: &Path) {
    open_to(folder, 0o755);
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_dir()).for_each(|path| unshut(&path));
}

#[test]
fn a_page_that_was_not_asked_for_by_name_is_no_reason_to_fail() {
    let folder = folder();
    let results = folder.path().join("results");
    let (good, bad) = (results.join("good"), results.join("bad"));
    drivelab(&["quick", "sim:hdd-7200", "-o", text(&good)]).with_code(0);
    let failing = "sim:consistent?size=1GiB&fail_from=512MiB";
    drivelab(&["load", failing, "--rw", "randwrite", "--duration", "1s", "-o", text(&bad)]).with_code(1);
    open_to(folder.path(), 0o755);
    shut(&results);
    for (asked, code) in [
        (["report", text(&good)], 0),
        (["report", text(&bad)], 1),
        (["report", text(&results)], 1),
        (["index", text(&results)], 0),
    ] {
        let ended = as_reader(&asked).with_code(code);
        assert!(
            ended.stderr.contains("no page is kept") && ended.stderr.contains("--report FILE"),
            "{asked:?}: {ended:?}"
        );
        assert!(!ended.stdout.is_empty() && !ended.stderr.contains("report: "), "{asked:?}: {ended:?}");
    }
    let page = results.join("asked.html");
    for command in ["report", "index"] {
        let ended = as_reader(&[command, text(&results), "--report", text(&page)]).with_code(3);
        assert!(ended.stderr.contains("asked.html cannot be written"), "{ended:?}");
    }
    unshut(&results);
}

#[test]
fn a_page_of_a_fleet_replaces_the_one_before_and_no_other() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (run, exported, page, other) = (at("run"), at("fleet"), at("fleet.html"), at("run/report.html"));
    let load = ["load", "sim:consistent?size=256MiB", "--duration", "1s", "-o", &run];
    drivelab(&load).with_code(0);
    drivelab(&["export", &run, "--destination", &exported]).with_code(0);
    for _ in 0..2 {
        drivelab(&["fleet", "report", &exported, "--report", &page]).with_code(0);
        assert!(fs::read_to_string(&page).expect("a page").contains("</html>"));
    }
    let before = fs::read(&other).expect("the page of the run");
    drivelab(&["fleet", "report", &exported, "--report", &other]).fails_in_one_line(2, &["is there already"]);
    assert_eq!(fs::read(&other).expect("the page of the run"), before);
}
