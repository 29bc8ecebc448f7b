//! NVMe drives with two controllers in one subsystem: the kernel shows each as one drive, the head, with two hidden paths.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{
    Ended, device_of, drivelab, ended, run, succeeds, wait_until_begun, wait_until_recorded,
};
use crate::protocol::Message;

/// The tests, in order; the last one pulls a controller.
pub const TESTS: &[Test] = &[
    ("its_sensors_and_controllers_are_found", its_sensors_and_controllers_are_found),
    ("a_temperature_limit_is_kept", a_temperature_limit_is_kept),
    ("a_limit_without_a_sensor_is_refused", a_limit_without_a_sensor_is_refused),
    ("a_purge_and_a_stream_know_of_the_limit", a_purge_and_a_stream_know_of_the_limit),
    ("every_drive_is_recorded_as_its_head", every_drive_is_recorded_as_its_head),
    ("the_kernels_own_times_are_those_of_the_paths", the_kernels_own_times_are_those_of_the_paths),
    ("a_path_that_goes_away_is_told", a_path_that_goes_away_is_told),
];

/// What QEMU's drives show.
const CELSIUS: f64 = 50.0;
/// How long a controller may take to be gone, and a recording to begin.
const LONGEST: Duration = Duration::from_secs(60);

/// Starts drivelab, whose output is collected at its end.
fn start(words: &str) -> Result<Child> {
    let mut command = Command::new("/bin/drivelab");
    command.args(words.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().context("drivelab cannot be run")
}

fn finish(child: Child) -> Result<Ended> {
    Ok(ended(&child.wait_with_output()?))
}

/// Begins to record into a folder, until it is interrupted: a processor that is emulated takes a time for the loads that is not
/// known.
fn start_recording(devices: &str, folder: &str) -> Result<Child> {
    let recording = start(&format!("trace record{devices} -o {folder} --json"))?;
    wait_until_recorded(folder)?;
    Ok(recording)
}

fn finish_recording(recording: Child) -> Result<Ended> {
    run(&format!("kill -INT {}", recording.id()))?;
    finish(recording)
}

fn hottest(run: &Value) -> Option<f64> {
    run.pointer("/run/outcome/heat/sensors/0/hottest_celsius").and_then(Value::as_f64)
}

fn its_sensors_and_controllers_are_found() -> Result<()> {
    let drive = device_of("pair")?;
    let run = succeeds(&format!("load {drive} --rw randread --duration 2s"))?;
    ensure!(hottest(&run).is_some_and(|celsius| (celsius - CELSIUS).abs() < 5.0), "{run:#}");
    let conditions = run["run"]["conditions"].to_string();
    for expected in ["\"paths\"", "\"queues of the controller\"", "\"hardware queues\"", "\"poll queues\""] {
        ensure!(conditions.contains(expected), "{expected}: {conditions}");
    }
    let name = drive.trim_start_matches("/dev/");
    let head = Path::new("/sys/block").join(name);
    for controller in controllers_of(&head)? {
        let address = fs::read_to_string(head.join("device").join(&controller).join("address"))?;
        ensure!(conditions.contains(address.trim()), "{controller}: {conditions}");
    }
    Ok(())
}

/// The controllers of a head, by their names.
fn controllers_of(head: &Path) -> Result<Vec<String>> {
    let names = fs::read_dir(head.join("device"))?.flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_controller =
        |name: &String| name.strip_prefix("nvme").is_some_and(|number| number.parse::<u32>().is_ok());
    Ok(names.filter(is_controller).collect())
}

fn a_temperature_limit_is_kept() -> Result<()> {
    let drive = device_of("pair")?;
    let words = format!("load {drive} --rw randwrite --duration 2s --serial pair --destroy-data");
    for more in ["", " --dry-run"] {
        let refused = drivelab(&format!("{words} --temperature-limit 40{more}"))?;
        ensure!(refused.code == Some(3), "{refused:?}");
        for expected in ["50 °C", "40 °C"] {
            ensure!(refused.complaint.contains(expected), "{expected}: {}", refused.complaint);
        }
    }
    for limit in ["60", "none"] {
        let run = succeeds(&format!("{words} --temperature-limit {limit}"))?;
        let notices = run["run"]["notices"].to_string();
        ensure!(notices.contains("No temperature ended the run") == (limit == "none"), "{notices}");
        ensure!(hottest(&run).is_some(), "the temperature is read under the limit {limit}");
    }
    let plain = succeeds(&words)?;
    ensure!(!plain["run"]["notices"].to_string().contains("not watched"), "{}", plain["run"]["notices"]);
    Ok(())
}

fn a_limit_without_a_sensor_is_refused() -> Result<()> {
    let words = "load /tmp/file --rw randwrite --file-size 8MiB --duration 1s --destroy-data";
    for more in ["", " --dry-run"] {
        let refused = drivelab(&format!("{words} --temperature-limit 60{more}"))?;
        ensure!(refused.code == Some(3), "{refused:?}");
        ensure!(refused.complaint.contains("--temperature-limit none"), "{}", refused.complaint);
    }
    ensure!(!Path::new("/tmp/file").exists(), "nothing was begun");
    let run = succeeds(words)?;
    let notices = run["run"]["notices"].to_string();
    ensure!(notices.contains("The temperature was not watched"), "{notices}");
    succeeds(&format!("{words} --temperature-limit none"))?;
    Ok(())
}

fn a_purge_and_a_stream_know_of_the_limit() -> Result<()> {
    let drive = device_of("other")?;
    let confirmed = format!("{drive} --serial other --destroy-data --temperature-limit 40");
    for command in ["purge", "stream record --channel a=synthetic,size=1KB,rate=10/s --duration 1s"] {
        let refused = drivelab(&format!("{command} {confirmed}"))?;
        ensure!(refused.code == Some(3), "{command}: {refused:?}");
    }
    // The commands of a purge reach the drive through its head.
    for how in ["format", "discard"] {
        let purged = drivelab(&format!("purge {drive} --purge {how} --serial other --destroy-data"))?;
        ensure!(purged.code == Some(0), "{how}: {purged:?}");
    }
    Ok(())
}

/// The names of the devices in the document of a trace.
fn devices_in(trace: &Value) -> Vec<String> {
    let devices = trace["devices"].as_array().cloned().unwrap_or_default();
    devices.iter().filter_map(|device| Some(device["name"].as_str()?.to_owned())).collect()
}

fn every_drive_is_recorded_as_its_head() -> Result<()> {
    let (pair, other) = (device_of("pair")?, device_of("other")?);
    let named = format!(" --device {pair}");
    for (place, devices) in ["", &named].into_iter().enumerate() {
        let recording = start_recording(devices, &format!("/tmp/trace-{place}"))?;
        let load = succeeds(&format!("load {pair} --rw randread --duration 2s"))?;
        succeeds(&format!("load {other} --rw randread --duration 1s"))?;
        let recorded = finish_recording(recording)?;
        ensure!(recorded.code == Some(0), "{recorded:?}");
        let trace = &recorded.document()?["findings"];
        let completions = load.pointer("/run/outcome/completions").and_then(Value::as_u64);
        let reads = trace.pointer("/requests/read").and_then(Value::as_u64);
        // Two that read one sector at the same time cannot be distinguished.
        let unpaired = trace["unpaired"].as_u64().unwrap_or(0);
        let recorded = reads.map(|paired| paired + unpaired);
        ensure!(recorded >= completions && completions > Some(0), "{recorded:?} of {completions:?}");
        ensure!(Some(unpaired * 100) < reads, "{unpaired} of {reads:?}: {}", trace["unpaired_reasons"]);
        let heads = [pair.trim_start_matches("/dev/"), other.trim_start_matches("/dev/")];
        let found = devices_in(trace);
        ensure!(found.iter().all(|name| heads.contains(&name.as_str())), "{found:?}");
        ensure!(found.len() == 2 - place, "{found:?}");
        ensure!(trace["devices"][0]["measured"] == "D2C", "{}", trace["devices"][0]);
    }
    Ok(())
}

fn the_kernels_own_times_are_those_of_the_paths() -> Result<()> {
    let drive = device_of("pair")?;
    let words = "--bytes 32MiB --block-size 1MiB --verify no --serial pair --destroy-data";
    let run = succeeds(&format!("stalls {drive} {words} --device-times -o /tmp/times"))?;
    let stream = &run["findings"]["stream"];
    ensure!(stream["device"]["measured"] == "D2C", "{}", stream["device"]);
    let device = &stream["device"];
    // A write in whose time the program stood still is left out, and its requests may belong to none that is judged.
    let left_out = run.pointer("/run/outcome/left_out").and_then(Value::as_u64).unwrap_or(0);
    let found = device["times_ns"]["count"].as_u64().unwrap_or(0);
    let is_whole =
        (32_u64.saturating_sub(left_out)..=32).contains(&found) && (device["unmatched"] == 0 || left_out > 0);
    ensure!(is_whole, "every write has its time: {left_out} left out, {device}");
    let again = &succeeds("trace show /tmp/times/device")?["findings"];
    let writes = again.pointer("/requests/write").and_then(Value::as_u64);
    ensure!(writes >= Some(32), "{again}");
    ensure!(devices_in(again) == [drive.trim_start_matches("/dev/")], "{again}");
    Ok(())
}

fn a_path_that_goes_away_is_told() -> Result<()> {
    let drive = device_of("pair")?;
    let head = Path::new("/sys/block").join(drive.trim_start_matches("/dev/"));
    ensure!(controllers_of(&head)?.len() == 2, "two controllers");
    let recording = start_recording(&format!(" --device {drive}"), "/tmp/lost-trace")?;
    let load = start(&format!("load {drive} --rw randread --duration 35s -o /tmp/lost --json"))?;
    wait_until_begun("/tmp/lost")?;
    // The temperature is looked at once a second.
    thread::sleep(Duration::from_secs(3));
    println!("{}", Message::Unplug("pair-a".to_owned()));
    let began = Instant::now();
    while controllers_of(&head)?.len() == 2 {
        ensure!(began.elapsed() < LONGEST, "the controller is still there");
        thread::sleep(Duration::from_millis(100));
    }
    let (load, recording) = (finish(load)?, finish_recording(recording)?);
    ensure!(load.code == Some(0), "{load:?}");
    ensure!(load.complaint.contains("went away, and 1 is left"), "{}", load.complaint);
    let run = load.document()?;
    ensure!(
        run["run"]["notices"].to_string().contains("went away, and 1 is left"),
        "{}",
        run["run"]["notices"]
    );
    ensure!(hottest(&run).is_some(), "{run}");
    ensure!(recording.code == Some(0), "{recording:?}");
    let trace = &recording.document()?["findings"];
    ensure!(trace["notices"].to_string().contains("went away, and 1 is left"), "{}", trace["notices"]);
    // The sensor of the controller that is left is read.
    its_sensors_and_controllers_are_found()
}
