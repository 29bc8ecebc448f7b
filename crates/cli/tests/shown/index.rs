//! The index of all results below a folder.

use std::fs;
use std::path::Path;

use crate::common::{self, drivelab, folder, text};
use serde_json::Value;

/// A test of random writes on a simulated drive.
fn consistency(drive: &str, duration: &str, into: &Path) {
    drivelab(&["consistency", drive, "--duration", duration, "--window", "1s", "-o", text(into)])
        .with_code(0);
}

fn run_of(folder: &Path) -> std::path::PathBuf {
    common::run_folders(folder).into_iter().next().expect("a run")
}

/// Changes the manifest of a run, and in its findings by what they know the run.
fn change(run: &Path, change: impl FnOnce(&mut Value)) {
    let mut manifest = common::manifest(run);
    change(&mut manifest);
    fs::write(run.join("run.json"), manifest.to_string()).expect("room");
    let (_, manifest) = drivelab_record::RunFolder::open(run).expect("a run");
    let file = run.join("findings.json");
    let mut findings: Value = serde_json::from_slice(&fs::read(&file).expect("findings")).expect("JSON");
    findings["run"] = manifest.id().into();
    fs::write(file, findings.to_string()).expect("room");
}

fn drive<'a>(index: &'a Value, name: &str) -> &'a Value {
    let drives = index["findings"]["drives"].as_array().expect("drives");
    drives.iter().find(|drive| drive["name"] == name).unwrap_or_else(|| panic!("{name} is not in {index}"))
}

fn figure<'a>(drive: &'a Value, name: &str) -> Option<&'a Value> {
    drive["figures"].as_array().expect("figures").iter().find(|figure| figure["name"] == name)
}

#[test]
fn loads_that_were_asked_differently_are_different_figures() {
    let folder = folder();
    for (place, depth) in ["1", "32"].into_iter().enumerate() {
        let load = ["load", "sim:consistent?size=256MiB", "--rw", "randwrite", "--duration", "2s"];
        let into = folder.path().join(place.to_string());
        drivelab(&[&load[..], &["--queue-depth", depth, "-o", text(&into)]].concat()).with_code(0);
    }
    let index = drivelab(&["index", text(folder.path()), "--json"]).with_code(0).json();
    let own = drive(&index, "sim:consistent?size=256MiB");
    let value = |name| figure(own, name).and_then(|figure| figure["value"].as_f64()).expect("a figure");
    let one = value("Random writes of 4 KiB, 1 in flight");
    assert!(value("Random writes of 4 KiB, 32 in flight") > one, "{own}");
    assert!(value("Random writes of 4 KiB, 1 in flight: p99.99") > 0.0, "{own}");
}

#[test]
fn drives_of_one_serial_number_are_rows_of_their_own_if_anything_tells_them_apart() {
    let folder = folder();
    let into = folder.path().join("first");
    drivelab(&["load", "sim:consistent?size=256MiB", "--duration", "1s", "-o", text(&into)]).with_code(0);
    let drives = |facts: [(&str, &str); 2]| {
        for (place, (wwn, path)) in ["first", "second"].into_iter().zip(facts) {
            let run = folder.path().join(place);
            if !run.exists() {
                fs::create_dir(&run).expect("room");
                for file in ["run.json", "findings.json"] {
                    fs::copy(into.join(file), run.join(file)).expect("a file");
                }
            }
            change(&run, |manifest| {
                let shown = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
                manifest["drive"] = serde_json::json!({
                    "model": "A drive", "serial": "SAME", "wwn": shown(wwn), "size_bytes": 1 << 30, "simulated": false,
                    "partition": 0, "kernel_name": "sda", "path": shown(path),
                });
            });
        }
        let index = drivelab(&["index", text(folder.path()), "--json"]).with_code(0).json();
        let drives = index["findings"]["drives"].as_array().expect("drives").clone();
        (drives.len(), drives[0]["doubt"].as_str().map(str::to_owned))
    };
    assert_eq!(drives([("naa.5", "pci-1"), ("naa.6", "pci-2")]), (2, None));
    assert_eq!(drives([("naa.5", "pci-1"), ("naa.5", "pci-2")]), (1, None), "it was moved");
    // An earlier version did not keep the name: it is the only drive that there is.
    assert_eq!(drives([("naa.5", "pci-1"), ("", "")]), (1, None));
    assert_eq!(drives([("", "pci-1"), ("", "pci-1")]), (1, None));
    for names in [["", ""], ["naa.5", ""]] {
        let (rows, doubt) = drives([(names[0], "pci-1"), (names[1], "pci-2")]);
        assert!(
            rows == 1 && doubt.as_ref().is_some_and(|doubt| doubt.contains("may be of several drives")),
            "{names:?}: {doubt:?}"
        );
    }
}

#[test]
fn every_drive_has_a_row_with_the_figures_that_its_results_have() {
    let folder = folder();
    let all = folder.path().join("all results");
    for (place, name) in ["sim:consistent?size=256MiB", "sim:sm2246en?size=1GiB", "sim:mx200-250?size=1GiB"]
        .into_iter()
        .enumerate()
    {
        consistency(name, if place == 2 { "8s" } else { "6s" }, &all.join(format!("{place}/consistency")));
    }
    drivelab(&["quick", "sim:consistent?size=256MiB", "-o", text(&all.join("0/quick"))]).with_code(0);
    let index = drivelab(&["index", text(&all), "--json"]).with_code(0).json();
    assert_eq!(index["schema"], "drivelab.index/1");
    assert_eq!(index["findings"]["drives"].as_array().map(Vec::len), Some(3));
    let own = drive(&index, "sim:consistent?size=256MiB");
    let run = run_of(&all.join("0/consistency"));
    let found = drivelab(&["report", text(&run), "--json"]).with_code(0).json();
    let steady = figure(own, "Random writes at the end").expect("a figure");
    assert_eq!(steady["value"], found["findings"]["summary"]["iops_mean"]);
    assert_eq!(own["results"][1]["kind"], "quick test", "{own}");
    assert!(figure(own, "Sequential reads").is_some());
    assert!(figure(drive(&index, "sim:sm2246en?size=1GiB"), "Sequential reads").is_none());
    let differing = &drive(&index, "sim:mx200-250?size=1GiB")["results"][0]["differing"];
    assert_eq!(differing[0], serde_json::json!({"name": "duration", "own": "8 s", "usual": "6 s"}));

    let page = fs::read_to_string(all.join("index.html")).expect("a page");
    let link = page.split("href=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a link");
    assert!(all.join(link).is_file(), "{link}");
    assert!(page.contains("duration 8 s instead of 6 s"));
    drivelab(&["index", text(&all)]).with_code(0);
    let csv = folder.path().join("csv");
    let markdown = drivelab(&["index", text(&all), "--markdown", "--csv", text(&csv)]).with_code(0).stdout;
    assert!(markdown.contains("Three results") || markdown.contains("4 results of 3 drives"), "{markdown}");
    let table = fs::read_to_string(csv.join("drives.csv")).expect("a table");
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.lines().any(|line| line.contains("duration 8 s instead of 6 s")), "{table}");
}

#[test]
fn a_drive_is_known_by_its_serial_number_and_its_newest_whole_result_counts() {
    let folder = folder();
    let runs: Vec<_> = ["first", "second", "third"]
        .iter()
        .map(|name| {
            let into = folder.path().join(name);
            consistency("sim:consistent?size=256MiB", "4s", &into);
            run_of(&into)
        })
        .collect();
    for (run, (day, firmware)) in runs.iter().zip([("01", "1.0"), ("03", "1.1"), ("02", "1.0")]) {
        change(run, |manifest| {
            manifest["drive"] = serde_json::json!({
                "model": "A drive", "serial": "S1234", "firmware": firmware, "size_bytes": 1_000_000_000_u64,
                "simulated": false,
            });
            manifest["started"] =
                serde_json::json!({"at": format!("2026-11-{day}T10:00:00+01:00"), "machine": "m"});
        });
    }
    // The newest one was killed: what it had found by then stands for nothing.
    change(&runs[1], |manifest| {
        manifest.as_object_mut().expect("fields").remove("outcome");
    });
    let index = drivelab(&["index", text(folder.path()), "--json"]).with_code(0).json();
    let drives = index["findings"]["drives"].as_array().expect("drives");
    assert_eq!(drives.len(), 1, "{index}");
    assert_eq!((&drives[0]["name"], &drives[0]["serial"]), (&"A drive".into(), &"S1234".into()));
    assert_eq!(drives[0]["firmware"], "1.1");
    let place =
        figure(&drives[0], "Random writes, fresh").expect("a figure")["result"].as_u64().expect("a place");
    let source = &drives[0]["results"][usize::try_from(place).expect("small")];
    assert_eq!(source["started"]["at"], "2026-11-02T10:00:00+01:00", "{drives:?}");
    assert_eq!(drives[0]["results"][0]["state"], "killed");

    for run in &runs {
        change(run, |manifest| manifest["hides_serial"] = true.into());
    }
    let hidden = drivelab(&["index", text(folder.path()), "--json"]).with_code(0).stdout;
    let page = fs::read_to_string(folder.path().join("index.html")).expect("a page");
    assert!(!hidden.contains("S1234") && !page.contains("S1234"));
}

/// A simulated drive has no date: its newest result is the one that was written last, whatever its folder is called.
#[test]
fn the_newest_result_of_a_simulated_drive_is_the_one_that_was_written_last() {
    let folder = folder();
    let runs = ["b", "a"].map(|name| folder.path().join(name));
    for (run, duration) in runs.iter().zip(["1s", "2s"]) {
        let load = ["load", "sim:consistent?size=256MiB", "--duration", duration, "-o", text(run)];
        drivelab(&load).with_code(0);
    }
    let written = |run: &Path, second: u64| {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
        let file = fs::File::options().append(true).open(run.join("findings.json")).expect("findings");
        file.set_modified(at).expect("its own");
    };
    let newest = || {
        let index = drivelab(&["index", text(folder.path()), "--json"]).with_code(0).json();
        let results = index["findings"]["drives"][0]["results"].clone();
        results[0]["folder"].as_str().expect("a folder").to_owned()
    };
    for (newer, older) in [(0, 1), (1, 0)] {
        written(&runs[newer], 2_000_000_000);
        written(&runs[older], 1_000_000_000);
        assert_eq!(newest(), text(&runs[newer]));
    }
    let page = fs::read_to_string(folder.path().join("index.html")).expect("a page");
    assert!(page.contains("whose findings were written last"), "what is the newest is said");
}

/// Runs of different lengths are not in one picture.
#[test]
fn a_picture_has_curves_of_runs_that_were_asked_for_alike() {
    let folder = folder();
    for (name, drive, duration) in [
        ("a", "sim:consistent?size=256MiB", "6s"),
        ("b", "sim:sm2246en?size=1GiB", "6s"),
        ("c", "sim:mx200-250?size=1GiB", "8s"),
    ] {
        consistency(drive, duration, &folder.path().join(name));
    }
    let markdown = drivelab(&["index", text(folder.path()), "--markdown"]).with_code(0).stdout;
    let left_out = "Not in the picture of random writes, as these were asked for in another way than those in \
                    it, or did not come to their end: sim:mx200-250?size=1GiB.";
    assert!(markdown.contains(left_out), "{markdown}");
    let page = fs::read_to_string(folder.path().join("index.html")).expect("a page");
    let has_curve = |drive: &str| page.contains(&format!("\"name\":\"{drive}\""));
    assert!(has_curve("sim:sm2246en?size=1GiB") && !has_curve("sim:mx200-250?size=1GiB"), "the curves");
}

#[test]
fn a_drive_is_called_as_the_user_calls_it() {
    let folder = folder();
    let load = ["load", "sim:consistent?size=256MiB", "--duration", "1s", "-o"];
    let runs = ["a", "b"].map(|name| folder.path().join(name));
    runs.iter().for_each(|run| drop(drivelab(&[&load[..], &[text(run)]].concat()).with_code(0)));
    let index = || {
        let markdown = drivelab(&["index", text(folder.path()), "--markdown"]).with_code(0).stdout;
        let json = drivelab(&["index", text(folder.path()), "--json"]).with_code(0).json();
        (markdown, json["findings"]["drives"][0]["label"].clone())
    };
    assert_eq!(index().1, Value::Null);
    drivelab(&["label", text(&runs[0]), "--label", "TLC 990"]).with_code(0);
    let (markdown, label) = index();
    assert!(label == "TLC 990" && markdown.contains("| TLC 990"), "{markdown}");
    // Several names tell results apart, and not drives.
    drivelab(&["label", text(&runs[1]), "--label", "after a year"]).with_code(0);
    assert_eq!(index().1, Value::Null);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_shown() {
    let folder = folder();
    let (good, other, unknown, lost) = (
        folder.path().join("good"),
        folder.path().join("other"),
        folder.path().join("unknown"),
        folder.path().join("lost"),
    );
    for into in [&good, &other, &unknown] {
        drivelab(&["quick", "sim:hdd-7200", "-o", text(into)]).with_code(0);
    }
    let findings = fs::read_to_string(other.join("findings.json")).expect("findings");
    fs::write(other.join("findings.json"), findings.replace("drivelab.quick/", "drivelab.quick/9"))
        .expect("room");
    change(&unknown, |manifest| manifest["method"] = "teleport".into());
    fs::create_dir_all(lost.join("segments")).expect("room");
    let ended = drivelab(&["index", text(folder.path())]).with_code(1);
    for words in ["drivelab.quick/9", "teleport", "no run.json", "One result of one drive"] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    let page = folder.path().join("index.html");
    fs::write(&page, "<html>my own page</html>").expect("room");
    drivelab(&["index", text(folder.path())]).fails_in_one_line(2, &["is there already"]);
    assert_eq!(fs::read_to_string(&page).expect("a page"), "<html>my own page</html>");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("room");
    drivelab(&["index", text(&empty)]).fails_in_one_line(2, &["no result in it", "-o"]);
    drivelab(&["index", text(&folder.path().join("none"))]).fails_in_one_line(2, &["no such folder"]);
}
