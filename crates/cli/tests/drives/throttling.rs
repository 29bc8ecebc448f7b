//! The temperature of a drive during a run, against a simulated one that counts when it throttles.

use std::fs;

use crate::common::drivelab;
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
fn a_rate_that_does_not_fall_is_said_and_a_drive_without_sensors_has_no_temperature() {
    let hot = "sim:enterprise-nvme?size=8GiB&thermal_limit=54C";
    let write = ["load", hot, "--rw", "write", "--block-size", "128KiB", "--duration", "300s", "--json"];
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("run");
    let kept_in = ["-o", kept.to_str().expect("a name")];
    let run = drivelab(&[&write[..], &kept_in].concat()).with_code(0).json()["run"].clone();
    let heat = &run["outcome"]["heat"];
    let counted = heat["counted"]["thermal_1_seconds"].as_f64();
    assert!(counted > Some(100.0) && heat["throttled"][0]["counted_s"].as_f64() == counted, "{heat}");
    let said = run["notices"].as_array().expect("notices").iter();
    let said: Vec<&Value> = said.filter(|notice| notice["text"].to_string().contains("throttled")).collect();
    let [note] = said[..] else { panic!("one note: {said:?}") };
    assert!(
        note["severity"] == "note" && note["text"].to_string().contains("its rate did not fall"),
        "{note}"
    );
    let (none, _) = read_on("sim:consistent?size=8GiB");
    assert_eq!(none, Value::Null);
}

/// The summary of a run that is not kept says it as well.
#[test]
fn a_run_that_is_not_kept_shows_throttling() {
    let hot = "sim:enterprise-nvme?size=8GiB&thermal_limit=55C";
    let read =
        ["load", hot, "--rw", "read", "--block-size", "128KiB", "--queue-depth", "16", "--duration", "300s"];
    let shown = drivelab(&read).with_code(0).stdout;
    assert!(shown.contains("The drive throttled for"), "{shown}");
}

/// The drive is hot when it begins to write, and throttles before its cache is full: the interface is halved, from a rate that
/// only the interface limits. The cache is full later, while the drive still throttles, as is shown by a cool drive.
#[test]
fn the_knee_of_a_full_cache_is_not_taken_for_throttling() {
    let fill = |heat: &str| {
        let drive = format!("sim:tlc-nvme?size=256GiB&{heat}");
        drivelab(&["fill", &drive, "--json"]).with_code(0).json()
    };
    let cool = fill("ambient=20C");
    assert!(cool["run"]["outcome"]["heat"].get("throttled").is_none(), "{cool}");
    let full_at = cool["findings"]["knees"][0]["at_bytes"].as_f64().expect("a knee");
    let hot = fill("ambient=68.5C&thermal_hysteresis=1C");
    let throttled = &hot["run"]["outcome"]["heat"]["throttled"][0];
    let number = |name: &str| throttled[name].as_f64().expect("a number");
    assert!((number("rate_mb_s") / number("rate_before_mb_s") - 0.5).abs() < 0.01, "{throttled}");
    let at = |knee: usize| hot["findings"]["knees"][knee]["at_bytes"].as_f64().expect("a knee");
    assert!(
        (at(1) / full_at - 1.0).abs() < 0.02,
        "the cache is full after {full_at}, and not {} bytes",
        at(1)
    );
    let shown = drivelab(&["fill", "sim:tlc-nvme?size=256GiB&ambient=68.5C&thermal_hysteresis=1C"])
        .with_code(0)
        .stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected =
        format!("The knee at {:.1} GB is where the drive began to throttle, at 82.4 °C", at(0) / 1e9);
    assert!(words.contains(&expected), "{shown}");
}

/// A phase that begins on a drive that is hot from the one before.
#[test]
fn a_phase_that_begins_throttled_is_named() {
    let load = [
        "offered-load",
        "sim:tlc-nvme?size=16GiB&ambient=50C&heat_capacity=3J/K",
        "--rw",
        "read",
        "--block-size",
        "1MiB",
        "--loads",
        "50%",
        "--cell-duration",
        "60s",
        "--json",
    ];
    let heat = drivelab(&load).with_code(0).json()["run"]["outcome"]["heat"].clone();
    let phases = heat["throttled"].as_array().expect("phases");
    let [peak, loaded] = &phases[..] else { panic!("two phases: {heat}") };
    assert!(peak["began_s"].as_f64() > Some(5.0) && loaded["began_s"].as_f64() < Some(2.0), "{heat}");
    let counted = |phase: &Value| phase["counted_s"].as_f64().expect("seconds");
    let all = heat["counted"]["thermal_1_seconds"].as_f64().expect("seconds");
    assert!((counted(peak) + counted(loaded) - all).abs() <= 2.0, "{heat}");
}

/// The text of the notices of a result.
fn notices(run: &Value) -> String {
    run["run"]["notices"].to_string()
}

/// 35 degrees of air and 14 K of idling: the drive rests at 49 degrees, and gets to 59 when it reads all the time.
#[test]
fn a_limit_ends_a_run_on_a_simulated_drive_and_one_below_its_temperature_begins_none() {
    let drive = "sim:enterprise-nvme?size=2GiB";
    let load = |more: &[&str]| {
        let load = ["load", drive, "--rw", "read", "--block-size", "128KiB", "--queue-depth", "16"];
        drivelab(&[&load[..], &["--duration", "300s", "--json"], more].concat())
    };
    let stopped = load(&["--temperature-limit", "52"]).with_code(130).json();
    assert!(
        notices(&stopped).contains("The run was stopped: the drive was at 53 °C"),
        "{}",
        notices(&stopped)
    );
    let lasted = stopped["findings"]["duration_s"].as_f64().expect("seconds");
    assert!(lasted > 10.0 && lasted < 299.0, "it was stopped on its way: {lasted} s");
    let again = load(&["--temperature-limit", "52"]).with_code(130).json();
    assert_eq!(again["findings"], stopped["findings"], "it is stopped in its own time");
    for limit in ["70", "none"] {
        let whole = load(&["--temperature-limit", limit]).with_code(0).json();
        assert!(!notices(&whole).contains("stopped"), "{limit}: {}", notices(&whole));
    }
    for more in [&["--temperature-limit", "40"][..], &["--temperature-limit", "40", "--dry-run"]] {
        load(more).fails_in_one_line(3, &["at 49 °C", "limit of 40 °C", "--temperature-limit"]);
    }
}

#[test]
fn a_limit_that_cannot_be_watched_is_refused_and_a_test_that_writes_says_what_was_not_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    let file = file.to_str().expect("a name");
    let of_file = ["--file-size", "1MiB", "--destroy-data", "--assume-unused"];
    let simulated = ("sim:consistent?size=1GiB", &[][..], "this simulated drive has no sensor");
    for (target, own, why) in [simulated, (file, &of_file[..], "a file has no sensor")] {
        let load = |more: &[&str]| {
            let load = ["load", target, "--rw", "randwrite", "--duration", "100ms", "--json"];
            drivelab(&[&load[..], own, more].concat())
        };
        let refused = [&["--temperature-limit", "60"][..], &["--temperature-limit", "60", "--dry-run"]];
        for more in refused {
            load(more).fails_in_one_line(3, &[why, "--temperature-limit none"]);
        }
        assert!(!folder.path().join("file").exists() || target != file, "nothing was begun");
        let told = notices(&load(&[]).with_code(0).json());
        // Heat harms no simulated drive.
        let is_noted = told.contains(&format!("The temperature was not watched: {why}."));
        assert_eq!(is_noted, target == file, "{told}");
        let told = notices(&load(&["--temperature-limit", "none"]).with_code(0).json());
        assert!(told.contains("No temperature ended the run") && !told.contains("not watched"), "{told}");
    }
    // What reads warms no drive up much, and needs no word by default.
    let reads = ["load", "sim:consistent?size=1GiB", "--rw", "randread", "--duration", "100ms", "--json"];
    assert!(!notices(&drivelab(&reads).with_code(0).json()).contains("temperature"));
    drivelab(&["load", file, "--temperature-limit", "warm"]).fails_in_the_parser(&["or none"]);
    let others = [
        &["purge", file, "--destroy-data", "--assume-unused", "--temperature-limit", "60"][..],
        &["paths", folder.path().to_str().expect("a name"), "--temperature-limit", "60"],
        &["matrix", "sim:consistent", "--temperature-limit", "60"],
    ];
    for other in others {
        drivelab(other).fails_in_one_line(3, &["--temperature-limit none"]);
    }
    // All targets are looked at before the first is written.
    let both =
        ["consistency", "sim:enterprise-nvme?size=1GiB", "sim:consistent", "--temperature-limit", "60"];
    drivelab(&both).fails_in_one_line(3, &["no sensor"]);
}
