//! Every kind of result: kept, opened again byte for byte, compared, and put on one page with the others.
//!
//! The kinds are those of the program's own list: one that is added there and has no row among the tested kinds fails the test.

#![expect(clippy::format_push_string, reason = "texts are short, and put together once")]

mod faults;

use std::path::{Path, PathBuf};

use crate::common::{self, drivelab, folder, text};
use crate::tested_kinds::{TESTED, words};
use drivelab_runner::{KINDS, KindEntry};
use serde_json::{Value, json};

/// The drives that are compared.
const DRIVES: [&str; 2] = ["sim:consistent?size=2GiB", "sim:sm2246en?size=2GiB"];

/// Two results of a kind.
fn two(kind: &KindEntry, beside: &Path) -> [PathBuf; 2] {
    [0, 1].map(|drive| one(kind, beside, drive))
}

/// The result of a kind on one of the drives.
fn one(kind: &KindEntry, beside: &Path, drive: usize) -> PathBuf {
    let kept = beside.join(format!("{}-{drive}", kind.name));
    let metrics = beside.join(format!("{}-{drive}.prom", kind.name));
    let row = TESTED.iter().find(|row| row.name == kind.name).expect("a row for each kind");
    let asked = words(row.short, DRIVES[drive], beside);
    let (command, options) = asked.split_first().expect("a command");
    let mut asked = vec![command.as_str(), "-o", text(&kept), "--openmetrics", text(&metrics)];
    asked.extend(options.iter().map(String::as_str));
    drivelab(&asked).with_code(0);
    let metrics = read(&metrics);
    assert!(
        metrics.contains(&format!("command=\"{}\"", kind.name)) && metrics.ends_with("# EOF\n"),
        "{metrics}"
    );
    kept
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
        let compared = if kind.name == "energy" { "two commands" } else { "two drives" };
        assert!(read(&both).contains(compared), "{}: the title says what is compared", kind.name);
        other_forms(kind, &first, folder.path());
        hand_over(&both);
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

/// Copies the page of a comparison to where the tests in a browser open it, where they asked for that.
fn hand_over(page: &Path) {
    let Some(pages) = std::env::var_os("DRIVELAB_KIND_PAGES").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&pages).expect("room");
    std::fs::copy(page, pages.join(page.file_name().expect("a name"))).expect("room");
}

/// Markdown, the document, tables and pictures.
fn other_forms(kind: &KindEntry, kept: &Path, beside: &Path) {
    let markdown = drivelab(&["report", text(kept), "--markdown"]).with_code(0).stdout;
    assert!(markdown.starts_with("# "), "{}: {markdown}", kind.name);
    let document = drivelab(&["report", text(kept), "--json"]).with_code(0).json();
    common::assert_fits(&(kind.schema)().to_string(), &document);
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
fn a_page_has_the_name_of_one_and_replaces_none_of_other_results() {
    let folder = folder();
    let [first, second] = two(&KINDS[0], folder.path());
    let pdf = folder.path().join("x.pdf");
    drivelab(&["report", text(&first), "--report", text(&pdf)])
        .fails_in_one_line(2, &["x.pdf", ".html", "PDF"]);
    assert!(!pdf.exists());
    let page = read(&first.join("report.html"));
    let own = first.join("report.html");
    drivelab(&["report", text(&first), text(&second), "--report", text(&own)])
        .fails_in_one_line(2, &["report.html", "replaces no other page"]);
    assert_eq!(page, read(&own));
    drivelab(&["report", text(&first), "--report", text(&own)]).with_code(0);
    let both = folder.path().join("both.html");
    // A page among the folders is to be made, which the error says.
    drivelab(&["report", text(&first), text(&second), text(&both)])
        .fails_in_one_line(2, &["both.html", "--report"]);
    drivelab(&["report", text(&first), text(&second), "--report", text(&both)]).with_code(0);
    let page = read(&both);
    drivelab(&["report", text(&first), "--report", text(&both)])
        .fails_in_one_line(2, &["both.html", "replaces no other page"]);
    assert_eq!(page, read(&both));
}

/// What can be wrong with a file of a result: the file, what becomes of its document, and what is said of it.
struct Damage {
    name: &'static str,
    file: &'static str,
    change: fn(&mut Value),
    said: &'static str,
}

const DAMAGES: [Damage; 6] = [
    Damage {
        name: "older",
        file: "run.json",
        change: |run| run["schema"] = json!("drivelab.run/1"),
        said: "use the version that made the run",
    },
    Damage {
        name: "edited-settings",
        file: "run.json",
        change: |run| run["settings"]["colour"] = json!("blue"),
        said: "put back a whole copy",
    },
    Damage {
        name: "unknown-kind",
        file: "",
        change: |run| run["method"] = json!("horoscope"),
        said: "knows no test that is called horoscope",
    },
    Damage {
        name: "edited-findings",
        file: "findings.json",
        change: |found| found["findings"]["colour"] = json!("blue"),
        said: "put back a whole copy",
    },
    Damage {
        name: "older-findings",
        file: "findings.json",
        // Another version has other fields.
        change: |found| *found = json!({"schema": "drivelab.quick/0", "found": {}}),
        said: "use the version that made the result",
    },
    Damage {
        name: "findings-of-another",
        file: "findings.json",
        change: |found| found["run"] = json!("0000000000000000"),
        said: "another run",
    },
];

#[test]
fn what_is_wrong_with_a_result_of_any_kind_is_said_in_a_line_and_the_others_are_shown() {
    let folder = folder();
    for kind in KINDS {
        let kept = one(kind, folder.path(), 0);
        let whole = common::run_folders(&kept).into_iter().next().unwrap_or(kept);
        let cut = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
        for file in ["run.json", "findings.json"] {
            let bad = copy(&whole, &folder.path().join(format!("{}-cut-{file}", kind.name)));
            let mut bytes = std::fs::read(bad.join(file)).expect("a file");
            cut(&mut bytes);
            std::fs::write(bad.join(file), bytes).expect("room");
            is_left_out(&bad, &whole, &[file, "damaged", "put back a whole copy"]);
        }
        for damage in &DAMAGES {
            let bad = copy(&whole, &folder.path().join(format!("{}-{}", kind.name, damage.name)));
            let file = bad.join(if damage.file.is_empty() { "run.json" } else { damage.file });
            let mut document: Value = serde_json::from_str(&read(&file)).expect("JSON");
            (damage.change)(&mut document);
            std::fs::write(&file, document.to_string()).expect("room");
            is_left_out(&bad, &whole, &[damage.file, damage.said]);
        }
    }
}

#[test]
fn records_and_findings_that_are_gone_are_missed() {
    let folder = folder();
    for kind in KINDS {
        let kept = one(kind, folder.path(), 0);
        let whole = common::run_folders(&kept).into_iter().next().unwrap_or(kept);
        if let Some((segment, bytes)) = common::tree(&whole).into_iter().find(|(path, _)| is_segment(path)) {
            for cut in [Some(bytes.len() / 2), None] {
                let bad = copy(&whole, &folder.path().join(format!("{}-segment-{cut:?}", kind.name)));
                match cut {
                    Some(length) => std::fs::write(bad.join(&segment), &bytes[..length]).expect("room"),
                    None => std::fs::remove_file(bad.join(&segment)).expect("a segment"),
                }
                let page = bad.with_extension("html");
                let shown = drivelab(&["report", text(&bad), "--report", text(&page)]).with_code(1);
                assert!(shown.stderr.contains("put back a whole copy"), "{}: {}", kind.name, shown.stderr);
                assert!(read(&page).contains("put back a whole copy"), "{}: the page says it", kind.name);
            }
        }
        let bad = copy(&whole, &folder.path().join(format!("{}-no-findings", kind.name)));
        std::fs::remove_file(bad.join("findings.json")).expect("findings");
        match kind.name {
            // Their figures come from the records.
            "consistency" | "load" | "replay" => drop(drivelab(&["report", text(&bad)]).with_code(0)),
            _ => is_left_out(&bad, &whole, &["findings.json", "put back a whole copy"]),
        }
    }
}

fn is_segment(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("segments"))
}

/// Alone, a bad result is an error of one line; next to a whole one, that line says what was left out.
#[track_caller]
fn is_left_out(bad: &Path, whole: &Path, words: &[&str]) {
    let words = [&[text(bad)], words].concat();
    drivelab(&["report", text(bad)]).fails_in_one_line(2, &words);
    let page = bad.with_extension("html");
    let ended = drivelab(&["report", text(bad), text(whole), "--report", text(&page)]).with_code(1);
    let lines: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("left out: ")).collect();
    assert!(matches!(lines.as_slice(), [line] if words.iter().all(|word| line.contains(word))), "{lines:?}");
    assert!(page.exists() && !ended.stdout.is_empty(), "what is whole is shown");
}

/// A copy of a result.
fn copy(from: &Path, to: &Path) -> PathBuf {
    for (path, bytes) in common::tree(from) {
        let place = to.join(path);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("room");
        std::fs::write(place, bytes).expect("room");
    }
    to.to_owned()
}
