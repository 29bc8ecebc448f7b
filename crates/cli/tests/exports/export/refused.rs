//! What is not exported, and what is said then.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{self, assert_fits, drivelab, folder, manifest, records, text, tree};
use crate::export::parquet_files::{catalogue, named};
use crate::export::{export, load, trace};

#[test]
fn a_destination_that_cannot_be_one_is_refused_before_anything_is_written() {
    let folder = folder();
    let (run, file) = (load(&folder.path().join("runs/a"), "1s"), folder.path().join("file"));
    fs::write(&file, "kept").expect("room");
    let runs = folder.path().join("runs");
    let before = tree(folder.path());
    export(&run, &file, &[])
        .fails_in_one_line(2, &["--destination", "is no folder", "empty or not there yet"]);
    export(&run, &file.join("below"), &[]).fails_in_one_line(3, &["name a folder"]);
    export(&runs, &runs.join("fleet"), &[]).fails_in_one_line(2, &["lies in", "outside it"]);
    export(&run, &run, &[]).fails_in_one_line(2, &["something else than exports"]);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("room");
    let fleet = folder.path().join("fleet");
    export(&empty, &fleet, &[]).fails_in_one_line(2, &["no result in it", "-o or --output"]);
    export(&folder.path().join("none"), &fleet, &[]).fails_in_one_line(2, &["no such folder"]);
    export(&run, &fleet, &["--host", ""]).fails_in_the_parser(&["such as lab-07"]);
    export(&run, &fleet, &["--started", "yesterday"])
        .fails_in_the_parser(&["such as 2026-11-26T17:32:15+01:00"]);
    assert!(tree(folder.path()) == before && !fleet.exists());
}

#[test]
fn what_has_no_clock_time_or_machine_says_which_option_gives_it() {
    let folder = folder();
    let fleet = folder.path().join("fleet");
    export(&trace(folder.path()), &fleet, &[]).fails_in_one_line(2, &["name the machine", "--host NAME"]);
    let (file, clockless) = (folder.path().join("log"), folder.path().join("clockless"));
    fs::write(
        &file,
        "fio version 2 iolog\n/dev/sdz_SERIAL77 add\n/dev/sdz_SERIAL77 open\n/dev/sdz_SERIAL77 read 0 4096\n",
    )
    .expect("room");
    drivelab(&["trace", "import", text(&file), "-o", text(&clockless)]).with_code(0);
    export(&clockless, &fleet, &["--host", "lab"]).fails_in_one_line(2, &["no clock time", "--started 20"]);
    export(&clockless, &fleet, &["--host", "lab", "--started", "2026-11-24T08:00:00Z"]).with_code(0);
    assert!(fleet.join("date=2026-11-24/host=lab").is_dir());
    let all: Vec<u8> = tree(&fleet).into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert!(!String::from_utf8_lossy(&all).contains("SERIAL77"), "no name of a file is exported");
}

/// Changes the manifest of a run.
fn change(run: &Path, change: impl FnOnce(&mut Value)) {
    let mut manifest = manifest(run);
    change(&mut manifest);
    fs::write(run.join("run.json"), manifest.to_string()).expect("room");
}

#[test]
fn results_that_cannot_be_exported_are_named_and_the_others_are_exported() {
    let folder = folder();
    let (results, fleet) = (folder.path().join("results"), folder.path().join("fleet"));
    let names = ["damaged", "older", "short", "unended", "whole"];
    for (number, name) in names.iter().enumerate() {
        load(&results.join(name), &format!("{}s", number + 1));
    }
    fs::write(results.join("damaged/run.json"), "{").expect("room");
    change(&results.join("older"), |run| run["schema"] = "drivelab.run/1".into());
    let segment = records::segments(&results.join("short")).remove(0);
    let bytes = fs::read(&segment).expect("a segment");
    fs::write(&segment, [&bytes[..900], &[0; 100], &bytes[1_000..]].concat()).expect("room");
    change(&results.join("unended"), |run| drop(run.as_object_mut().expect("fields").remove("outcome")));
    let ended = export(&results, &fleet, &["--json"]).with_code(1);
    for (name, why) in [
        ("damaged", "put back a whole copy"),
        ("older", "its schema is drivelab.run/1"),
        ("short", "its records are damaged"),
        ("unended", "has not ended"),
    ] {
        let line = ended.stderr.lines().find(|line| line.contains(&format!("results/{name}")));
        assert!(line.is_some_and(|line| line.contains(why)), "{name}: {}", ended.stderr);
    }
    let document = ended.json();
    assert_fits(include_str!("../../../schemas/drivelab.export-1.json"), &document);
    assert_eq!(document["left_out"].as_array().map(Vec::len), Some(4));
    assert_eq!((named(&fleet, "rollup.parquet").len(), catalogue(&fleet).len()), (1, 1), "the whole one");
    assert!(tree(&fleet).iter().all(|(path, _)| !path.to_string_lossy().contains("partial")));
}

#[test]
fn a_hidden_serial_number_is_nowhere_in_the_destination_and_a_shown_one_is_in_two_tables_only() {
    let folder = folder();
    let (run, shown, hidden) =
        (load(&folder.path().join("run"), "1s"), folder.path().join("shown"), folder.path().join("hidden"));
    change(&run, |run| {
        run["drive"]["serial"] = "S3Z9NB0K123456".into();
        run["target"] = "/dev/disk/by-id/ata-A_drive_S3Z9NB0K123456".into();
        run["label"] = run["target"].clone();
        run["started"] = serde_json::json!({"at": "2026-11-24T10:00:00+01:00", "machine": "lab"});
    });
    let holds = |destination: &Path| {
        let files = tree(destination).into_iter();
        let holding = files.filter(|(_, bytes)| bytes.windows(14).any(|word| word == b"S3Z9NB0K123456"));
        holding.map(|(path, _)| path).collect::<Vec<_>>()
    };
    export(&run, &shown, &[]).with_code(0);
    let row = &catalogue(&shown)[0];
    assert_eq!(
        (row["serial"].as_str(), row["start"].as_str()),
        ("S3Z9NB0K123456", "2026-11-24T10:00:00+01:00")
    );
    assert_eq!((row["host"].as_str(), row["start_source"].as_str()), ("lab", "clock"));
    let holding = holds(&shown);
    assert!(holding.iter().all(|path| path.starts_with("catalogue") || path.starts_with("drives")));
    assert_eq!(holding.len(), 2);
    export(&run, &hidden, &["--hide-serial"]).with_code(0);
    assert_eq!(holds(&hidden), Vec::<std::path::PathBuf>::new());
    let row = &catalogue(&hidden)[0];
    assert!(row["serial"].starts_with("hidden-") && row["label"].contains("hidden-"), "{row:?}");
    assert_eq!(common::run_folders(folder.path()), [run]);
}
