//! A command that is run several times while a meter is read.

use crate::common::instrument::instrument;
use crate::common::{Ended, assert_fits, drivelab, folder, text};
use serde_json::{Value, json};

const COMPARISON: &str = include_str!("../../../kinds/schemas/drivelab.energy-comparison-1.json");
const COMMAND: &str = include_str!("../../../kinds/schemas/drivelab.energy-3.json");

fn number(document: &Value, pointer: &str) -> f64 {
    document.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}: {document:#}"))
}

/// What a command took, of the document of its result.
fn taken(document: &Value) -> &Value {
    assert_fits(COMMAND, document);
    &document["run"]["outcome"]["energy"]
}

fn energy(more: &[&str], script: &str) -> Ended {
    drivelab(&[&["energy", "--baseline", "500ms"], more, &["--", "/bin/sh", "-c", script]].concat())
}

#[test]
fn several_runs_have_a_mean_with_its_interval_a_row_each_and_the_idle_time_between_them_in_common() {
    let folder = folder();
    let [three, two, one] = ["three", "two", "one"].map(|name| folder.path().join(name));
    let meter = instrument(&[Some("5.000")]);
    let metered = ["--meter", &meter, "--moved", "1GB", "--json"];
    let runs = |runs: &'static str, kept, script| {
        energy(&[&metered[..], &["--runs", runs, "-o", text(kept)]].concat(), script).with_code(0).json()
    };
    let document = runs("3", &three, "echo run; sleep 0.6");
    let energy = taken(&document);
    let rows = document["findings"]["runs"].as_array().expect("runs");
    let seconds: Vec<f64> = rows.iter().map(|run| number(run, "/duration_s")).collect();
    let mean = seconds.iter().sum::<f64>() / 3.0;
    assert!(seconds.len() == 3 && (number(energy, "/joules/value") / (5.0 * mean) - 1.0).abs() < 1e-9);
    let half = (number(energy, "/joules/interval/high") - number(energy, "/joules/interval/low")) / 2.0;
    let squares: f64 = seconds.iter().map(|one| (one - mean).powi(2)).sum();
    // t(0.975, 2) = 4.302653
    assert!(
        (half / (5.0 * 4.302_653 * (squares / 2.0 / 3.0).sqrt()) - 1.0).abs() < 1e-4,
        "{half}: {seconds:?}"
    );
    let phases = document["run"]["phases"].as_array().expect("phases");
    let idle = number(&phases[1], "/started_at_ns") - number(&phases[0], "/ended_at_ns");
    assert!(phases.len() == 3 && idle >= 0.5e9, "{phases:?}");
    let shown = drivelab(&["report", text(&three), "--markdown"]).with_code(0).stdout;
    assert!(shown.contains("In 3 runs the task took") && shown.contains("| 3 "), "{shown}");
    runs("2", &two, "sleep 1.5");
    let compared = ["energy", "--compare", text(&three), text(&two)];
    let document = drivelab(&[&compared[..], &["--json"]].concat()).with_code(0).json();
    assert_fits(COMPARISON, &document);
    let ratio = number(&document, "/ratios/time/ratio");
    assert!(number(&document, "/ratios/time/interval/low") < ratio, "{document:#}");
    assert!(
        (number(&document, "/share_saved/value") - 1.0 + number(&document, "/ratios/joules/ratio")).abs()
            < 1e-9
    );
    // The same task, run once: nothing has an interval.
    runs("1", &one, "echo run; sleep 0.6");
    let document = drivelab(&["energy", "--compare", text(&three), text(&one), "--json"]).with_code(0).json();
    assert_eq!(document["ratios"], Value::Null);
    assert!(!document["notices"].to_string().contains("not the same task"), "{document:#}");
}

#[test]
fn a_run_that_fails_is_named_and_ends_the_runs_and_what_was_measured_before_is_kept() {
    let folder = folder();
    let (kept, count) = (folder.path().join("kept"), folder.path().join("count"));
    let meter = instrument(&[Some("5.000")]);
    let script = format!("echo x >> {0}; sleep 0.5; test $(wc -l < {0}) -lt 3", text(&count));
    let ended =
        energy(&["--meter", &meter, "--runs", "5", "-o", text(&kept), "--json"], &script).with_code(1);
    let document = ended.json();
    let rows = document["findings"]["runs"].as_array().expect("runs");
    assert_eq!((rows.len(), &rows[2]["exit_code"], &taken(&document)["runs"]), (3, &json!(1), &json!(2)));
    let shown = drivelab(&["report", text(&kept)]).with_code(1).stdout;
    assert!(shown.contains("Run 3 of the command ended with exit code 1"), "{shown}");
}

/// The meter answers while the first run and the idle times around it last, and then no more.
#[test]
fn a_meter_that_goes_away_between_runs_leaves_the_runs_before_it_and_ends_the_others() {
    const GOOD: Option<&str> = Some("5.0");
    let meter = instrument(&[
        GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, None,
    ]);
    let ended = energy(&["--meter", &meter, "--runs", "100", "--json"], "sleep 0.5").with_code(1);
    let document = ended.json();
    let rows = document["findings"]["runs"].as_array().expect("runs");
    assert!(rows.len() < 100 && rows[0]["joules"].is_object(), "{rows:?}");
    assert!(rows.iter().any(|run| run["joules"].is_null()), "{rows:?}");
    let notices = document["run"]["notices"].to_string();
    assert!(notices.contains("The meter gave nothing any more: no run after run"), "{notices}");
}
