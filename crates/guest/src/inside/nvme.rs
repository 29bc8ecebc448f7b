//! NVMe drives: one by itself, and one with two namespaces.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{device_of, drivelab, run, succeeds, wait_until_recorded};
use crate::rollup::a_rollup_is_written_while_its_recording_goes_on;

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("drives_are_listed", drives_are_listed),
    ("quick_only_reads", quick_only_reads),
    ("a_wrong_serial_is_refused", a_wrong_serial_is_refused),
    ("random_writes_are_consistent", random_writes_are_consistent),
    ("a_run_has_the_temperature_and_the_conditions", a_run_has_the_temperature_and_the_conditions),
    ("rests_do_not_lengthen_a_read_of_a_drive_that_never_sleeps", rests_do_not_lengthen_a_read),
    ("passthrough_is_one_of_the_paths", passthrough_is_one_of_the_paths),
    ("a_used_drive_is_trimmed", a_used_drive_is_trimmed),
    ("a_review_does_all_its_tests_and_is_gone_on_with", a_review_does_all_its_tests_and_is_gone_on_with),
    ("every_frame_of_a_recording_is_found", every_frame_of_a_recording_is_found),
    ("a_trace_has_the_requests_that_were_made", a_trace_has_the_requests_that_were_made),
    // The clock stays a day ahead afterwards.
    ("a_rollup_is_written_while_its_recording_goes_on", a_rollup_is_written_while_its_recording_goes_on),
];

fn drives_are_listed() -> Result<()> {
    let list = drivelab("drives")?;
    ensure!(list.code == Some(0), "{}", list.complaint);
    for serial in ["alpha", "twin"] {
        ensure!(list.output.contains(&format!("serial {serial}")), "{serial} is not listed: {}", list.output);
    }
    Ok(())
}

fn quick_only_reads() -> Result<()> {
    let drive = device_of("alpha")?;
    let before = written(&drive)?;
    let shown = succeeds(&format!("quick {drive} -o /tmp/hidden --hide-serial"))?;
    ensure!(!shown.to_string().contains("alpha"), "the serial number is in the document: {shown}");
    let page = fs::read_to_string("/tmp/hidden/report.html")?;
    ensure!(
        page.contains("serial hidden-") && !page.contains("serial alpha"),
        "the serial number is on the page"
    );
    ensure!(written(&drive)? == before, "quick has written");
    Ok(())
}

/// Tests of seconds, with the health before.
const PLAN: &str = "\
[[step]]
test = \"lifetime\"

[[step]]
test = \"quick\"
write = true

[[step]]
test = \"consistency\"
duration = \"3s\"
window = \"1s\"
range = \"0%-20%\"
purge = \"auto\"

[[step]]
test = \"stalls\"
bytes = \"16MB\"
";

fn a_review_does_all_its_tests_and_is_gone_on_with() -> Result<()> {
    let drive = device_of("alpha")?;
    fs::write("/tmp/plan.toml", PLAN)?;
    let confirmed = "--serial alpha --destroy-data";
    let review = succeeds(&format!("review {drive} --plan /tmp/plan.toml {confirmed} -o /tmp/review"))?;
    let steps = review["steps"].as_array().context("steps")?;
    ensure!(steps.len() == 4 && steps.iter().all(|step| step["ended"]["exit_code"] == 0), "{review}");
    let page = fs::read_to_string("/tmp/review/report.html")?;
    // Figures may be missing, where the program itself stood still on a busy machine.
    for part in ["Lifetime of", "Quick test of", "Performance consistency of", "Recording of a stream of"] {
        ensure!(page.contains(part), "the page lacks {part}");
    }
    let text = fs::read_to_string("/tmp/review/review.json")?;
    let mut record: Value = serde_json::from_str(&text)?;
    record["steps"][3]["ended"] = Value::Null;
    fs::write("/tmp/review/review.json", record.to_string())?;
    let other = drivelab("review --resume /tmp/review --serial twin --destroy-data")?;
    ensure!(other.code == Some(4), "gone on with the serial number of another drive: {other:?}");
    let again = succeeds(&format!("review --resume /tmp/review {confirmed}"))?;
    ensure!(again["steps"][3]["ended"]["exit_code"] == 0, "{again}");
    Ok(())
}

/// How many sectors were written to a drive.
fn written(drive: &str) -> Result<u64> {
    let name = drive.trim_start_matches("/dev/");
    let line = fs::read_to_string(format!("/sys/block/{name}/stat"))?;
    let field = line.split_whitespace().nth(6).context("the seventh field of a drive's counters")?;
    Ok(field.parse()?)
}

fn a_wrong_serial_is_refused() -> Result<()> {
    let drive = device_of("alpha")?;
    let ended = drivelab(&format!("load {drive} --rw write --bytes 1MiB --destroy-data --serial twin"))?;
    ensure!(ended.code == Some(4), "ended with {:?}: {}", ended.code, ended.complaint);
    ensure!(written(&drive)? == 0, "something was written");
    Ok(())
}

fn random_writes_are_consistent() -> Result<()> {
    let drive = device_of("alpha")?;
    let run = succeeds(&format!("consistency {drive} --serial alpha --duration 5s -o /tmp/consistency"))?;
    ensure!(run.to_string().contains("\"serial\":\"alpha\""), "the document does not name the drive: {run}");
    let page = fs::read("/tmp/consistency/report.html")?;
    fs::remove_file("/tmp/consistency/report.html")?;
    ensure!(drivelab("report /tmp/consistency")?.code == Some(0), "the result cannot be opened again");
    ensure!(fs::read("/tmp/consistency/report.html")? == page, "the page that report makes is another one");
    Ok(())
}

/// The drive of the machine is at 323 K, warns at 343 K and has no thermal management; its counters stand still.
fn a_run_has_the_temperature_and_the_conditions() -> Result<()> {
    let drive = device_of("alpha")?;
    let run = succeeds(&format!("load {drive} --rw read --duration 4s -o /tmp/warm"))?;
    let readings = fs::read_to_string("/tmp/warm/machine.csv")?;
    let head = readings.lines().next().context("a line of heads")?;
    let place = head.split(',').position(|head| head == "temperature Composite (°C)");
    let place = place.with_context(|| format!("no temperature among the gauges: {head}"))?;
    let shown: Vec<&str> = readings.lines().skip(1).filter_map(|line| line.split(',').nth(place)).collect();
    let known = shown.iter().filter(|value| value.starts_with("49.85")).count();
    ensure!(known >= 4 && known == shown.len(), "not 323 K in every second: {shown:?}");
    let heat = run.pointer("/run/outcome/heat").context("no heat in the document")?;
    ensure!(heat["limit"]["kind"] == "warning" && heat["limit"]["celsius"] == 70, "{heat}");
    ensure!(heat["counted"]["warning_minutes"] == 0 && heat.get("throttled").is_none(), "{heat}");
    let conditions = run.pointer("/run/conditions").and_then(Value::as_array).context("conditions")?;
    let value = |group: &str, name: &str| {
        let found = conditions.iter().find(|line| line["group"] == group && line["name"] == name);
        found.and_then(|line| line["value"].as_str()).map(str::to_owned)
    };
    for (group, name) in [
        ("PCIe", "device"),
        ("PCIe", "link speed"),
        ("PCIe", "link width at most"),
        ("NVMe", "power state 0"),
        ("NVMe", "power state at the start"),
        ("NVMe", "volatile write cache"),
        ("NVMe", "namespace format"),
        ("NVMe", "warning temperature"),
        ("Block layer", "hardware queues"),
    ] {
        ensure!(value(group, name).is_some(), "no condition {group}, {name}: {conditions:?}");
    }
    let page = fs::read_to_string("/tmp/warm/report.html")?;
    for part in ["temperature, °C", "hottest (Composite)", "limit of the drive"] {
        ensure!(page.contains(part), "the page lacks {part}");
    }
    Ok(())
}

/// The drive of the machine has one power state and answers from memory. Where the host is busy, a read takes longer after a
/// rest all the same: no state of the drive is named then.
fn rests_do_not_lengthen_a_read() -> Result<()> {
    let drive = device_of("alpha")?;
    let words = format!("wake {drive} --rests 1ms,10ms,100ms,500ms --runs 12 -o /tmp/rested");
    let found = succeeds(&words)?["findings"].clone();
    ensure!(found["reads"].as_array().is_some_and(|reads| reads.len() == 48), "{found}");
    let steps = found["steps"].as_array().context("steps")?;
    let states = found["power_states"].as_array().context("power states")?;
    ensure!(states.len() == 1 && states[0]["is_operational"] == true, "{found}");
    let page = fs::read_to_string("/tmp/rested/report.html")?;
    let says = if steps.is_empty() {
        ["No step", "Not shown"].iter().any(|mark| page.contains(mark))
    } else {
        page.contains("the drive enters none of its power states")
    };
    ensure!(says, "the page does not say so: {found}");
    Ok(())
}

fn passthrough_is_one_of_the_paths() -> Result<()> {
    let drive = device_of("alpha")?;
    let words = format!("paths {drive} --serial alpha --destroy-data --sizes 1MB --runs 2 --cell-bytes 4MB");
    let found = succeeds(&words)?;
    ensure!(found.to_string().contains("passthrough"), "no path by passthrough: {found}");
    Ok(())
}

fn a_used_drive_is_trimmed() -> Result<()> {
    let drive = device_of("alpha")?;
    let words = format!(
        "trim {drive} --serial alpha --destroy-data --precondition random:2s --runs 1 --range 0%-25%"
    );
    let run = succeeds(&words)?;
    ensure!(run.to_string().contains("alpha"), "the document does not name the drive: {run}");
    Ok(())
}

fn every_frame_of_a_recording_is_found() -> Result<()> {
    let drive = device_of("alpha")?;
    let channel = "a=synthetic,size=100KB,rate=60/s";
    let words =
        format!("stream record {drive} --serial alpha --destroy-data --duration 3s --channel {channel}");
    succeeds(&words)?;
    succeeds(&format!("stream check {drive}"))?;
    let other = drivelab(&format!("stream check {}", device_of("twin")?))?;
    ensure!(other.code != Some(0), "a recording was found on a drive without one: {}", other.output);
    Ok(())
}

fn a_trace_has_the_requests_that_were_made() -> Result<()> {
    let drive = device_of("twin")?;
    let words = format!("trace record --device {drive} --output /tmp/trace");
    let mut recorder = Command::new("/bin/drivelab")
        .args(words.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    wait_until_recorded("/tmp/trace")?;
    // Read without the page cache, which would ask for more than that.
    run(&format!("dd if={drive} of=/dev/null bs=64k count=16 iflag=direct"))?;
    // The events are read once a second.
    thread::sleep(Duration::from_secs(2));
    run(&format!("kill -INT {}", recorder.id()))?;
    ensure!(recorder.wait()?.success(), "the recorder failed");
    let shown = succeeds("trace show /tmp/trace")?;
    let reads = shown.pointer("/findings/requests/read");
    ensure!(reads.and_then(Value::as_u64) == Some(16), "not the sixteen reads: {reads:?}");
    Ok(())
}
