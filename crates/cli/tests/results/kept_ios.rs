//! Loads and consistency tests that are opened again: the same page, byte for byte, and several next to each other.

use std::path::{Path, PathBuf};

use crate::common::{self, assert_fits, drivelab, folder, results, run_folders, text};

const LOAD: &str = include_str!("../../../kinds/schemas/drivelab.load-3.json");
const CONSISTENCY: &str = include_str!("../../../kinds/schemas/drivelab.consistency-3.json");

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file of the result")
}

/// Takes a page away, has it made again, and expects the same one.
#[track_caller]
fn is_made_again(folder: &Path) {
    let page = folder.join("report.html");
    let before = read(&page);
    std::fs::remove_file(&page).expect("the page");
    drivelab(&["report", text(folder)]).with_code(0);
    assert!(read(&page) == before, "{} differs from the page that was there", page.display());
}

/// Pictures and tables of some results: their names.
fn files(runs: &[PathBuf], places: &[PathBuf; 2]) -> Vec<String> {
    let runs: Vec<&str> = runs.iter().map(|run| text(run)).collect();
    let outputs = ["--csv", text(&places[0]), "--svg", text(&places[1])];
    drivelab(
        &[&["report"][..], &runs, &outputs, &["--report", text(&places[0].with_extension("html"))]].concat(),
    )
    .with_code(0);
    let both = places.iter().flat_map(|place| common::tree(place));
    both.map(|(name, _)| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn loads_are_opened_again_and_compared() {
    let folder = folder();
    let runs = ["sim:consistent?size=1GiB", "sim:sm2246en?size=1GiB"].map(|target| {
        let run = folder.path().join(target.replace([':', '?', '='], "-"));
        let asked = ["load", target, "--rw", "randwrite", "--duration", "8s", "--output", text(&run)];
        let shown = drivelab(&asked).with_code(0).stdout;
        assert!(shown.contains("Random writes run at"), "{shown}");
        is_made_again(&run);
        run
    });
    let both = folder.path().join("both.html");
    let compared =
        drivelab(&["report", text(&runs[0]), text(&runs[1]), "--report", text(&both)]).with_code(0);
    assert!(compared.stdout.contains('✓') && read(&both).contains("Load of two drives"));
    let documents = drivelab(&["report", text(&runs[0]), text(&runs[1]), "--json"]).with_code(0).json();
    assert_eq!(results(&documents).len(), 2);
    results(&documents).iter().for_each(|document| assert_fits(LOAD, document));
    let names = files(&runs, &["tables", "pictures"].map(|name| folder.path().join(name)));
    for name in ["rate.csv", "latency-tail.csv", "figures.csv", "rate.svg", "latency-tail.svg"] {
        assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
    }
    let seconds = read(&folder.path().join("tables/rate.csv"));
    assert_eq!(seconds.lines().count(), 17, "a head and eight seconds of each: {seconds}");
}

#[test]
fn consistency_tests_are_opened_again_one_by_one_and_together() {
    let folder = folder();
    let output = folder.path().join("runs");
    let targets = ["consistency", "sim:consistent?size=1GiB", "sim:sm2246en?size=1GiB"];
    let asked = [
        "--over-provisioning",
        "0%,25%",
        "--duration",
        "40s",
        "--window",
        "2s",
        "-o",
        text(&output),
        "--json",
    ];
    let document = drivelab(&[&targets[..], &asked].concat()).with_code(0).json();
    let live = results(&document);
    assert_eq!(live.len(), 4);
    live.iter().for_each(|document| assert_fits(CONSISTENCY, document));
    is_made_again(&output);
    let page = read(&output.join("report.html"));
    assert!(
        page.contains("Performance consistency of two drives") && page.contains("25 % over-provisioning")
    );
    for (run, live) in run_folders(&output).iter().zip(&live) {
        is_made_again(run);
        assert_eq!(drivelab(&["report", text(run), "--json"]).with_code(0).json(), *live);
    }
    // A run that was killed left no findings: its records give them.
    let run = &run_folders(&output)[0];
    std::fs::remove_file(run.join("findings.json")).expect("findings");
    assert_eq!(drivelab(&["report", text(run), "--json"]).with_code(0).json(), live[0]);
}
