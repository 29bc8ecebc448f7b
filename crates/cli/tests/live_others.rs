//! What commands that record no I/Os of a test write for Prometheus: recordings of streams, and measured commands.

mod common;

use std::fs;

use common::devices::eventually;
use common::instrument::instrument;
use common::running::Running;
use common::{drivelab, folder, text};
use rustix::process::Signal;

#[test]
fn a_recording_of_streams_shows_what_each_channel_kept_and_dropped() {
    let folder = folder();
    let (target, file) = (folder.path().join("target"), folder.path().join("stream.prom"));
    let channel = "a=synthetic,size=1MB-2MB,rate=20000/s,arrivals=poisson,ring=8MiB";
    let command = ["stream", "record", text(&target), "--file-size", "512MiB", "--json"];
    let more = ["--channel", channel, "--bytes", "300MB", "--openmetrics", text(&file)];
    let result = drivelab(&[&command[..], &more].concat()).json();
    let found = &result["findings"]["channels"][0];
    let text = fs::read_to_string(&file).expect("the file is left");
    let value = |name: &str, label: &str| -> f64 {
        let of_metric = |line: &&str| line.starts_with(&format!("{name}{{")) && line.contains(label);
        let line = text.lines().find(of_metric).unwrap_or_else(|| panic!("{name} of {label}: {text}"));
        line.rsplit_once(' ').expect("a value").1.parse().expect("a number")
    };
    let of_result = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{key}: {found}"));
    assert!(of_result("dropped") > 0.0, "the ring was full: {found}");
    let of_channel = |name: &str| value(name, "channel=\"a\"");
    for (name, key) in [
        ("drivelab_kept_frames_total", "kept"),
        ("drivelab_kept_bytes_total", "kept_bytes"),
        ("drivelab_dropped_frames_total", "dropped"),
        ("drivelab_dropped_bytes_total", "dropped_bytes"),
        ("drivelab_ring_bytes", "ring_bytes"),
        ("drivelab_ring_most_used_bytes", "high_water_bytes"),
    ] {
        assert!((of_channel(name) - of_result(key)).abs() < 0.5, "{name}: {text}");
    }
    let written = result["findings"]["written_bytes"].as_f64().expect("bytes");
    assert!((value("drivelab_bytes_total", "operation=\"write\"") - written).abs() < 0.5, "{text}");
    let blocks = result["findings"]["blocks"].as_f64().expect("blocks");
    assert!((value("drivelab_service_time_seconds_count", "write") - blocks).abs() < 0.5, "{text}");
    assert!(value("drivelab_running", "stream record").abs() < 0.5, "it has ended");
}

#[test]
fn a_recording_shows_while_it_lasts_what_is_kept() {
    let folder = folder();
    let (target, file) = (folder.path().join("target"), folder.path().join("stream.prom"));
    let channel = "a=synthetic,size=100kB,rate=100/s,ring=8MiB";
    let command = ["stream", "record", text(&target), "--file-size", "256MiB", "--channel", channel];
    let more = ["--flush-after", "100ms", "--openmetrics", text(&file)];
    let running = Running::start(&[&command[..], &more].concat());
    let keeps = || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let kept = text.lines().find(|line| line.starts_with("drivelab_kept_frames_total"));
        kept.is_some_and(|line| !line.ends_with(" 0")) && text.contains("drivelab_running{command")
    };
    assert!(eventually(keeps), "nothing is shown: {:?}", fs::read_to_string(&file));
    running.signal(Signal::INT);
    running.ends().with_code(130);
    let text = fs::read_to_string(&file).expect("the file is left");
    assert!(text.lines().any(|line| line.starts_with("drivelab_running{") && line.ends_with(" 0")), "{text}");
}

/// The command looks at the file while it is measured.
#[test]
fn a_measured_command_has_its_phase_and_the_power_of_its_meter() {
    let folder = folder();
    let file = folder.path().join("energy.prom");
    let meter = instrument(&[Some("5.000")]);
    let script = format!("sleep 1; cat {}", text(&file));
    let command = ["energy", "--baseline", "500ms", "--meter", &meter, "--openmetrics", text(&file)];
    let ended = drivelab(&[&command[..], &["--", "/bin/sh", "-c", &script]].concat()).with_code(0);
    let has = |text: &str, name: &str, end: &str| {
        text.lines()
            .any(|line| line.starts_with(&format!("{name}{{command=\"energy\"")) && line.ends_with(end))
    };
    let meanwhile = &ended.stdout;
    assert!(has(meanwhile, "drivelab_running", "} 1"), "{meanwhile}");
    assert!(has(meanwhile, "drivelab_phase", "phase=\"measurement\"} 1"), "{meanwhile}");
    assert!(has(meanwhile, "drivelab_power_watts", "} 5"), "{meanwhile}");
    let after = fs::read_to_string(&file).expect("the file is left");
    assert!(has(&after, "drivelab_running", "} 0"), "{after}");
}
