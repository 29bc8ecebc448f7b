//! Energy: simulated drives against their own account, and commands beside instruments that are well, silent or mad.

use std::path::Path;
use std::time::Duration;

use crate::common::devices::eventually;
use crate::common::instrument::instrument;
use crate::common::running::{Running, pause};
use crate::common::{Ended, assert_fits, drivelab, folder, manifest, program, run_folders, text};
use rustix::process::Signal;
use serde_json::{Value, json};

const ENERGY: &str = include_str!("../../../kinds/schemas/drivelab.energy-1.json");
const COMPARISON: &str = include_str!("../../../kinds/schemas/drivelab.energy-comparison-1.json");
const COMMAND: &str = include_str!("../../../kinds/schemas/drivelab.energy-3.json");
const LOAD: &str = include_str!("../../../kinds/schemas/drivelab.load-3.json");
const CONSISTENCY: &str = include_str!("../../../kinds/schemas/drivelab.consistency-3.json");

fn kept(folder: &Path) -> Value {
    let text = std::fs::read(folder.join("energy.json")).expect("energy.json");
    let document = serde_json::from_slice(&text).expect("JSON");
    assert_fits(ENERGY, &document);
    document
}

fn number(document: &Value, pointer: &str) -> f64 {
    document.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}: {document:#}"))
}

/// What a command took, of the document of its result.
fn taken(document: &Value) -> &Value {
    assert_fits(COMMAND, document);
    &document["run"]["outcome"]["energy"]
}

/// The energy of a simulated run by its readings, and by the model's own account.
fn both(document: &Value) -> (f64, f64) {
    (number(document, "/joules/value"), number(document, "/account/joules"))
}

#[test]
fn a_simulated_run_takes_what_the_model_says_within_a_hundredth() {
    let cases = [
        ("sim:consistent?size=1GiB", "randwrite"),
        ("sim:consistent?size=1GiB", "randread"),
        ("sim:sm2246en?size=1GiB&idle_power=2W", "write"),
        ("sim:hdd-7200?size=10GB", "randread"),
    ];
    for (target, rw) in cases {
        let arguments = ["load", target, "--rw", rw, "--duration", "8s", "--meter", "sim", "--json"];
        let document = drivelab(&arguments).with_code(0).json();
        assert_fits(LOAD, &document);
        let energy = &document["run"]["outcome"]["energy"];
        assert_fits(ENERGY, energy);
        let (by_readings, by_account) = both(energy);
        assert!((by_readings / by_account - 1.0).abs() < 0.01, "{target} {rw}: {by_readings}, {by_account}");
        let idle = number(energy, "/idle/watts/value");
        let above = by_readings - idle * number(energy, "/duration_s");
        assert!((number(energy, "/joules_above_idle/value") - above).abs() < 1e-6 * by_readings);
        let a_gb = by_readings / number(energy, "/bytes") * 1e9;
        assert!((number(energy, "/joules_per_gb/value") / a_gb - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_kept_run_has_its_watts_on_its_page_and_its_energy_in_every_report() {
    let folder = folder();
    let output = folder.path().join("runs");
    let shown = drivelab(&[
        "consistency",
        "sim:sm2246en?size=1GiB",
        "--duration",
        "20s",
        "--meter",
        "sim",
        "--battery",
        "50",
        "-o",
        text(&output),
    ])
    .with_code(0)
    .stdout;
    for word in ["above idle", "J/GB"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let run = &run_folders(&output)[0];
    let (by_readings, by_account) = both(&kept(run));
    assert!((by_readings / by_account - 1.0).abs() < 0.01, "{by_readings}, {by_account}");
    let page = std::fs::read_to_string(run.join("report.html")).expect("a page");
    assert!(page.contains("power drawn") && page.contains("energy above idle"));
    let again = drivelab(&["report", text(run), "--json"]).with_code(0).json();
    assert_fits(CONSISTENCY, &again);
    assert_eq!(again["run"]["outcome"]["energy"], kept(run));
    let drawn = again["findings"]["gauges"].as_array().expect("gauges")[0].clone();
    assert_eq!(drawn["name"], json!("power drawn"));
    let mean = drawn["during"].as_f64().expect("a mean");
    assert!((mean / number(&kept(run), "/watts/value") - 1.0).abs() < 0.02, "{mean}");
}

fn energy(more: &[&str], script: &str) -> Ended {
    drivelab(&[&["energy", "--baseline", "500ms"], more, &["--", "/bin/sh", "-c", script]].concat())
}

#[test]
fn a_command_beside_a_steady_meter_takes_power_times_time() {
    let folder = folder();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let meter = instrument(&[Some("5.000")]);
    let more = ["--meter", &meter, "--moved", "2GB", "--battery", "10", "-o", text(&first)];
    let ended = energy(&more, "echo out; sleep 1; exit 7").with_code(1);
    assert_eq!(ended.stdout, "out\n");
    assert!(ended.stderr.contains("exit code 7"), "{}", ended.stderr);
    let document = kept(&first);
    let joules = 5.0 * number(&document, "/duration_s");
    assert!((number(&document, "/joules/value") / joules - 1.0).abs() < 1e-9);
    assert!(number(&document, "/joules_above_idle/value").abs() < 1e-9);
    assert!((number(&document, "/joules_per_gb/value") * 2.0 / joules - 1.0).abs() < 1e-9);
    assert!((number(&document, "/battery_minutes/value") - 120.0).abs() < 1e-9);
    assert_eq!(document["meter"]["identity"], json!("ACME,PM1,7,1.0"));
    let page = std::fs::read(first.join("report.html")).expect("a page");
    std::fs::remove_file(first.join("report.html")).expect("the page");
    // The command ended with exit code 7.
    let opened = drivelab(&["report", text(&first), "--json"]).with_code(1).json();
    assert_eq!((&opened["findings"]["exit_code"], taken(&opened)), (&json!(7), &document));
    assert!(page == std::fs::read(first.join("report.html")).expect("a page"), "the page is made again");
    let more = ["--meter", &meter, "--json", "-o", text(&second)];
    let ended = energy(&more, "echo out; sleep 2").with_code(0);
    assert_eq!(*taken(&ended.json()), kept(&second));
    assert!(ended.stderr.contains("out\n"), "{}", ended.stderr);
    let compared =
        drivelab(&["energy", "--compare", text(&first), text(&second), "--json"]).with_code(0).json();
    assert_fits(COMPARISON, &compared);
    let saved = 1.0 - joules / number(&kept(&second), "/joules/value");
    assert!((number(&compared, "/share_saved/value") - saved).abs() < 1e-9);
    let shown = drivelab(&["energy", "--compare", text(&first), text(&second)]).with_code(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let less = format!("first takes {:.0} % less energy than", saved * 100.0);
    assert!(shown.contains(&less), "{less}: {shown}");
    let both = folder.path().join("both.html");
    let compared =
        drivelab(&["report", text(&first), text(&second), "--report", text(&both)]).with_code(1).stdout;
    assert!(compared.contains("asked for differently (command"), "{compared}");
}

#[test]
fn a_comparison_shows_no_hidden_serial_number_and_says_which_run_broke_off() {
    let folder = folder();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    for run in [&first, &second] {
        let load = ["load", "sim:consistent?size=1GiB", "--rw", "randread", "--duration", "2s"];
        drivelab(&[&load[..], &["--meter", "sim", "-o", text(run)]].concat()).with_code(0);
    }
    let mut run = manifest(&first);
    run["label"] = "ata-X_S649NX0R".into();
    run["drive"]["serial"] = "S649NX0R".into();
    (run["hides_serial"], run["outcome"]["broke_off"]) = (true.into(), true.into());
    std::fs::write(first.join("run.json"), run.to_string()).expect("room on disk");
    let compared = ["energy", "--compare", text(&first), text(&second)];
    let compared = drivelab(&compared).with_code(0).stdout;
    assert!(!compared.contains("S649NX0R") && compared.contains("The run broke off."), "{compared}");
}

#[test]
fn the_current_of_an_ammeter_is_shown_at_its_voltage_and_the_faster_of_two_runs_is_named() {
    let folder = folder();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let meter = instrument(&[Some("0.250")]);
    for run in [&first, &second] {
        energy(&["--meter", &meter, "--volts", "12", "-o", text(run)], "sleep 1").with_code(0);
    }
    assert!((number(&kept(&first), "/watts/value") - 3.0).abs() < 1e-9);
    let shown = drivelab(&["report", text(&first), text(&second), "--markdown"]).with_code(0).stdout;
    assert!(shown.contains("mean current at the supply's voltage") && shown.contains("0.250"), "{shown}");
    assert!(shown.contains("In this task, "), "{shown}");
}

/// The same command on two drives is one task: its place is no other task.
#[test]
fn a_command_in_two_places_is_compared() {
    let folder = folder();
    let meter = instrument(&[Some("5.000")]);
    let runs = ["one", "two"].map(|name| {
        let (run, place) = (folder.path().join(name), folder.path().join(name).with_extension("mount"));
        std::fs::create_dir(&place).expect("a place");
        energy(
            &["--meter", &meter, "-o", text(&run), "--place", text(&place)],
            "sleep 0.6; echo film > {}/film",
        )
        .with_code(0);
        assert!(place.join("film").is_file(), "the command ran there");
        run
    });
    let shown = drivelab(&["report", text(&runs[0]), text(&runs[1])]).with_code(0).stdout;
    assert!(shown.contains("In this task, ") && !shown.contains("asked for differently"), "{shown}");
    let refused = energy(&["--meter", &meter, "--place", "/mnt/ssd"], "true").with_code(2).stderr;
    assert!(refused.contains("--place /mnt/ssd") && refused.contains("write {}"), "{refused}");
}

/// The command goes on meanwhile, and its end may be seen late.
#[test]
fn a_program_that_was_stopped_beside_a_command_says_so() {
    let folder = folder();
    let run = folder.path().join("run");
    let meter = instrument(&[Some("5.000")]);
    let began = folder.path().join("began");
    let script = format!("touch {}; sleep 3", text(&began));
    let words = ["energy", "--baseline", "500ms", "--meter", &meter, "-o", text(&run), "--json"];
    let running = Running::start(&[&words[..], &["--", "/bin/sh", "-c", &script]].concat());
    assert!(eventually(|| began.exists()), "the command does not begin: {:?}", running.ends());
    running.signal(Signal::STOP);
    pause(Duration::from_millis(600));
    running.signal(Signal::CONT);
    let ended = running.ends();
    let document = ended.json();
    let stopped = document["run"]["standstills"].as_array().map_or(&[][..], Vec::as_slice);
    let time = |one: &Value| one["until_ns"].as_u64().unwrap_or(0) - one["from_ns"].as_u64().unwrap_or(0);
    assert!(stopped.iter().any(|one| time(one) >= 500_000_000), "{stopped:?}: {}", ended.stderr);
    let page = std::fs::read_to_string(run.join("report.html")).expect("a page");
    assert!(page.contains("The program itself stood still"), "the page does not say so");
}

#[test]
fn tests_that_keep_no_run_have_their_energy_too() {
    let folder = folder();
    let (file, out) = (folder.path().join("drive"), folder.path().join("out"));
    let meter = instrument(&[Some("4.0")]);
    let asked = [
        "paths",
        text(&file),
        "--file-size",
        "64MiB",
        "--sizes",
        "1MiB",
        "--cell-bytes",
        "4MiB",
        "--runs",
        "1",
    ];
    let metered = ["--meter", &meter, "--baseline", "1s", "-o", text(&out)];
    let ended = drivelab(&[&asked[..], &metered].concat()).with_code(0);
    assert!(ended.stdout.contains("energy above idle"), "{}", ended.stdout);
    assert!((number(&kept(&out), "/watts/value") - 4.0).abs() < 0.01);
    let again = folder.path().join("again");
    let metered = ["--meter", &meter, "--baseline", "1s", "--json", "-o", text(&again), "--destroy-data"];
    let document = drivelab(&[&asked[..], &metered].concat()).with_code(0).json();
    assert_fits(ENERGY, &document["run"]["outcome"]["energy"]);
    assert_eq!(document["run"]["outcome"]["energy"], kept(&again));
    let refused = drivelab(&["pts", "sim:consistent?size=1GiB", "--meter", "sim"]).with_code(2);
    assert!(
        refused.stderr.contains(
            "consistency, fill, load, offered-load, quick, replay, stalls, trim, wake and working-set show"
        ),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_trim_validation_takes_what_the_model_says_within_a_hundredth() {
    let folder = folder();
    let out = folder.path().join("out");
    let asked =
        ["trim", "sim:sm2246en?size=2GiB", "--precondition", "random:5s", "--runs", "2", "--meter", "sim"];
    drivelab(&[&asked[..], &["--json", "-o", text(&out)]].concat()).with_code(0);
    let (by_readings, by_account) = both(&kept(&out));
    assert!((by_readings / by_account - 1.0).abs() < 0.01, "{by_readings}, {by_account}");
}

/// What a simulated drive is filled with before a quick test reads it is no part of the test.
#[test]
fn a_quick_test_of_a_simulated_drive_takes_what_its_reads_take() {
    let out = folder();
    let kept = out.path().join("quick");
    let asked = ["quick", "sim:consistent?size=1GiB", "--meter", "sim", "-o", text(&kept)];
    drivelab(&asked).with_code(0);
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(kept.join("run.json")).expect("a manifest")).expect("JSON");
    let phases = manifest["phases"].as_array().expect("phases");
    let at = |phase: &Value, name: &str| phase[name].as_f64().expect("a time") / 1e9;
    let read = phases.iter().find(|phase| phase["name"] == "read curve").expect("the curve");
    let seconds = at(phases.last().expect("a phase"), "ended_at_ns") - at(read, "started_at_ns");
    let energy = &manifest["outcome"]["energy"];
    assert!((number(energy, "/duration_s") / seconds - 1.0).abs() < 0.01, "{seconds}: {energy:#}");
}

#[test]
fn a_meter_that_goes_silent_or_mad_is_told_and_gives_no_figure() {
    const GOOD: Option<&str> = Some("5.0");
    let silent = instrument(&[GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, None]);
    let mad = instrument(&[GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, Some("%%#")]);
    let reversed = instrument(&[Some("-5.0")]);
    for (meter, kind, words) in [
        (silent, "silent", "did not answer in time"),
        (mad, "not a number", "%%#"),
        (reversed, "", "wrong way"),
    ] {
        let ended = energy(&["--meter", &meter, "--json"], "sleep 2").with_code(1);
        let whole = ended.json();
        let document = taken(&whole);
        assert_fits(ENERGY, document);
        assert_eq!((&document["joules"], &document["watts"]), (&Value::Null, &Value::Null), "{kind}");
        let told = format!("{}{}", document["withheld"], document["notices"]);
        assert!(document["withheld"].is_string() && told.contains(words), "{told}");
        let wrong = document["meter"]["wrong"].as_array().expect("what was wrong");
        assert!(kind.is_empty() || wrong.iter().any(|wrong| wrong["kind"] == kind), "{document:#}");
    }
}

#[test]
fn a_file_of_another_program_is_read_by_the_clock_of_the_wall() {
    let folder = folder();
    let (now, later) = (folder.path().join("now.csv"), folder.path().join("later.csv"));
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_secs_f64();
    let write = |path: &Path, from: f64| {
        let lines = (0..1200).map(|tenth| format!("{:.1},4.5\n", from + f64::from(tenth) / 10.0));
        let text: String = std::iter::once("time,watts\n".to_owned()).chain(lines).collect();
        std::fs::write(path, text).expect("room");
    };
    write(&now, since - 10.0);
    write(&later, since + 1000.0);
    let out = folder.path().join("out");
    let whole = energy(&["--meter", &format!("csv:{}", text(&now)), "--json", "-o", text(&out)], "sleep 1");
    assert!((number(taken(&whole.with_code(0).json()), "/watts/value") - 4.5).abs() < 1e-9);
    let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("Power over time"), "the log's readings lie within the time of the command");
    let whole =
        energy(&["--meter", &format!("csv:{}", text(&later)), "--json"], "sleep 1").with_code(1).json();
    let document = taken(&whole);
    assert_eq!(document["joules"], Value::Null);
    assert!(document["notices"].to_string().contains("no sample of the time"), "{document:#}");
}

#[test]
fn a_meter_that_cannot_be_is_refused_in_one_line() {
    drivelab(&["load", "sim:consistent", "--meter", "battery"]).fails_in_one_line(2, &["--meter sim"]);
    drivelab(&["load", "sim:consistent", "--battery", "50"]).fails_in_one_line(2, &["--meter"]);
    let folder = folder();
    let file = folder.path().join("target");
    std::fs::write(&file, vec![0; 1 << 20]).expect("room");
    drivelab(&["load", text(&file), "--meter", "sim"]).fails_in_one_line(2, &["sim"]);
    drivelab(&["load", "sim:consistent", "--meter", "multimeter"]).fails_in_the_parser(&["scpi:HOST:PORT"]);
    drivelab(&["energy", "--meter", "sim", "--", "true"]).fails_in_one_line(2, &["sim: target"]);
    drivelab(&["energy", "--meter", "rapl"]).fails_in_the_parser(&["COMMAND"]);
    drivelab(&["energy", "--runs", "0", "--", "true"]).fails_in_the_parser(&["--runs", "from 1 to 100"]);
    drivelab(&["energy", "--runs", "five", "--", "true"]).fails_in_the_parser(&["--runs", "five"]);
    drivelab(&["energy", "--compare", "a", "b", "--runs", "2"]).fails_in_the_parser(&["--runs"]);
    drivelab(&["energy", "--meter", "scpi:127.0.0.1:1", "--", "no-such-command"])
        .fails_in_one_line(2, &["no-such-command"]);
    drivelab(&["energy", "--meter", "scpi:127.0.0.1:1", "--", "true"]).fails_in_one_line(3, &["127.0.0.1:1"]);
    drivelab(&["energy", "--meter", "hwmon:nobody", "--", "true"]).fails_in_one_line(3, &["nobody"]);
    drivelab(&["energy", "--meter", "csv:/nowhere.csv", "--", "true"])
        .fails_in_one_line(3, &["/nowhere.csv"]);
    drivelab(&["energy", "--compare", "/nowhere", "/nowhere"])
        .fails_in_one_line(2, &["/nowhere", "run.json"]);
    let help = Ended::of(&program().args(["energy", "--help"]).output().expect("drivelab starts"));
    assert!(help.stdout.contains("drivelab energy --meter scpi:"), "{}", help.stdout);
}
