//! The JSON documents: they fit their published schemas, and say what the runs say.

mod support;

use drivelab_analysis::LoopKind;
use drivelab_block::{Nanos, Status};
use drivelab_report::ConsistencyDocument;
use serde_json::{Value, json};

const CONSISTENCY: &str = include_str!("../schemas/drivelab.consistency-1.json");

fn assert_fits(schema: &str, document: &Value) {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::meta::validate(&schema).expect("the schema is a schema");
    let validator = jsonschema::validator_for(&schema).expect("the schema can be used");
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_run_fits_the_schema_and_says_what_was_measured() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let comparison = support::comparison([support::run("Granite", &phase, Nanos::from_secs(30))]);
    let document = serde_json::to_value(ConsistencyDocument::of(&comparison)).expect("it serialises");
    assert_fits(CONSISTENCY, &document);
    let run = &document["runs"][0];
    assert_eq!(run["drive"], json!({ "model": "Granite", "serial": "X1", "size_bytes": 240_057_409_536u64 }));
    assert_eq!(run["summary"]["iops_mean"], json!(20.0));
    assert_eq!(run["summary"]["cliff_bytes"], json!(12 * 200 * 4_096));
    assert_eq!(
        run["summary"]["steady_state"],
        json!({ "reached": true, "at_s": 12, "rounds": 18, "rounds_needed": 5, "round_s": 1, "as_asked": false })
    );
    assert_eq!(run["per_second"]["t_s"].as_array().map(Vec::len), Some(30));
    assert_eq!(run["per_second"]["write_iops"][12], json!(20));
    assert_eq!(run["per_second"]["read_iops"][12], json!(0));
    assert_eq!(run["summary"]["service_ns"]["max"], json!(290_000));
    assert_eq!(run["simulation"]["injected_delays"][0]["bytes_since_previous"], Value::Null);
}

#[test]
fn a_real_drive_has_neither_hash_nor_truth() {
    let phase = support::phase(&[10; 6], LoopKind::Closed);
    let mut run = support::run("Granite", &phase, Nanos::from_secs(6));
    run.simulation = None;
    run.records.completions_hash = None;
    run.drive.serial = None;
    let document =
        serde_json::to_value(ConsistencyDocument::of(&support::comparison([run]))).expect("serialises");
    assert_fits(CONSISTENCY, &document);
    assert_eq!(document["runs"][0]["completions_hash"], Value::Null);
    assert_eq!(document["runs"][0].get("simulation"), None);
}

#[test]
fn runs_without_figures_fit_the_schema_too() {
    let mut failing = support::nothing(LoopKind::Closed);
    for second in 0..40u64 {
        failing.add(&support::write(second * 1_000_000_000 + 5, 1_000, Status::errno(5)));
    }
    let short = support::phase(&[3], LoopKind::Closed);
    let comparison = support::comparison([
        support::run("Failing", &failing, Nanos::from_secs(40)),
        support::run("Short", &short, Nanos::from_millis(300)),
    ]);
    let document = serde_json::to_value(ConsistencyDocument::of(&comparison)).expect("it serialises");
    assert_fits(CONSISTENCY, &document);
    assert_eq!(document["runs"][0]["summary"]["cliff_bytes"], Value::Null);
    assert_eq!(document["runs"][0]["summary"]["service_ns"], Value::Null);
    assert_eq!(document["runs"][1]["summary"]["iops_mean"], Value::Null);
    assert_eq!(document["runs"][1]["per_second"]["t_s"], json!([]));
}

#[test]
fn a_document_comes_back_as_it_was() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let document =
        ConsistencyDocument::of(&support::comparison([support::run("A", &phase, Nanos::from_secs(30))]));
    let text = serde_json::to_string(&document).expect("it serialises");
    assert_eq!(serde_json::from_str::<ConsistencyDocument>(&text).expect("it is read"), document);
}
