//! The temperature of a drive during a run, against a simulated one that counts when it throttles.

mod common;

use std::fs;

use common::drivelab;
use serde_json::Value;

/// Reads for 300 s; what the result says of the temperature, and whether its page shows it.
fn read_on(drive: &str) -> (Value, bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("run");
    let kept_in = kept.to_str().expect("a name");
    let load = [
        "load",
        drive,
        "--rw",
        "read",
        "--block-size",
        "128KiB",
        "--queue-depth",
        "16",
        "--duration",
        "300s",
    ];
    let run = drivelab(&[&load[..], &["-o", kept_in, "--json"]].concat()).with_code(0).json();
    let readings = fs::read_to_string(kept.join("machine.csv")).unwrap_or_default();
    let seconds = readings.lines().filter(|line| !line.contains('°')).count();
    let page = fs::read_to_string(kept.join("report.html")).expect("a page");
    (run["run"]["outcome"]["heat"].clone(), seconds >= 299 && page.contains("temperature, °C"))
}

/// At 128 KiB and a queue depth of 16 the drive reads as fast as its interface, which throttling halves.
#[test]
fn throttling_begins_at_the_limit_and_a_cool_drive_has_none() {
    for limit in [54, 55, 57, 58] {
        let (heat, is_shown) = read_on(&format!("sim:enterprise-nvme?size=8GiB&thermal_limit={limit}C"));
        assert!(is_shown, "the temperature of every second is in the folder and on the page");
        let throttled = heat["throttled"].as_array().map_or(&[][..], Vec::as_slice);
        let [phase] = throttled else { panic!("one phase at {limit} degrees: {heat}") };
        let number = |name: &str| phase[name].as_f64().expect("a number");
        assert!((number("celsius") - f64::from(limit)).abs() <= 1.0, "{phase}");
        assert!((number("rate_mb_s") / number("rate_before_mb_s") - 0.5).abs() < 0.01, "{phase}");
        let counted = heat["counted"]["thermal_1_seconds"].as_f64().expect("seconds");
        // The seconds in which it begins and ends are mixed.
        assert!((number("share") * 300.0 - counted).abs() <= 2.0, "{phase}: the drive counted {counted} s");
    }
    let (heat, is_shown) = read_on("sim:enterprise-nvme?size=8GiB");
    assert!(is_shown && heat.get("throttled").is_none(), "{heat}");
    assert!(heat["sensors"][0]["hottest_celsius"].as_f64() > Some(50.0), "{heat}");
}

/// Writes are held up by the flash, which throttling leaves as fast as it is: the drive counts it, and the rate does not fall.
#[test]
fn a_rate_that_does_not_fall_is_not_throttled_and_a_drive_without_sensors_has_no_temperature() {
    let hot = "sim:enterprise-nvme?size=8GiB&thermal_limit=54C";
    let write = ["load", hot, "--rw", "write", "--block-size", "128KiB", "--duration", "300s", "--json"];
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("run");
    let kept_in = ["-o", kept.to_str().expect("a name")];
    let heat =
        drivelab(&[&write[..], &kept_in].concat()).with_code(0).json()["run"]["outcome"]["heat"].clone();
    assert!(heat["counted"]["thermal_1_seconds"].as_u64() > Some(100), "{heat}");
    assert!(heat.get("throttled").is_none(), "{heat}");
    let (none, _) = read_on("sim:consistent?size=8GiB");
    assert_eq!(none, Value::Null);
}

/// The summary of a run that is not kept says it as well, and a fill says which of its knees is no size of a cache.
#[test]
fn a_run_that_is_not_kept_and_the_knee_of_a_fill_show_throttling() {
    let hot = "sim:enterprise-nvme?size=8GiB&thermal_limit=55C";
    let read =
        ["load", hot, "--rw", "read", "--block-size", "128KiB", "--queue-depth", "16", "--duration", "300s"];
    let shown = drivelab(&read).with_code(0).stdout;
    assert!(shown.contains("The drive throttled in the phase \"read\": its rate fell from"), "{shown}");
    let fill = drivelab(&["fill", "sim:tlc-nvme?ambient=60C", "--json"]).with_code(0).json();
    let throttled = &fill["run"]["outcome"]["heat"]["throttled"][0];
    let number = |name: &str| throttled[name].as_f64().expect("a number");
    // The interface is halved, from a rate that only the interface limits; the cache is full later.
    assert!((number("rate_mb_s") / number("rate_before_mb_s") - 0.5).abs() < 0.01, "{throttled}");
    assert_eq!(throttled["came_back"], Value::Bool(false));
    let shown = drivelab(&["fill", "sim:tlc-nvme?ambient=60C"]).with_code(0).stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("The knee at 181 GB is where the drive throttled, at 82.2 °C"), "{shown}");
}
