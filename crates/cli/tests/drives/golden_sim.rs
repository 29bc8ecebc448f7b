//! Simulated drives: equal runs are equal, and what is read back is what was seen live.

use std::path::Path;

use crate::common::{assert_fits, drivelab, folder, results, run_folders, text, tree};
use serde_json::Value;

const CONSISTENCY: &str = include_str!("../../../kinds/schemas/drivelab.consistency-3.json");
const LOAD: &str = include_str!("../../../kinds/schemas/drivelab.load-3.json");

/// The run that most tests of this file look at: a consumer drive with nothing and a quarter kept back.
fn consistency(seed: &str, output: &Path) -> Value {
    let target = "sim:sm2246en?size=2GiB";
    let timing = ["--duration", "20s", "--window", "2s", "--over-provisioning", "0%,25%", "--json"];
    let rest = ["--seed", seed, "-o", text(output)];
    drivelab(&[&["consistency", target][..], &timing, &rest].concat()).with_code(0).json()
}

fn mean(document: &Value, run: usize) -> f64 {
    results(document)[run]["findings"]["summary"]["iops_mean"].as_f64().expect("a mean")
}

#[test]
fn equal_runs_leave_equal_bytes_and_another_seed_leaves_others() {
    let folder = folder();
    let [first, second, other] = ["first", "second", "other"].map(|name| folder.path().join(name));
    let live = consistency("7", &first);
    assert_eq!(live, consistency("7", &second));
    let (left, right) = (tree(&first), tree(&second));
    let names = |tree: &[(std::path::PathBuf, Vec<u8>)]| -> Vec<_> {
        tree.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&left), names(&right));
    for ((name, left), (_, right)) in left.iter().zip(&right) {
        assert!(left == right, "{} differs between two equal runs", name.display());
    }
    assert!(left.iter().any(|(name, _)| name.ends_with("segments/000000.parquet")), "{:?}", names(&left));
    let hash =
        |document: &Value, run: usize| results(document)[run]["run"]["outcome"]["completions_hash"].clone();
    let others = consistency("8", &other);
    for run in 0..2 {
        assert!(hash(&live, run).is_string());
        assert_ne!(hash(&live, run), hash(&others, run));
    }
}

#[test]
fn a_quarter_kept_back_makes_a_consumer_drive_faster() {
    let folder = folder();
    let document = consistency("1", &folder.path().join("runs"));
    results(&document).iter().for_each(|result| assert_fits(CONSISTENCY, result));
    assert!(mean(&document, 1) >= 1.5 * mean(&document, 0), "{document}");
    for run in results(&document) {
        let (run, records) = (&run["findings"], &run["findings"]["records"]);
        assert_eq!((records["failed"].as_u64(), records["lost"].as_u64()), (Some(0), Some(0)));
        assert_eq!(run["per_second"]["write_iops"].as_array().map(Vec::len), Some(20));
        let written: u64 = run["per_second"]["write_iops"]
            .as_array()
            .expect("seconds")
            .iter()
            .filter_map(Value::as_u64)
            .sum();
        // The rest of the completions are those of purge and fill.
        assert!(written > 0 && written < records["completions"].as_u64().expect("a count"));
    }
}

#[test]
fn a_report_of_kept_runs_says_what_was_seen_live() {
    let folder = folder();
    let runs = folder.path().join("runs");
    let live = consistency("3", &runs);
    let kept = drivelab(&["report", text(&runs), "--json"]).with_code(0).json();
    assert_eq!(live, kept);
    let page = std::fs::read_to_string(runs.join("report.html")).expect("a page");
    assert!(page.starts_with("<!") && page.contains("sm2246en"));
    for (run, live) in run_folders(&runs).iter().zip(results(&live)) {
        let findings = std::fs::read(run.join("findings.json")).expect("findings");
        let findings: Value = serde_json::from_slice(&findings).expect("JSON");
        assert_eq!(findings["findings"], live["findings"]);
    }
    std::fs::remove_file(runs.join("report.html")).expect("the page of all");
    drivelab(&["report", text(&runs)]).with_code(0);
    assert_eq!(std::fs::read_to_string(runs.join("report.html")).expect("a page"), page);
}

#[test]
fn a_report_puts_runs_of_several_folders_side_by_side_with_pictures_and_tables() {
    let folder = folder();
    let runs = folder.path().join("runs");
    let live = consistency("1", &runs);
    let picked = run_folders(&runs);
    let [svg, png, csv, page] = ["svg", "png", "csv", "both.html"].map(|name| folder.path().join(name));
    let outputs =
        ["--svg", text(&svg), "--png", text(&png), "--csv", text(&csv), "--report", text(&page), "--json"];
    let turned = ["report", text(&picked[1]), text(&picked[0])];
    let document = drivelab(&[&turned[..], &outputs].concat()).with_code(0).json();
    assert_eq!(document[0], live[1]);
    assert_eq!(document[1], live[0]);
    let (pictures, tables) = (tree(&svg), tree(&csv));
    assert!(!pictures.is_empty() && !tables.is_empty() && page.is_file());
    assert_eq!(pictures.len(), tree(&png).len());
    assert!(tree(&png).iter().all(|(_, bytes)| bytes.starts_with(b"\x89PNG")));
    assert!(pictures.iter().all(|(_, bytes)| bytes.windows(4).any(|word| word == b"<svg")));
}

#[test]
fn a_closed_loop_has_no_response_time_and_stops_where_asked() {
    let load = ["load", "sim:consistent?size=2GiB", "--rw", "randwrite", "--json"];
    let timed = drivelab(&[&load[..], &["--duration", "2s"]].concat()).with_code(0).json();
    assert_fits(LOAD, &timed);
    assert_eq!(timed["findings"]["mode"], "closed");
    assert!(
        timed["findings"]["ios"]["summary"]["response_ns"].is_null()
            && timed["findings"]["ios"]["summary"]["service_ns"]["p50"].as_u64() > Some(0),
        "{timed}"
    );
    // What was in flight at the end is waited for, a few milliseconds at most.
    let lasted = timed["findings"]["duration_s"].as_f64().expect("a duration");
    assert!((2.0..2.1).contains(&lasted), "{timed}");
    let counted = drivelab(&[&load[..], &["--bytes", "40MiB"]].concat()).with_code(0).json();
    assert_eq!(counted["findings"]["ios"]["records"]["completions"].as_u64(), Some((40 << 20) / 4096));
}

#[test]
fn an_open_loop_charges_a_freeze_to_every_request_that_was_due() {
    let target = "sim:consistent?freeze_every=6s&freeze_for=1s";
    let arrivals = ["--rate", "5000/s", "--arrivals", "poisson", "--duration", "12s", "--json"];
    let open = drivelab(&[&["load", target][..], &arrivals].concat()).with_code(0).json();
    assert_fits(LOAD, &open);
    assert_eq!(open["findings"]["mode"], "open");
    // One second in six is frozen: well over one request in a hundred waits for most of it.
    assert!(open["findings"]["ios"]["summary"]["response_ns"]["p99"].as_u64() >= Some(850_000_000), "{open}");
    // The service time sees only the few requests that were in flight when the drive froze.
    assert!(open["findings"]["ios"]["summary"]["service_ns"]["p99"].as_u64() < Some(10_000_000), "{open}");
    assert!(open["findings"]["ios"]["summary"]["service_ns"]["max"].as_u64() >= Some(900_000_000), "{open}");
}

#[test]
fn a_regular_schedule_sends_as_many_as_it_says() {
    let load = ["load", "sim:consistent?size=2GiB", "--rate", "1000/s", "--duration", "3s", "--json"];
    let document = drivelab(&load).with_code(0).json();
    assert_eq!(document["findings"]["ios"]["records"]["completions"].as_u64(), Some(3000));
    assert_eq!(document["findings"]["mode"], "open");
}

#[test]
fn a_load_of_flushes_on_a_simulated_drive_ends() {
    // In virtual time, an answer that takes none would come for ever.
    for target in ["sim:consistent?size=1GiB", "sim:hdd-7200?size=1GiB"] {
        drivelab(&["load", target, "--rw", "flush", "--duration", "10ms"]).with_code(0);
    }
}

#[test]
fn a_visible_drop_is_a_cliff_with_recovery_and_after_one_second_too() {
    let folder = folder();
    let at = |name: &str, arguments: &[&str]| {
        let runs = folder.path().join(name);
        let timing = ["--window", "2s", "--json", "-o", text(&runs)];
        let document = drivelab(&[&["consistency"][..], arguments, &timing].concat()).with_code(0).json();
        document["findings"]["summary"]["cliff_bytes"].as_u64()
    };
    // Falls by 48 % and comes back to two thirds.
    let recovers =
        at("recovers", &["sim:consistent?size=4GiB", "--over-provisioning", "25%", "--duration", "60s"]);
    assert!((1_500_000_000..3_000_000_000).contains(&recovers.unwrap_or(0)), "{recovers:?}");
    // Fresh for less than a second: the spare area of 1 GiB is as small.
    let short = at("short", &["sim:sm2246en?size=1GiB", "--duration", "300s"]);
    assert!((100_000_000..200_000_000).contains(&short.unwrap_or(0)), "{short:?}");
}
