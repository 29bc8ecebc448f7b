//! Reads until a drive is warm, before it is measured, against a simulated one whose temperature follows a formula.

use std::fs;
use std::path::Path;

use crate::common::drivelab;
use serde_json::Value;

/// 4 K/W and 60 J/K: 240 s.
const NVME: &str = "sim:enterprise-nvme?size=2GiB";
/// A slow interface, so that few reads take minutes: 10 K/W and 6 J/K are 60 s.
const SATA: &str = "sim:sm2246en?size=1GiB&thermal_resistance=10K/W&heat_capacity=6J/K";

fn read_load<'a>(drive: &'a str, until_warm: &'a str, folder: &'a Path) -> Vec<&'a str> {
    let folder = folder.to_str().expect("a name");
    let load =
        ["load", drive, "--rw", "read", "--block-size", "1MiB", "--queue-depth", "8", "--duration", "20s"];
    [&load[..], &[until_warm, "-o", folder, "--json"]].concat()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// After how many seconds a drive is warm whose temperature is end - range e^(-t / tau): the methods say when.
fn warm_after(range: f64, tau: f64) -> f64 {
    let rise = |at: u32| {
        let mean = (0..6).map(|count| (-f64::from(at - 10 * count) / tau).exp()).sum::<f64>() / 6.0;
        range * (300.0 / tau).exp_m1() * mean
    };
    (36..10_000).map(|count| 10 * count).find(|at| rise(*at) < 1.0).map(f64::from).expect("it ends")
}

#[test]
fn a_drive_is_warm_when_its_thermal_model_says_so_and_the_reads_are_not_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("warm");
    let run = drivelab(&read_load(NVME, "--until-warm", &kept)).with_code(0).json();
    let phases: Vec<&str> = run["run"]["phases"]
        .as_array()
        .expect("phases")
        .iter()
        .map(|phase| phase["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(phases, ["reads until warm", "read"]);
    // Reads of what was never written are transfers alone: 2.5 uJ for 4 KiB, above 3.5 W at 35 degrees.
    let mb_s = number(&run["findings"]["mb_s"]);
    let power = 3.5 + mb_s * 1e6 / 4096.0 * 2.5e-6;
    let (from, end) = (35.0 + 4.0 * 3.5, 35.0 + 4.0 * power);
    // The load alone lasted 20 s.
    assert!((number(&run["findings"]["duration_s"]) - 20.0).abs() < 0.1);
    let warm_up = &run["run"]["outcome"]["heat"]["warm_up"];
    assert_eq!(warm_up["is_warm"], true, "{warm_up}");
    assert!((number(&warm_up["from_celsius"]) - from).abs() < 0.01, "{warm_up}: {from}");
    assert!((number(&warm_up["to_celsius"]) - end).abs() < 1.0, "{warm_up}: {end}");
    let expected = warm_after(end - from, 240.0);
    assert!((number(&warm_up["lasted_s"]) - expected).abs() <= 10.0, "{warm_up}: {expected} s");
    let page = fs::read_to_string(kept.join("report.html")).expect("a page");
    assert!(page.contains("until it was warm: 49"), "the page says it");
}

#[test]
fn a_drive_that_is_not_warm_in_time_is_measured_with_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let slow = format!("{NVME}&heat_capacity=300J/K");
    let kept = folder.path().join("slow");
    let run = drivelab(&read_load(&slow, "--until-warm=6min", &kept)).with_code(0).json();
    let warm_up = &run["run"]["outcome"]["heat"]["warm_up"];
    assert_eq!((&warm_up["is_warm"], &warm_up["lasted_s"]), (&Value::from(false), &Value::from(360.0)));
    assert!(number(&warm_up["rise_kelvins"]) >= 1.0, "{warm_up}");
    let cold = folder.path().join("cold");
    drivelab(&read_load(&slow, "--seed=1", &cold)).with_code(0);
    let both = [cold, kept].map(|folder| folder.to_str().expect("a name").to_owned());
    let text = drivelab(&["report", &both[0], &both[1]]).with_code(0).stdout;
    assert!(text.contains("still getting warmer") && text.contains("until warm"), "{text}");
}

#[test]
fn every_command_that_has_the_option_reads_before_it_measures() {
    let commands: [&[&str]; 5] = [
        &["consistency", SATA, "--duration", "20s", "--window", "2s"],
        &["fill", SATA],
        &["offered-load", SATA, "--loads", "50%", "--cell-duration", "2s"],
        &["working-set", SATA, "--cell-duration", "1s"],
        &["stalls", SATA, "--bytes", "1GiB", "--verify", "end"],
    ];
    for command in commands {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("run");
        let kept = kept.to_str().expect("a name");
        let run = drivelab(&[command, &["--until-warm", "-o", kept, "--json"]].concat()).with_code(0).json();
        let run = if run.is_array() { run[0].clone() } else { run };
        let manifest = &run["run"];
        let warm_up = &manifest["outcome"]["heat"]["warm_up"];
        assert_eq!(warm_up["is_warm"], true, "{command:?}: {warm_up}");
        let phases = manifest["phases"].as_array().expect("phases");
        let place = phases.iter().position(|phase| phase["name"] == "reads until warm").expect("the reads");
        let before: Vec<&Value> = phases[..place].iter().map(|phase| &phase["name"]).collect();
        assert!(
            before.iter().all(|name| ["purge", "fill"].contains(&name.as_str().expect("a name"))),
            "{before:?}"
        );
        let verified = &run["findings"]["verification"];
        assert!(command[0] != "stalls" || verified["not_judged"] == 0, "{verified}");
    }
}

#[test]
fn a_target_without_a_temperature_is_refused_before_anything_is_done() {
    let none = ["sensor", "leave the option out"];
    let load = |target: &str| drivelab(&["load", target, "--until-warm"]);
    load("sim:consistent").fails_in_one_line(3, &none);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    let path = file.to_str().expect("a name");
    drivelab(&["fill", path, "--file-size", "1GiB", "--until-warm"]).fails_in_one_line(3, &none);
    assert!(!file.exists(), "nothing was made");
    drivelab(&["load", NVME, "--until-warm=5min"]).fails_in_the_parser(&["6min"]);
    drivelab(&["load", NVME, "--until-warm", "20min"]).fails_in_the_parser(&["'--until-warm=20min'"]);
    let wake = drivelab(&["wake", NVME, "--until-warm"]);
    wake.fails_in_the_parser(&["drivelab wake has no --until-warm", "drivelab load", "drivelab fill"]);
}

#[test]
fn the_planned_time_holds_the_reads_at_most() {
    let commands: [(&[&str], f64); 6] = [
        (&["load", SATA, "--duration", "20s"], 20.0),
        (&["consistency", SATA, "--duration", "20s"], 20.0),
        // The drive rests as long before its cache is filled.
        (&["fill", SATA, "--rests", "30s"], 60.0),
        (&["offered-load", SATA, "--loads", "50%", "--cell-duration", "5s"], 10.0),
        (&["working-set", SATA, "--cell-duration", "1s"], 6.0),
        (&["stalls", SATA, "--duration", "20s", "--verify", "no"], 20.0),
    ];
    for (command, own) in commands {
        let plan =
            drivelab(&[command, &["--until-warm=7min", "--dry-run", "--json"]].concat()).with_code(0).json();
        let plan = if plan.is_array() { plan[0].clone() } else { plan };
        assert_eq!(plan["timed_s"], own + 420.0, "{command:?}: {plan}");
    }
    let asked = ["offered-load", SATA, "--loads", "50%", "--cell-duration", "5s", "--until-warm=7min"];
    let said = drivelab(&asked).with_code(0).stderr;
    assert!(said.contains("in virtual time it takes at most 7.17 min"), "{said}");
}
