//! What results are called, and what they say of when and where they were measured.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{self, drivelab, folder, manifest, program, run_folders, text};

const LOAD: [&str; 6] = ["load", "sim:consistent", "--rw", "randread", "--duration", "1s"];

fn page_of(run: &Path) -> String {
    fs::read_to_string(run.join("report.html")).expect("a page")
}

#[test]
fn a_real_target_has_the_date_with_its_zone_and_the_machine_everywhere_and_a_simulated_drive_neither() {
    let folder = folder();
    let (file, real, simulated) =
        (folder.path().join("image"), folder.path().join("real"), folder.path().join("sim"));
    fs::write(&file, vec![7; 1 << 20]).expect("room on disk");
    let load = ["load", text(&file), "--rw", "randread", "--duration", "200ms", "-o", text(&real)];
    // Five and a half hours ahead of UTC, stated so that no data base of time zones is needed.
    let ended = program().args(load).env("TZ", "IST-5:30").output().expect("drivelab starts");
    assert!(ended.status.success(), "{ended:?}");
    let started = &manifest(&real)["started"];
    let at = started["at"].as_str().expect("a time");
    assert!(at.ends_with("+05:30") && at.contains('T'), "{at}");
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    assert_eq!(started["machine"], machine.as_str());
    let said = format!("Measured {} +05:30 on {machine} by drivelab", at[..19].replace('T', " "));
    assert!(page_of(&real).contains(&said), "{said}");
    let summary = drivelab(&["report", text(&real)]).with_code(0).stdout;
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(summary.contains(&said), "{said} is not in {summary}");
    let markdown = drivelab(&["report", text(&real), "--markdown"]).with_code(0).stdout;
    assert!(markdown.contains(&said), "{said} is not in {markdown}");

    drivelab(&[&LOAD[..], &["-o", text(&simulated)]].concat()).with_code(0);
    assert!(manifest(&simulated).get("started").is_none());
    assert!(!page_of(&simulated).contains("Measured 2"));
}

#[test]
fn results_are_called_as_the_user_says_from_the_start_or_later() {
    let folder = folder();
    let run = folder.path().join("run");
    let named = ["--label", "The drive of the rack", "--note", "31 <degrees>", "-o", text(&run)];
    drivelab(&[&LOAD[..], &named].concat()).with_code(0);
    let first = page_of(&run);
    assert!(first.contains("The drive of the rack") && first.contains("Remark: 31 &lt;degrees&gt;"));
    let (kept, figures) = (manifest(&run), fs::read(run.join("findings.json")).expect("findings"));

    drivelab(&["label", text(&run), "--label", "Later"]).with_code(0);
    let relabelled = manifest(&run);
    assert_eq!((&relabelled["label"], &relabelled["note"]), (&"Later".into(), &kept["note"]));
    assert_eq!(
        fs::read(run.join("findings.json")).expect("findings"),
        figures,
        "findings are left as they are"
    );
    let second = page_of(&run);
    assert!(second.contains("Later") && !second.contains("The drive of the rack"));
    drivelab(&["report", text(&run)]).with_code(0);
    assert_eq!(page_of(&run), second, "the page is that which a report makes");
}

#[test]
fn a_serial_number_that_is_hidden_is_nowhere_but_in_the_folders_own_file() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&[&LOAD[..], &["-o", text(&run)]].concat()).with_code(0);
    // As a real drive would have left it: findings are those of another run then, and come from the records again.
    let mut real = manifest(&run);
    real["drive"]["serial"] = "S649NX0R".into();
    real["drive"]["wwn"] = "naa.5002538d40a1b2c3".into();
    real["target"] = "/dev/disk/by-id/wwn-0x5002538d40a1b2c3".into();
    let conditions = real["conditions"].as_array_mut().expect("conditions");
    conditions
        .push(serde_json::json!({"group": "Drive", "name": "By id", "value": "disk/by-id/ata-X_S649NX0R"}));
    fs::write(run.join("run.json"), real.to_string()).expect("edited");
    fs::remove_file(run.join("findings.json")).expect("findings");
    let names = ["S649NX0R", "5002538d40a1b2c3"];
    let shown = |names: &[&str]| -> Vec<usize> {
        let commands = [&["report"][..], &["report", "--markdown"], &["report", "--json"]];
        let report = |command: &&[&str]| drivelab(&[command, &[text(&run)][..]].concat()).with_code(0).stdout;
        let mut outputs: Vec<String> = commands.iter().map(report).collect();
        outputs.push(page_of(&run));
        names.iter().map(|name| outputs.iter().filter(|output| output.contains(name)).count()).collect()
    };
    assert_eq!(shown(&names)[0], 4, "a serial number is shown by default");
    drivelab(&["label", text(&run), "--hide-serial"]).with_code(0);
    assert_eq!(shown(&names), [0, 0]);
    assert_eq!(manifest(&run)["drive"]["serial"], "S649NX0R", "the drive is still known");
    drivelab(&["label", text(&run), "--show-serial"]).with_code(0);
    assert_eq!(shown(&names)[0], 4);
}

#[test]
fn several_results_share_a_name_and_are_told_apart() {
    let folder = folder();
    let output = folder.path().join("runs");
    let drives = ["sim:consistent?size=1GiB", "sim:sm2246en?size=1GiB"];
    let asked = ["--duration", "2s", "--window", "1s", "--label", "Spring", "-o", text(&output)];
    drivelab(&[&["consistency"], &drives[..], &asked].concat()).with_code(0);
    let labels: Vec<String> =
        run_folders(&output).iter().map(|run| manifest(run)["label"].as_str().unwrap_or("").into()).collect();
    assert_eq!(labels, drives.map(|drive| format!("Spring, {drive}")));
    drivelab(&["label", text(&output), "--label", "Autumn"]).fails_in_one_line(2, &["of one result"]);
}

#[test]
fn a_drive_of_a_review_and_the_buttons_of_a_page_have_its_name() {
    let folder = folder();
    let (review, plan) = (folder.path().join("review"), folder.path().join("plan.toml"));
    fs::write(&plan, "[[step]]\ntest = \"load\"\nduration = \"1s\"\n\n[[step]]\ntest = \"quick\"\n")
        .expect("room");
    let drives = ["sim:consistent?size=256MiB", "sim:tlc-nvme?size=1GiB"];
    drivelab(&["review", drives[0], drives[1], "--plan", text(&plan), "-o", text(&review)]).with_code(0);
    let own = review.join("02-sim-tlc-nvme-size-1GiB");
    drivelab(&["label", text(&own), "--label", "TLC 990"]).with_code(0);
    let shown = drivelab(&["report", text(&review), "--markdown"]).with_code(0).stdout;
    let tables = shown.lines().filter(|line| line.starts_with("| TLC 990")).count();
    assert!(tables > 0 && shown.contains(drives[0]), "{shown}");
    assert!(page_of(&review).contains("TLC 990"));
    for step in ["01-load", "02-quick"] {
        assert!(page_of(&own.join(step)).contains("TLC 990"), "{step}");
        assert_eq!(manifest(&own.join(step))["given_name"], "TLC 990");
    }
    let neighbour = review.join("01-sim-consistent-size-256MiB");
    assert_eq!(manifest(&neighbour.join("02-quick"))["label"], drives[0], "the other drive keeps its own");

    let runs = folder.path().join("runs");
    let asked = ["--over-provisioning", "0%,25%", "--duration", "2s", "--window", "1s", "-o", text(&runs)];
    let two = ["consistency", drives[0], "sim:sm2246en?size=1GiB"];
    drivelab(&[&two[..], &asked].concat()).with_code(0);
    for run in &run_folders(&runs)[..2] {
        drivelab(&["label", text(run), "--label", "The rack"]).with_code(0);
    }
    drivelab(&["report", text(&runs)]).with_code(0);
    // The values by which the page switches: of the named drive, and of the other one.
    let page = page_of(&runs);
    for facets in ["[\"The rack\",\"25 %\"]", "[\"sim:sm2246en?size=1GiB\",\"25 %\"]"] {
        assert!(page.contains(&format!("\"facets\":{facets}")), "{facets}");
    }
}

/// A new name is in the manifest; neither a check of the records nor their figures are needed for it.
#[test]
fn a_name_is_given_without_reading_the_records() {
    let folder = folder();
    let quick = folder.path().join("quick");
    drivelab(&["quick", "sim:consistent?size=256MiB", "-o", text(&quick)]).with_code(0);
    for segment in fs::read_dir(quick.join("segments")).expect("segments").flatten() {
        fs::write(segment.path(), "damaged").expect("its own");
    }
    drivelab(&["label", text(&quick), "--label", "The rack"]).with_code(0);
    assert!(page_of(&quick).contains("The rack"));
    // A page whose figures come from millions of I/Os is left, which is said.
    let load = folder.path().join("load");
    drivelab(&["load", "sim:consistent?size=256MiB", "--duration", "1s", "-o", text(&load)]).with_code(0);
    let mut run = manifest(&load);
    run["outcome"]["completions"] = 30_000_000.into();
    fs::write(load.join("run.json"), run.to_string()).expect("room");
    let before = page_of(&load);
    let ended = drivelab(&["label", text(&load), "--label", "The rack"]).with_code(0);
    assert!(
        ended.stderr.contains("still has the name from before") && ended.stderr.contains("drivelab report")
    );
    assert_eq!((manifest(&load)["label"].as_str(), page_of(&load)), (Some("The rack"), before));
}

#[test]
fn results_that_were_given_one_name_are_told_apart_by_their_folders() {
    let folder = folder();
    let runs = ["first", "second"].map(|name| folder.path().join(name));
    for (run, size) in runs.iter().zip(["256MiB", "512MiB"]) {
        let drive = format!("sim:consistent?size={size}");
        let asked = ["quick", drive.as_str(), "--label", "Spring", "-o", text(run)];
        drivelab(&asked).with_code(0);
    }
    let shown = drivelab(&["report", text(&runs[0]), text(&runs[1])]).with_code(0).stdout;
    assert!(shown.contains("Spring (first)") && shown.contains("Spring (second)"), "{shown}");
}

#[test]
fn what_is_no_name_is_refused_and_changes_nothing() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&[&LOAD[..], &["-o", text(&run)]].concat()).with_code(0);
    let before = common::tree(&run);
    for wrong in ["", "  ", "two\nlines", "\u{1b}[31mred"] {
        drivelab(&["label", text(&run), "--label", wrong]).fails_in_the_parser(&["--label", "give"]);
    }
    drivelab(&["label", text(&run)]).fails_in_the_parser(&["--label", "--note"]);
    let missing = folder.path().join("missing");
    drivelab(&["label", text(&missing), "--note", "x"]).fails_in_one_line(2, &["missing"]);
    assert_eq!(common::tree(&run), before);
}

/// What only begins like a file of this program is of a user: nothing of it is replaced, and nothing else is written.
#[test]
fn pages_tables_pictures_and_manuals_replace_only_files_of_their_kind() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let (run, files, man) = (at("run"), at("files"), at("man"));
    drivelab(&[&LOAD[..], &["-o", text(&run)]].concat()).with_code(0);
    let forms = ["--csv", text(&files), "--svg", text(&files), "--png", text(&files)];
    let report = [&["report", text(&run)][..], &forms].concat();
    // Each is replaced by the next command.
    for _ in 0..2 {
        drivelab(&report).with_code(0);
        drivelab(&["man", "-o", text(&man)]).with_code(0);
    }
    let tree = common::tree(&files);
    let ends = |ending: &str| tree.iter().find(|(name, _)| name.extension().is_some_and(|own| own == ending));
    let others = [
        ("csv", "time,watts\n0,5\n".as_bytes()),
        (
            "svg",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>"
                .as_bytes(),
        ),
        ("png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR of a user"),
        ("svg", b""),
    ];
    for (ending, own) in others {
        let name = files.join(&ends(ending).expect("a file of this kind").0);
        let before = fs::read(&name).expect("a file");
        fs::write(&name, own).expect("room");
        let page = at("page.html");
        let asked = [&report[..], &["--report", text(&page)]].concat();
        drivelab(&asked).fails_in_one_line(2, &[text(&name), "is there already"]);
        assert!(fs::read(&name).expect("a file") == own && !page.exists(), "{ending}");
        fs::write(&name, before).expect("room");
    }
    let other = man.join("drivelab-load.1");
    fs::write(&other, ".TH mine 1\n").expect("room");
    drivelab(&["man", "-o", text(&man)]).fails_in_one_line(2, &["drivelab-load.1 is there already"]);
    // A page of another program begins in the same way.
    let page = at("other.html");
    fs::write(&page, "<!DOCTYPE html><html lang=\"en\"><p>mine</p>").expect("room");
    let dangling = at("dangling.html");
    symlink("nowhere", &dangling).expect("a link");
    let quick = ["quick", "sim:consistent?size=256MiB", "--report"];
    for (place, what) in [(&page, "is there already"), (&dangling, "is a link"), (&man, "is a folder")] {
        drivelab(&[&quick[..], &[text(place)]].concat()).fails_in_one_line(2, &[text(place), what]);
    }
    assert!(fs::read_to_string(&page).expect("a page").ends_with("<p>mine</p>"));
    // A link to a page of this program is followed, and stays.
    let linked = at("linked.html");
    symlink(run.join("report.html"), &linked).expect("a link");
    drivelab(&[&quick[..], &[text(&linked)]].concat()).with_code(0);
    assert!(fs::symlink_metadata(&linked).expect("a link").is_symlink());
    assert!(page_of(&run).contains("Quick test of"));
    // Stdout is written to, also if it is a file.
    let shell =
        format!("exec \"$0\" quick sim:consistent?size=256MiB --report /dev/stdout > {}", text(&at("out")));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &shell, env!("CARGO_BIN_EXE_drivelab")]);
    assert!(command.status().expect("a shell").success());
    let out = fs::read_to_string(at("out")).expect("a file");
    assert!(out.contains("Quick test of") && out.contains("<!DOCTYPE html>"), "{out}");
}

/// A folder that others handed on holds a link under the name of a file that is only there while another one is written.
#[test]
fn a_result_of_others_leads_no_file_elsewhere() {
    let folder = folder();
    let (run, victim) = (folder.path().join("run"), folder.path().join("victim"));
    drivelab(&[&LOAD[..], &["-o", text(&run)]].concat()).with_code(0);
    fs::write(&victim, "mine").expect("room");
    for name in ["run.json.partial", "report.html.partial", "findings.json.partial"] {
        symlink(&victim, run.join(name)).expect("a link");
    }
    drivelab(&["label", text(&run), "--label", "Other"]).with_code(0);
    drivelab(&["report", text(&run)]).with_code(0);
    assert_eq!(fs::read_to_string(&victim).expect("a file"), "mine");
    assert_eq!(manifest(&run)["label"], "Other");
}

#[test]
fn an_export_has_a_place() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&[&LOAD[..], &["-o", text(&run)]].concat()).with_code(0);
    drivelab(&["export", text(&run), "--destination", ""])
        .fails_in_the_parser(&["--destination", "name a folder"]);
}
