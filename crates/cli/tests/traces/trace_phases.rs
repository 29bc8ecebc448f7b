//! A run read as a trace: the phase that it measured, unless another is asked for.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{assert_fits, drivelab, folder, text};
use serde_json::{Value, json};

const TRACE: &str = include_str!("../../../inspect/schemas/drivelab.trace-3.json");
const REPLAY: &str = include_str!("../../../kinds/schemas/drivelab.replay-3.json");

/// A replay of 400 writes after a fill of what they touch, and its findings.
fn replay_after_fill(folder: &Path) -> (PathBuf, Value) {
    let (source, trace, run) = (folder.join("source.csv"), folder.join("trace"), folder.join("run"));
    let mut rows = String::new();
    for number in 0..400u64 {
        let (at, offset) = (128_166_372_003_061_629 + number * 10_000, number * 7_919 % 400 * (1 << 20));
        let _ = writeln!(rows, "{at},host,0,Write,{offset},4096,2000");
    }
    fs::write(&source, rows).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    let target = "sim:sm2246en?size=1GiB&delay_every=1MB&delay=80ms";
    let asked = ["replay", text(&trace), target, "--precondition", "fill-all", "-o", text(&run), "--json"];
    let document = drivelab(&asked).with_code(0).json();
    assert_fits(REPLAY, &document);
    (run, document["findings"].clone())
}

fn show(run: &Path, more: &[&str]) -> Value {
    let shown = drivelab(&[&["trace", "show", text(run), "--json"], more].concat()).with_code(0).json();
    assert_fits(TRACE, &shown);
    shown["findings"].clone()
}

/// Words without the breaks of lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Changes what a run's manifest says.
fn change_manifest(run: &Path, change: impl FnOnce(&mut Value)) {
    let path = run.join("run.json");
    let mut manifest = serde_json::from_slice(&fs::read(&path).expect("a manifest")).expect("JSON");
    change(&mut manifest);
    fs::write(path, manifest.to_string()).expect("room on disk");
}

#[test]
fn a_replay_is_shown_without_its_fill() {
    let folder = folder();
    let (run, found) = replay_after_fill(folder.path());
    let filled = found["ios"]["records"]["completions"].as_u64().expect("a count") - 400;
    assert!(filled > 1_000, "the fill is most of the run: {filled}");
    let shown = show(&run, &[]);
    assert_eq!(shown["requests"]["write"], 400);
    assert_eq!(shown["service_ns"], found["replayed"]["service_ns"]);
    // A replay counts as slow what its trace does; what is shown by itself has a threshold of its own.
    assert_eq!(shown["slow_ios"]["all"]["count"], found["replayed"]["slow_ios"]["all"]["count"]);
    let of = json!(["fill", "replay"]);
    let phases = json!({ "shown": ["replay"], "of": of, "chosen": "measured", "left_out_requests": filled });
    assert_eq!(shown["phases"], phases);
    let fill = show(&run, &["--phase", "fill"]);
    let phases = json!({ "shown": ["fill"], "of": of, "chosen": "asked", "left_out_requests": 400 });
    assert_eq!((&fill["requests"]["write"], &fill["phases"]), (&filled.into(), &phases));
    let all = show(&run, &["--phase", "all"]);
    assert_eq!((&all["requests"]["write"], &all["phases"]["shown"]), (&(filled + 400).into(), &of));
    let page = folder.path().join("page.html");
    let said =
        one_line(&drivelab(&["trace", "show", text(&run), "--report", text(&page)]).with_code(0).stdout);
    let sentence = "Phase \"replay\", which the run measured, is shown; the run has \"fill\", \"replay\".";
    assert!(said.contains(sentence) && said.contains("I/Os of other phases are left out."), "{said}");
    let page = fs::read_to_string(page).expect("a page");
    assert!(page.contains(&sentence.replace('"', "&quot;")), "the page says it too");
    let unknown = drivelab(&["trace", "show", text(&run), "--phase", "rewind"]);
    unknown.fails_in_one_line(2, &["\"rewind\"", "\"fill\", \"replay\""]);
    let trace = folder.path().join("trace");
    drivelab(&["trace", "show", text(&trace), "--phase", "fill"]).fails_in_one_line(2, &["no phases"]);
}

#[test]
fn a_replay_keeps_when_its_requests_were_due() {
    let folder = folder();
    replay_after_fill(folder.path());
    let trace = folder.path().join("trace");
    let target = "sim:sm2246en?size=1GiB&delay_every=1MB&delay=80ms";
    let replay = |timing: &str| {
        let run = folder.path().join(timing);
        // One at a time: what is due during a delay waits.
        let asked = ["replay", text(&trace), target, "--timing", timing, "--queue-depth", "1"];
        let document = drivelab(&[&asked[..], &["-o", text(&run), "--json"]].concat()).with_code(0).json();
        (run, document["findings"]["replayed"].clone())
    };
    let (run, replayed) = replay("recorded");
    let [service, response] = ["service_ns", "response_ns"].map(|name| replayed[name]["write"].clone());
    assert!(response["mean"].as_f64() > service["mean"].as_f64(), "{response} {service}");
    assert_eq!(show(&run, &[])["response_ns"], replayed["response_ns"]);
    let reopened = drivelab(&["report", text(&run), "--json"]).with_code(0).json();
    assert_eq!(reopened["findings"]["replayed"], replayed);
    let page = folder.path().join("page.html");
    let said =
        one_line(&drivelab(&["trace", "show", text(&run), "--report", text(&page)]).with_code(0).stdout);
    assert!(said.contains("Response times are from when a request was due"), "{said}");
    let page = fs::read_to_string(page).expect("a page");
    assert!(page.contains("Distribution of response times"), "service times are not all");
    let (run, replayed) = replay("unpaced");
    assert_eq!(replayed["response_ns"]["all"], Value::Null, "nothing was due");
    assert_eq!(show(&run, &[])["response_ns"]["all"], Value::Null);
}

#[test]
fn a_consistency_run_is_shown_without_what_prepared_it() {
    let folder = folder();
    let target = "sim:consistent?size=256MiB";
    let asked = ["consistency", target, "--duration", "3s", "-o", text(folder.path()), "--json"];
    let document = drivelab(&asked).with_code(0).json();
    let run = &document["findings"];
    let path = fs::read_dir(folder.path()).expect("a folder").flatten().find(|entry| entry.path().is_dir());
    let shown = show(&path.expect("the folder of the run").path(), &[]);
    assert_eq!(shown["phases"]["shown"], json!(["random write"]));
    assert_eq!(shown["requests"]["discard"], 0, "the purge is no part of it");
    assert_eq!(shown["service_ns"]["write"]["mean"], run["summary"]["service_ns"]["mean"]);
    let left_out = shown["phases"]["left_out_requests"].as_u64().expect("a count");
    assert_eq!(
        shown["requests"]["write"].as_u64().expect("a count") + left_out,
        run["records"]["completions"]
    );
}

#[test]
fn what_a_run_measured_can_be_exported_and_replayed() {
    let folder = folder();
    let (run, found) = replay_after_fill(folder.path());
    let exported = drivelab(&["trace", "export", text(&run), "--format", "csv"]).with_code(0);
    assert_eq!(exported.stdout.lines().count(), 401, "a line each, and the head");
    assert!(exported.stderr.contains("Phase \"replay\", which the run measured, is exported"));
    let again = ["replay", text(&run), "sim:sm2246en?size=1GiB", "--json"];
    let again = drivelab(&again).with_code(0).json();
    assert_fits(REPLAY, &again);
    let (again, first) = (&again["findings"], &found["replayed"]);
    assert_eq!(again["replayed"]["requests"], first["requests"]);
    assert_eq!(again["replayed"]["bytes"], first["bytes"]);
    assert_eq!(again["trace"]["phases"]["shown"], json!(["replay"]));
    assert_eq!(found["trace"]["phases"], Value::Null);
    let filled = found["ios"]["records"]["completions"].as_u64().expect("a count") - 400;
    let fill = ["replay", text(&run), "sim:sm2246en?size=1GiB", "--phase", "fill", "--json"];
    let again = drivelab(&fill).with_code(0).json();
    assert_eq!(again["findings"]["replayed"]["requests"]["write"], filled);
}

#[test]
fn a_run_that_measured_nothing_says_what_to_type() {
    let folder = folder();
    let (run, _) = replay_after_fill(folder.path());
    // What a run leaves that was killed in its fill.
    change_manifest(&run, |manifest| {
        manifest["phases"].as_array_mut().expect("phases").truncate(1);
        manifest.as_object_mut().expect("an object").remove("outcome");
    });
    let words = ["measured nothing", "--phase \"fill\"", "--phase all"];
    drivelab(&["trace", "show", text(&run)]).fails_in_one_line(2, &words);
    drivelab(&["trace", "export", text(&run), "--format", "csv"]).fails_in_one_line(2, &words);
    drivelab(&["replay", text(&run), "sim:consistent?size=1GiB"]).fails_in_one_line(2, &words);
    assert_eq!(show(&run, &["--phase", "fill"])["phases"]["shown"], json!(["fill"]));
}
