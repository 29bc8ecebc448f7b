//! Traces: imported, shown, refused.

mod common;

use std::fs;

use common::{drivelab, folder, text};
use serde_json::Value;

const TRACE: &str = include_str!("../../report/schemas/drivelab.trace-1.json");

#[track_caller]
fn assert_fits(document: &Value) {
    let schema: Value = serde_json::from_str(TRACE).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema can be used");
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// A drive that answers in 0.2 ms, and in 40 ms ten times in a row after every 500 writes.
fn bunched() -> String {
    let row = |number: u64| {
        let is_slow = number % 500 >= 490;
        let response = if is_slow { 400_000 } else { 2_000 };
        let at = 128_166_372_003_061_629 + number * 500_000;
        format!("{at},host,0,Write,{},4096,{response}\n", number * 4096)
    };
    (0..20_000).map(row).collect()
}

#[test]
fn an_imported_trace_says_what_it_comes_to() {
    let folder = folder();
    let (source, trace) = (folder.path().join("hm.csv"), folder.path().join("hm"));
    fs::write(&source, bunched() + "prose\n1,2,3\n").expect("room on disk");
    let imported =
        drivelab(&["trace", "import", text(&source), "-o", text(&trace), "--json"]).with_code(0).json();
    assert_fits(&imported);
    assert_eq!(imported, drivelab(&["trace", "show", text(&trace), "--json"]).with_code(0).json());
    assert_eq!(imported["requests"]["write"], 20_000);
    assert_eq!(imported["measured"], "Q2C");
    assert_eq!(imported["rejected"]["malformed row"], 1);
    assert_eq!(imported["other_lines"], 1);
    assert_eq!(imported["sequential"]["write"].as_f64().map(f64::round), Some(1.0));
    let service = &imported["service_ns"]["all"];
    assert_eq!(service["mean"], 996_000.0, "98 % of 0.2 ms and 2 % of 40 ms");
    assert_eq!(service["from_1_to_100ms"], 0.02);
    let bunching = &imported["bunching_by_direction"]["write"];
    assert_eq!(bunching["episodes"], 40);
    assert_eq!(bunching["p_slow_after_slow"], 360.0 / 399.0);
    assert_eq!(bunching["period_bytes"], 500.0 * 4096.0);
    let verdict = bunching["verdict"].as_str().expect("words");
    assert!(verdict.contains("come in bunches") && verdict.contains("2.05 MB written"), "{verdict}");
    let shown = drivelab(&["trace", "show", text(&trace)]).with_code(0);
    assert!(shown.stdout.contains("Slow writes come in bunches"), "{}", shown.stdout);
}

#[test]
fn a_run_is_a_trace_of_itself() {
    let folder = folder();
    let run = folder.path().join("run");
    let load = ["load", "sim:consistent?size=1GiB", "--rw", "randwrite", "--duration", "2s", "--json"];
    let load = drivelab(&[&load[..], &["--records", text(&run)]].concat()).with_code(0).json();
    let shown = drivelab(&["trace", "show", text(&run), "--json"]).with_code(0).json();
    assert_fits(&shown);
    assert_eq!(shown["requests"]["write"], load["completions"]);
    assert_eq!(shown["service_ns"]["write"]["mean"], load["service_ns"]["mean"]);
}

#[test]
fn what_cannot_be_imported_is_refused_in_one_line() {
    let folder = folder();
    let (source, trace) = (folder.path().join("prose"), folder.path().join("trace"));
    fs::write(&source, "Nothing in here is a trace.\n").expect("room on disk");
    let import = |file: &str, trace: &str| drivelab(&["trace", "import", file, "-o", trace]);
    import(text(&source), text(&trace)).fails_in_one_line(2, &["--format", "blktrace"]);
    import("/no/such/file", text(&trace)).fails_in_one_line(3, &["/no/such/file"]);
    fs::write(&source, bunched()).expect("room on disk");
    import(text(&source), text(folder.path())).fails_in_one_line(2, &["not empty"]);
    drivelab(&["trace", "show", text(folder.path())]).fails_in_one_line(2, &["not the folder of a trace"]);
}
