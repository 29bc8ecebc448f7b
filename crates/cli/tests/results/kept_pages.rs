//! Pages that cannot be kept, pages that are made a second time, and the exit codes of both.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use crate::common::{Ended, drivelab, folder, program, text};

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

/// What a run would say of its folder, a dry run says behind the plan, with the same exit code.
#[test]
fn a_dry_run_ends_as_the_run_would() {
    let folder = folder();
    let full = folder.path().join("full");
    fs::create_dir(&full).and_then(|()| fs::write(full.join("notes"), "mine")).expect("room");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("room");
    let below = file.join("run");
    for (test, more) in [
        ("load", &["--duration", "1s"][..]),
        ("consistency", &["--duration", "1s"]),
        ("quick", &[]),
        ("pts", &[]),
        ("matrix", &[]),
        ("paths", &[]),
        ("review", &["--plan", "short"]),
    ] {
        let asked = [&[test, "sim:consistent"], more].concat();
        for place in [&full, &below] {
            let run = [&asked[..], &["-o", text(place)]].concat();
            let real = drivelab(&run);
            let dry = drivelab(&[&run[..], &["--dry-run"]].concat());
            assert!(real.code != Some(0) && dry.code == real.code, "{run:?}: {real:?}, dry {dry:?}");
            assert!(dry.stderr.contains(text(place)) && !dry.stdout.contains("Nothing was done"), "{dry:?}");
            let said = dry.stdout.lines().count() + dry.stderr.lines().count();
            assert!(said > 1, "{run:?}: the plan is shown: {dry:?}");
        }
    }
    drivelab(&["load", "sim:consistent", "-o", text(&folder.path().join("new")), "--dry-run"]).with_code(0);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing was made");
}

#[test]
fn a_machine_has_a_name_on_one_line() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (run, exported) = (at("a\nrun"), at("fleet"));
    drivelab(&["load", "sim:consistent?size=256MiB", "--duration", "1s", "-o", &run]).with_code(0);
    let named = ["export", &run, "--destination", &exported, "--host", "a\nb"];
    drivelab(&named).fails_in_the_parser(&["--host", "on one line"]);
    drivelab(&["export", &run, "--destination", ""]).fails_in_the_parser(&["--destination", "name a folder"]);
    let ended = drivelab(&["export", &run, "--destination", &exported]).with_code(0);
    assert_eq!(ended.stdout.lines().count(), 2, "{}", ended.stdout);
}

/// A report of hundreds of results took a minute, and the page had pictures of each.
#[test]
fn many_results_have_a_table_first_and_pictures_of_the_first_of_them() {
    let folder = folder();
    let at = |number: usize| folder.path().join(format!("r{number:02}"));
    let load = ["load", "sim:consistent?size=256MiB", "--rw", "randwrite", "--duration", "1s", "-o"];
    drivelab(&[&load[..], &[text(&at(0))]].concat()).with_code(0);
    let manifest = fs::read_to_string(at(0).join("run.json")).expect("a manifest");
    for number in 1..21 {
        fs::create_dir(at(number)).expect("room");
        fs::create_dir(at(number).join("segments")).expect("room");
        let label = manifest
            .replace("\"label\": \"sim:consistent?size=256MiB\"", &format!("\"label\": \"drive {number}\""));
        fs::write(at(number).join("run.json"), label).expect("room");
        for file in fs::read_dir(at(0)).expect("a folder").flatten().map(|entry| entry.path()) {
            if file.is_file() && !file.ends_with("run.json") {
                fs::copy(&file, at(number).join(file.file_name().expect("a name"))).expect("room");
            }
        }
        for file in fs::read_dir(at(0).join("segments")).expect("a folder").flatten() {
            fs::copy(file.path(), at(number).join("segments").join(file.file_name())).expect("room");
        }
    }
    let report = |more: &[&str]| drivelab(&[&["report", text(folder.path())], more].concat());
    let all = report(&["--markdown"]).with_code(0).stdout;
    for words in ["21 results", "of the first 8", "the other 13 are left out", "drivelab index"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!((0..21).filter(|number| *number > 0).all(|number| page.contains(&format!("drive {number}"))));
    assert_eq!(report(&["--json"]).with_code(0).json().as_array().map(Vec::len), Some(21));
    // Twenty are all shown.
    fs::remove_dir_all(at(20)).expect("its own");
    let twenty = report(&["--markdown"]).with_code(0).stdout;
    assert!(!twenty.contains("are left out"), "{twenty}");
}
