//! What commands that record no I/Os of a test write for Prometheus: recordings of streams, and measured commands.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::common::devices::{self, eventually};
use crate::common::instrument::instrument;
use crate::common::running::Running;
use crate::common::{drivelab, folder, text};
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
    let mode = fs::metadata(&file).expect("the file is left").permissions().mode();
    assert_eq!(mode & 0o777, 0o644, "an exporter has a user of its own");
    let text = fs::read_to_string(&file).expect("the file is left");
    assert!(text.ends_with("\n# EOF\n"), "{text}");
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

/// Everything in a folder: its names, what kind each is, and what the regular files hold.
fn contents(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let kind = entry.file_type().expect("a kind");
        let held =
            if kind.is_file() { fs::read_to_string(entry.path()).expect("text") } else { String::new() };
        found.push((entry.file_name().to_string_lossy().into_owned(), format!("{kind:?} {held}")));
    }
    found.sort();
    found
}

/// Before the run and with `--dry-run`, whatever is there stays what it was.
#[test]
fn metrics_replace_nothing_but_metrics() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("notes"), "mine\n").and_then(|()| fs::write(at("empty"), "")).expect("room");
    fs::create_dir(at("folder")).expect("room");
    symlink(at("notes"), at("link")).and_then(|()| symlink("nowhere", at("dangling"))).expect("links");
    devices::run("mkfifo", &[text(&at("pipe"))]);
    let mut others = vec![
        ("notes", "is there already"),
        ("empty", "is there already"),
        ("folder", "is a folder"),
        ("link", "is a link"),
        ("dangling", "is a link"),
        ("pipe", "is a pipe"),
    ];
    if devices::mounts_can_be_made() {
        // Nodes of its own: of the device that discards everything, and of a drive that is not there.
        devices::run("mknod", &[text(&at("device")), "c", "1", "3"]);
        devices::run("mknod", &[text(&at("drive")), "b", "7", "1048575"]);
        others.extend([("device", "is a device"), ("drive", "is a drive")]);
    }
    let before = contents(folder.path());
    for (name, what) in others {
        let load = ["load", "sim:consistent?size=256MiB", "--duration", "100ms", "--openmetrics"];
        let file = at(name);
        for more in [&[][..], &["--dry-run"]] {
            let words = ["--openmetrics", name, what, "name a file"];
            drivelab(&[&load[..], &[text(&file)], more].concat()).fails_in_one_line(2, &words);
        }
        let record =
            ["trace", "record", "-o", text(&at("trace")), "--openmetrics", text(&file)].map(str::to_owned);
        let record: Vec<&str> = record.iter().map(String::as_str).collect();
        drivelab(&record).fails_in_one_line(2, &[what]);
    }
    assert_eq!(contents(folder.path()), before);
    // A file of an earlier command is replaced, and whoever may read the folder reads it.
    let own = at("own.prom");
    for duration in ["100ms", "200ms"] {
        let load =
            ["load", "sim:consistent?size=256MiB", "--duration", duration, "--openmetrics", text(&own)];
        drivelab(&load).with_code(0);
        assert_eq!(fs::metadata(&own).expect("a file").permissions().mode() & 0o777, 0o644);
    }
    let metrics = fs::read_to_string(&own).expect("a file");
    assert!(metrics.starts_with("# Metrics of drivelab") && metrics.ends_with("\n# EOF\n"), "{metrics}");
}

/// What does not exist yet is known by where it will be.
#[test]
fn metrics_are_no_file_that_the_command_itself_makes() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::create_dir(at("empty")).and_then(|()| fs::create_dir(at("rollup"))).expect("room");
    symlink(folder.path(), at("here")).expect("a link");
    let (target, page, kept) = (at("t.bin"), at("page.html"), at("kept"));
    let (by_link, empty, inside) = (at("here/t.bin"), at("empty"), at("empty/now.prom"));
    let (rollup, in_rollup) = (at("rollup"), at("rollup/now.prom"));
    let channel = ["--channel", "a=synthetic,size=1kB,rate=50/s", "--duration", "100ms"];
    let stream = |more: &[&str]| {
        let asked = ["stream", "record", &target, "--file-size", "64MiB"];
        drivelab(&[&asked[..], &channel, more].concat())
    };
    for more in [&[][..], &["--dry-run"]] {
        stream(&[&["--openmetrics", &target], more].concat()).fails_in_one_line(2, &["t.bin is the target"]);
        stream(&[&["--openmetrics", &by_link], more].concat()).fails_in_one_line(2, &["is the target"]);
        let both = [&["--kept", &kept, "--openmetrics", &kept], more].concat();
        stream(&both).fails_in_one_line(2, &["is the file of --kept"]);
        let load = ["load", &target, "--file-size", "16MiB", "--rw", "randwrite", "--openmetrics", &target];
        drivelab(&[&load[..], more].concat()).fails_in_one_line(2, &["is the target"]);
        let inside_result = ["load", "sim:consistent", "-o", &empty, "--openmetrics", &inside];
        drivelab(&[&inside_result[..], more].concat())
            .fails_in_one_line(2, &["lies in the folder of the result"]);
    }
    let quick = ["quick", "sim:consistent?size=256MiB", "--report", &page, "--openmetrics", &page];
    drivelab(&quick).fails_in_one_line(2, &["is the page"]);
    let trace = ["trace", "record", "-o", &empty, "--rollup-to", &rollup, "--openmetrics", &in_rollup];
    drivelab(&trace).fails_in_one_line(2, &["lies in the folder of the rollup"]);
    drivelab(&["load", "sim:consistent", "--openmetrics", &at("no/now.prom"), "--dry-run"])
        .fails_in_one_line(3, &["the folder it lies in is not there"]);
    let names: Vec<String> = contents(folder.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["empty", "here", "rollup"]);
}
