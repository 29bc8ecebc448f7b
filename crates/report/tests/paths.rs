//! Paths side by side: the document fits its schema, and the tables say what it says.

use drivelab_analysis::{DataPath, PathRun, ProcessorTicks, Window, Windows};
use drivelab_block::{ByteCount, Nanos};
use drivelab_report::{PathsDocument, PathsReport, TerminalStyle, paths_terminal};
use serde_json::{Value, json};

const PATHS: &str = include_str!("../schemas/drivelab.paths-1.json");

fn run(run: u16, path: DataPath, millis: u64) -> PathRun {
    let window = |busy, iowait| Window {
        span_s: (10.0, 11.0),
        ticks: ProcessorTicks { user: busy, system: busy, iowait, idle: 200 - 2 * busy - iowait, steal: 0 },
    };
    PathRun {
        run,
        path,
        file: ByteCount::new(2_002_944),
        files: 50,
        request: ByteCount::new(1 << 20),
        elapsed: Nanos::from_millis(millis),
        preparing: Nanos::from_millis(millis / 10),
        own_user: Nanos::from_millis(millis / 10),
        own_system: Nanos::from_millis(millis / 5),
        busy: Some(Nanos::from_millis(millis * 9 / 10)),
        windows: Some(Windows { before: window(1, 0), during: window(25, 50), after: window(2, 10) }),
    }
}

fn report() -> PathsReport {
    PathsReport {
        target: "/dev/sdb".to_owned(),
        seed: 1,
        runs_asked: 2,
        queue_depth: 8,
        request_bytes: 1 << 20,
        idle_s: Some(1.0),
        directory: None,
        left_out: [DataPath::FileBuffered, DataPath::FileDirect]
            .map(|path| (path, "none".to_owned()))
            .to_vec(),
        runs: vec![
            run(0, DataPath::Raw, 500),
            run(0, DataPath::DeviceBuffered, 1_000),
            run(1, DataPath::DeviceBuffered, 1_200),
            run(1, DataPath::Raw, 500),
        ],
        notices: vec!["A sentence.".to_owned()],
        interrupted: false,
        energy: None,
    }
}

fn document(report: &PathsReport) -> Value {
    let document = serde_json::to_value(PathsDocument::of(report)).expect("it serialises");
    let schema: Value = serde_json::from_str(PATHS).expect("the schema is JSON");
    jsonschema::meta::validate(&schema).expect("the schema is a schema");
    let validator = jsonschema::validator_for(&schema).expect("the schema can be used");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}

#[test]
fn a_comparison_fits_the_schema_and_says_what_was_measured() {
    let document = document(&report());
    let [buffered, raw] = document["cells"].as_array().expect("cells").as_slice() else {
        panic!("two cells")
    };
    assert_eq!((&buffered["path"], &raw["path"]), (&json!("device-buffered"), &json!("raw")));
    assert_eq!(buffered["mb_s"]["n"], json!(2));
    // Two runs: t(0.975, 1) = 12.706, times half their distance.
    let half = buffered["file_ns"]["high"].as_f64().expect("an end") - 22e6;
    assert!((half / 2e6 - 12.706_205).abs() < 1e-6, "{half}");
    assert_eq!(
        buffered["cpu"]["during"],
        json!({ "user": 0.125, "system": 0.125, "iowait": 0.25, "idle": 0.5, "steal": 0.0 })
    );
    assert_eq!(buffered["runs"][1]["place"], json!(2));
    assert_eq!(raw["runs"][0]["before"]["from_s"], json!(10.0));
}

#[test]
fn a_simulated_drive_has_no_processors_and_one_run_no_interval() {
    let mut report = report();
    report.runs = vec![PathRun { windows: None, busy: None, ..run(0, DataPath::Raw, 500) }];
    report.idle_s = None;
    let document = document(&report);
    assert_eq!(document["cells"][0]["cpu"], Value::Null);
    assert_eq!(document["cells"][0]["mb_s"]["low"], Value::Null);
    assert!(!paths_terminal(&report, TerminalStyle::default()).contains("processors"));
}

#[test]
fn the_tables_have_a_row_a_size_and_a_column_a_path() {
    let text = paths_terminal(&report(), TerminalStyle { ascii: true, ..TerminalStyle::default() });
    let expected = "\
/dev/sdb
  the same data by every path, in writes of 1.05 MB
    2 runs of each cell, in random order within each block of runs
  file-buffered, file-direct left out: none.

  MB/s, mean and 95 % interval over runs
                   device
  files of       buffered          raw
  2.00 MB     91.8 +- 106     200 +- 0
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("\n  2.00 MB     1 / 25 / 2  1 / 25 / 2\n"), "{text}");
    assert!(text.contains("\n  2.00 MB     0 / 25 / 5  0 / 25 / 5\n"), "{text}");
    assert!(text.contains("\n  2.00 MB     10 / 20 / 70  10 / 20 / 70\n"), "{text}");
}
