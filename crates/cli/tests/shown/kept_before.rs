//! Results that an earlier version has kept are opened, and show what they are. `kept_before` holds one of each kind that is kept
//! of a simulated drive, as it was written before `drift` and the time of workers were kept, and a load of a zram drive in which
//! the program was stopped; all without their pages, which are made again. A change that cannot open them has to raise the
//! version of the kind, and to say which version opens them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{drivelab, folder, run_folders, text, tree};

/// What is kept that way: results, and what they are tests of in a page's words.
const KINDS: &[&str] = &[
    "consistency",
    "fill",
    "load",
    "load-real",
    "matrix",
    "offered-load",
    "paths",
    "pts",
    "quick",
    "replay",
    "stalls",
    "trim",
    "wake",
    "working-set",
];

/// A copy, since a report writes its page into the folder.
fn copied(kind: &str, to: &Path) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept_before").join(kind);
    for (path, contents) in tree(&from) {
        let own = to.join(kind).join(&path);
        fs::create_dir_all(own.parent().expect("a folder")).expect("room");
        fs::write(own, contents).expect("room");
    }
    to.join(kind)
}

#[test]
fn a_result_of_each_kind_is_shown_with_its_label() {
    let folder = folder();
    for kind in KINDS {
        let own = copied(kind, folder.path());
        let runs = if own.join("run.json").is_file() { vec![own] } else { run_folders(&own) };
        assert!(!runs.is_empty(), "{kind}");
        for run in runs {
            let shown = drivelab(&["report", text(&run)]);
            let said = format!("{kind}: {}{}", shown.stdout, shown.stderr);
            assert!(shown.code == Some(0), "{said}");
            let document = drivelab(&["report", text(&run), "--json"]).with_code(0).json();
            assert_eq!(document["run"]["label"], format!("An old {kind}"), "{kind}");
            assert!(document["findings"].is_object(), "{kind}");
            let page = fs::read_to_string(run.join("report.html")).expect("a page");
            assert!(page.contains(&format!("An old {kind}")), "{kind}");
        }
    }
    let index =
        drivelab(&["index", text(folder.path()), "--report", text(&folder.path().join("index.html"))]);
    let said = format!("{}{}", index.stdout, index.stderr);
    assert!(index.code == Some(0) && !said.contains("left out"), "{said}");
}

/// Which drive it was, and that the program stood still, comes from the records and the manifest of then.
#[test]
fn a_real_drive_has_its_identity_and_its_standstill() {
    let folder = folder();
    let run = copied("load-real", folder.path());
    let shown = drivelab(&["report", text(&run)]).with_code(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("An old load-real, zram2, 67.1 MB"), "{shown}");
    assert!(shown.contains("The program itself stood still once, 0.70 s in all"), "{shown}");
    assert!(shown.contains("the 70 I/Os that this delayed are left out"), "{shown}");
}

#[test]
fn a_trace_is_shown_and_replayed() {
    let folder = folder();
    let trace = copied("trace", folder.path());
    let shown = drivelab(&["trace", "show", text(&trace), "--json"]).with_code(0).json();
    assert_eq!(
        (&shown["findings"]["requests"]["read"], &shown["findings"]["requests"]["write"]),
        (&1.into(), &2.into())
    );
    drivelab(&["replay", text(&trace), "sim:consistent?size=256MiB&dies=4"]).with_code(0);
}
