//! Every kind of result: kept, opened again byte for byte, compared, and put on one page with the others.
//!
//! The kinds are those of the program's own list: one that is added there and has no command here fails the test.

mod common;

use std::path::{Path, PathBuf};

use common::{drivelab, folder, text};
use drivelab_runner::{KINDS, KindEntry};

/// The drives that are compared.
const DRIVES: [&str; 2] = ["sim:consistent?size=2GiB", "sim:sm2246en?size=2GiB"];

/// The arguments of a short test of a kind on a drive; `beside` is a folder for what it needs.
fn arguments(kind: &KindEntry, drive: &str, beside: &Path) -> Vec<String> {
    let own = match kind.name {
        "consistency" => "--duration 10s --window 1s".to_owned(),
        "energy" => return energy(beside),
        "load" => "--rw randwrite --duration 2s".to_owned(),
        "matrix" => "--threads 1,2 --work seq-read --runs 3 --cell-duration 1s".to_owned(),
        "paths" => "--sizes 1MB --cell-bytes 16MB --runs 2".to_owned(),
        "pts" => "--tests throughput --cell-duration 1s".to_owned(),
        "quick" => String::new(),
        "replay" => return words(&format!("replay {} {drive}", text(&trace(beside)))),
        "stalls" => "--bytes 1GiB --verify no".to_owned(),
        "trim" => "--precondition random:2s --runs 2".to_owned(),
        other => panic!("the kind {other} has no command in this test: add it"),
    };
    words(&format!("{} {drive} {own}", kind.name))
}

fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

/// A command that is measured by a meter whose log covers the next minute.
#[expect(clippy::disallowed_methods, reason = "the log of a meter has the time of day")]
fn energy(beside: &Path) -> Vec<String> {
    let log = beside.join("watts.csv");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs();
    let lines = (now - 5..now + 60).map(|second| format!("{second},5.0\n"));
    std::fs::write(&log, format!("time,watts\n{}", lines.collect::<String>())).expect("room");
    let mut asked = words(&format!("energy --meter csv:{} --baseline 1s", text(&log)));
    asked.extend(words("--moved 1MB"));
    asked
}

/// A trace: the records of a load.
fn trace(beside: &Path) -> PathBuf {
    let kept = beside.join("trace");
    if !kept.exists() {
        let load = "load sim:consistent?size=2GiB --rw randwrite --rate 500/s --duration 2s -o";
        let asked = [words(load), vec![text(&kept).to_owned()]].concat();
        drivelab(&asked.iter().map(String::as_str).collect::<Vec<_>>()).with_code(0);
    }
    kept
}

/// Two results of a kind.
fn two(kind: &KindEntry, beside: &Path) -> [PathBuf; 2] {
    [0, 1].map(|drive| {
        let kept = beside.join(format!("{}-{drive}", kind.name));
        let mut asked = arguments(kind, DRIVES[drive], beside);
        asked.extend(["-o".to_owned(), text(&kept).to_owned()]);
        if kind.name == "energy" {
            asked.extend(words("-- sleep 1"));
        }
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        drivelab(&asked).with_code(0);
        kept
    })
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_kind_is_opened_again_compared_and_shown_with_the_others() {
    let folder = folder();
    let mut one_of_each = Vec::new();
    for kind in KINDS {
        let [first, second] = two(kind, folder.path());
        let page = first.join("report.html");
        let made = read(&page);
        std::fs::remove_file(&page).expect("the page");
        drivelab(&["report", text(&first)]).with_code(0);
        assert_eq!(made, read(&page), "{}: the page is that of the test", kind.name);
        let both = folder.path().join(format!("{}.html", kind.name));
        drivelab(&["report", text(&first), text(&second), "--report", text(&both)]).with_code(0);
        assert_eq!(made, read(&page), "{}: a comparison replaces no page", kind.name);
        assert!(read(&both).contains("two drives"), "{}: the title says what is compared", kind.name);
        other_forms(kind, &first, folder.path());
        one_of_each.push(first);
    }
    let all = folder.path().join("all.html");
    let mut asked = vec!["report"];
    asked.extend(one_of_each.iter().map(|folder| text(folder)));
    asked.extend(["--report", text(&all)]);
    drivelab(&asked).with_code(0);
    let page = read(&all);
    for kind in KINDS {
        assert!(page.contains(&format!("id=\"{}\"", kind.name)), "{} has a section of its own", kind.name);
    }
}

/// Markdown, the document, tables and pictures.
fn other_forms(kind: &KindEntry, kept: &Path, beside: &Path) {
    let markdown = drivelab(&["report", text(kept), "--markdown"]).with_code(0).stdout;
    assert!(markdown.starts_with("# "), "{}: {markdown}", kind.name);
    let document = drivelab(&["report", text(kept), "--json"]).with_code(0).json();
    common::assert_fits(&kind.schema().to_string(), &document);
    let files = beside.join(format!("{}-files", kind.name));
    let forms = ["--csv", text(&files), "--svg", text(&files), "--png", text(&files)];
    drivelab(&[&["report", text(kept)][..], &forms].concat()).with_code(0);
    let names: Vec<String> = std::fs::read_dir(&files)
        .expect("files")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    for ending in [".csv", ".svg", ".png"] {
        assert!(
            names.iter().any(|name| name.ends_with(ending)),
            "{}: no {ending} among {names:?}",
            kind.name
        );
    }
}

#[test]
fn a_page_has_the_name_of_one_and_a_comparison_replaces_none() {
    let folder = folder();
    let [first, second] = two(&KINDS[0], folder.path());
    let pdf = folder.path().join("x.pdf");
    drivelab(&["report", text(&first), "--report", text(&pdf)])
        .fails_in_one_line(2, &["x.pdf", ".html", "PDF"]);
    assert!(!pdf.exists());
    let page = read(&first.join("report.html"));
    let own = first.join("report.html");
    drivelab(&["report", text(&first), text(&second), "--report", text(&own)])
        .fails_in_one_line(2, &["report.html", "replaces no page"]);
    assert_eq!(page, read(&own));
}
