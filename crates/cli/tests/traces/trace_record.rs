//! `trace record` on real devices: everything is there, nothing stays switched on, a kill costs a second at most.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::common::devices::{
    Loop, Mount, Zram, events_can_be_had, eventually, instances_folder, loops_can_be_made,
    mounts_can_be_made, tracing_instances, zram_can_be_made,
};
use crate::common::running::{Running, pause};
use crate::common::{Ended, drivelab, folder, text};
use rustix::process::Signal;
use serde_json::Value;

/// A recording under way.
struct Recorder {
    running: Running,
    process: String,
}

impl Recorder {
    /// Starts one, and waits until the kernel's events are on: the trace's folder is made after that.
    fn start(device: &Path, trace: &Path, more: &[&str]) -> Recorder {
        let mut arguments = vec!["trace", "record", "--json", "--device", text(device), "-o", text(trace)];
        arguments.extend(more);
        let running = Running::start(&arguments);
        let process = running.process();
        assert!(eventually(|| trace.join("trace.json").exists()), "the recording never began");
        Recorder { running, process }
    }

    /// Whether the instance of its process is there.
    fn has_instance(process: &str) -> bool {
        tracing_instances().iter().any(|name| name.starts_with(&format!("drivelab-{process}-")))
    }

    /// Ends it as a user does; what it printed.
    fn ends(self) -> Value {
        assert!(Recorder::has_instance(&self.process));
        self.running.signal(Signal::INT);
        let ended = self.running.ends().with_code(0);
        assert!(!Recorder::has_instance(&self.process), "something stayed switched on");
        ended.json()["findings"].clone()
    }
}

/// A load of some thousand I/Os; what it says it did.
fn load(device: &Path, rw: &str, bytes: &str, more: &[&str]) -> Value {
    let arguments = ["load", text(device), "--rw", rw, "--bytes", bytes, "--queue-depth", "8", "--json"];
    drivelab(&[&arguments[..], more].concat()).with_code(0).json()["findings"]["ios"]["records"].clone()
}

fn write(device: &Path, serial: &str, bytes: &str) -> Value {
    load(device, "randwrite", bytes, &[serial, "--destroy-data"])
}

#[test]
fn flushes_of_a_healthy_device_are_no_losses() {
    if !(events_can_be_had() && loops_can_be_made()) {
        return;
    }
    let (disk, folder) = (Loop::of_zeros(64), folder());
    let trace = folder.path().join("trace");
    let recorder = Recorder::start(&disk.node, &trace, &[]);
    let (serial, more) = (disk.serial(), ["--destroy-data", "--verify", "end", "--flush-every", "16"]);
    load(&disk.node, "randwrite", "8MiB", &[&[serial.as_str()], &more[..]].concat());
    let document = recorder.ends();
    assert!(document["requests"]["flush"].as_u64() > Some(10), "{document}");
    assert_eq!(document["lost_events"], 0);
    let unpaired = document["unpaired_reasons"].as_object().expect("reasons");
    let meeting = "another request in flight on the same sector";
    assert!(unpaired.keys().all(|reason| reason == meeting), "{document}");
}

/// How many requests are in a recording, of all kinds.
fn requests(document: &Value) -> u64 {
    let of_kinds = document["requests"].as_object().expect("kinds").values();
    of_kinds.map(|count| count.as_u64().expect("a count")).sum()
}

fn show(trace: &Path) -> Value {
    drivelab(&["trace", "show", text(trace), "--json"]).json()["findings"].clone()
}

#[test]
fn every_request_of_a_device_is_recorded() {
    if !(events_can_be_had() && zram_can_be_made() && loops_can_be_made()) {
        return;
    }
    let (zram, disk, folder) = (Zram::new(64, None), Loop::of_zeros(64), folder());
    let machine = fs::read_to_string("/proc/sys/kernel/hostname").expect("the machine's name");
    for (node, serial, measured) in [(&zram.node, zram.serial(), "Q2C"), (&disk.node, disk.serial(), "D2C")] {
        let trace = folder.path().join(measured);
        let metrics = folder.path().join(format!("{measured}.prom"));
        let recorder = Recorder::start(node, &trace, &["--openmetrics", text(&metrics)]);
        let written = write(node, &serial, "16MiB");
        let read = load(node, "randread", "16MiB", &[]);
        let document = recorder.ends();
        assert_eq!(document["devices"][0]["measured"], measured, "{document}");
        assert_eq!(document["machine"], machine.trim(), "{document}");
        assert!(document["began"].is_string(), "{document}");
        assert_eq!(document["bytes"]["write"], 16 << 20, "{document}");
        // The safety rules look at the device before each load.
        assert!(document["bytes"]["read"].as_u64() >= Some(16 << 20), "{document}");
        assert!(document["requests"]["write"].as_u64() <= written["completions"].as_u64(), "{document}");
        assert!(document["requests"]["read"].as_u64() >= read["completions"].as_u64(), "{document}");
        assert_eq!(document["lost_events"], 0);
        // Random places meet in flight now and then; nothing else goes unpaired.
        let unpaired = document["unpaired_reasons"].as_object().expect("reasons");
        let meeting = "another request in flight on the same sector";
        assert!(unpaired.keys().all(|reason| reason == meeting), "{document}");
        assert_eq!(show(&trace), document);
        let name = node.file_name().and_then(|name| name.to_str()).expect("a name");
        let kept = fs::read(trace.join("trace.json")).expect("a manifest");
        let kept: Value = serde_json::from_slice(&kept).expect("JSON");
        assert_eq!(
            kept["drives"][name]["size_bytes"],
            64 << 20,
            "the drive as it was when the recording began"
        );
        let bytes: u64 = segments(&trace).iter().map(|file| file.metadata().expect("a file").len()).sum();
        assert_eq!(mode(&metrics), 0o644, "an exporter has a user of its own");
        let metrics = fs::read_to_string(&metrics).expect("metrics");
        assert!(
            metrics.contains(&format!("drivelab_trace_bytes{{command=\"trace record\"}} {bytes}\n")),
            "{metrics}"
        );
        assert!(bytes > 0 && metrics.ends_with("\n# EOF\n"), "{metrics}");
        for op in ["read", "write"] {
            let labels = format!("{{command=\"trace record\",target=\"{name}\",operation=\"{op}\"}}");
            for (metric, value) in [
                ("drivelab_ios_total", &document["requests"][op]),
                ("drivelab_bytes_total", &document["bytes"][op]),
                ("drivelab_service_time_seconds_count", &document["requests"][op]),
            ] {
                let line = format!("{metric}{labels} {value}\n");
                assert!(metrics.contains(&line), "no line {line} in\n{metrics}");
            }
        }
    }
}

/// The files of a trace's records.
fn segments(trace: &Path) -> Vec<PathBuf> {
    fs::read_dir(trace.join("segments")).expect("a folder").flatten().map(|entry| entry.path()).collect()
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).expect("a file").permissions().mode() & 0o777
}

/// A segment is whole after a million I/Os, which an idle machine takes a day for.
#[test]
fn a_recording_shows_how_large_it_is_before_a_segment_is_whole() {
    if !(events_can_be_had() && zram_can_be_made()) {
        return;
    }
    let (zram, folder) = (Zram::new(64, None), folder());
    let (trace, metrics) = (folder.path().join("trace"), folder.path().join("now.prom"));
    let recorder = Recorder::start(&zram.node, &trace, &["--openmetrics", text(&metrics)]);
    write(&zram.node, &zram.serial(), "16MiB");
    let bytes = || {
        let metrics = fs::read_to_string(&metrics).unwrap_or_default();
        let line = metrics.lines().find(|line| line.starts_with("drivelab_trace_bytes"));
        line.and_then(|line| line.rsplit_once(' ')).and_then(|(_, bytes)| bytes.parse().ok()).unwrap_or(0)
    };
    assert!(eventually(|| bytes() > 4096 * 16), "{} bytes", bytes());
    let tail: u64 = segments(&trace).iter().map(|file| file.metadata().expect("a file").len()).sum();
    assert!(bytes() <= tail, "{} of {tail} bytes", bytes());
    recorder.ends();
}

#[test]
fn a_killed_recording_lacks_a_second_and_leaves_nothing_for_ever() {
    if !(events_can_be_had() && zram_can_be_made()) {
        return;
    }
    let (zram, folder) = (Zram::new(64, None), folder());
    let trace = folder.path().join("killed");
    let recorder = Recorder::start(&zram.node, &trace, &[]);
    write(&zram.node, &zram.serial(), "16MiB");
    pause(Duration::from_secs(1));
    // While it goes on:
    let document = show(&trace);
    assert_eq!(document["bytes"]["write"], 16 << 20, "{document}");
    assert!(document["notices"].to_string().contains("still goes on"), "{document}");
    recorder.running.kill();
    assert_eq!(show(&trace)["bytes"]["write"], 16 << 20);
    assert!(Recorder::has_instance(&recorder.process), "nothing can catch a kill");
    Recorder::start(&zram.node, &folder.path().join("next"), &[]).ends();
    assert!(!Recorder::has_instance(&recorder.process), "the next start removes what a kill left");
}

#[test]
fn a_recording_that_is_given_up_leaves_nothing_switched_on() {
    if !(events_can_be_had() && zram_can_be_made()) {
        return;
    }
    let (zram, folder) = (Zram::new(64, None), folder());
    let recorder = Recorder::start(&zram.node, &folder.path().join("given up"), &[]);
    let process = recorder.process.clone();
    recorder.running.signal(Signal::INT);
    pause(Duration::from_millis(260));
    recorder.running.signal(Signal::TERM);
    recorder.running.ends();
    let prefix = format!("drivelab-{process}-");
    for name in tracing_instances().into_iter().filter(|name| name.starts_with(&prefix)) {
        for switch in ["tracing_on", "events/enable"] {
            let switch = instances_folder().expect("tracefs").join(&name).join(switch);
            assert_eq!(fs::read_to_string(switch).expect("a switch").trim(), "0");
        }
    }
}

#[test]
fn where_tracefs_is_not_mounted_a_recording_mounts_it_for_itself() {
    if !(events_can_be_had() && zram_can_be_made()) {
        return;
    }
    let (zram, folder) = (Zram::new(64, None), folder());
    let trace = folder.path().join("trace");
    let script = r#"
        umount --lazy /sys/kernel/debug 2>/dev/null
        while umount --lazy /sys/kernel/tracing 2>/dev/null; do :; done
        [ ! -e /sys/kernel/tracing/instances ] || exit 98
        "$0" trace record --device "$1" -o "$2" >/dev/null & recorder=$!
        while [ ! -e "$2/trace.json" ]; do kill -0 $recorder || exit 97; sleep 0.05; done
        "$0" load "$1" --rw randread --bytes 16MiB >/dev/null || exit 96
        kill -INT $recorder
        wait $recorder || exit 95
        [ ! -e /sys/kernel/tracing/instances ] || exit 94"#;
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "--propagation", "private", "sh", "-c", script, env!("CARGO_BIN_EXE_drivelab")]);
    Ended::of(&shell.args([&zram.node, &trace]).output().expect("unshare")).with_code(0);
    let document = show(&trace);
    assert!(document["bytes"]["read"].as_u64() >= Some(16 << 20), "{document}");
}

#[test]
fn own_writes_are_left_out_where_that_is_asked() {
    if !(events_can_be_had() && loops_can_be_made() && zram_can_be_made()) {
        return;
    }
    let (disk, busy) = (Loop::with_ext4(64), Zram::new(64, None));
    let mount = Mount::new(&disk.node);
    let trace = mount.point.join("trace");
    let other = mount.point.join("other");
    let more = ["--device", text(&busy.node), "--exclude-own-writes"];
    let recorder = Recorder::start(&disk.node, &trace, &more);
    // What the zram device does makes the trace grow, on the disk that is recorded too.
    write(&busy.node, &busy.serial(), "64MiB");
    let data = vec![7u8; 4 << 20];
    fs::write(&other, data).and_then(|()| fs::File::open(&other)?.sync_all()).expect("room on the disk");
    let file_system = fs::File::open(&mount.point).expect("the mount");
    rustix::fs::syncfs(file_system).expect("room on the disk");
    pause(Duration::from_millis(500));
    let document = recorder.ends();
    let left_out = document["notices"].to_string();
    assert!(left_out.contains("writes of the recording itself"), "{document}");
    let manifest: Value = serde_json::from_slice(&fs::read(trace.join("trace.json")).expect("a manifest"))
        .expect("the manifest is JSON");
    assert!(
        manifest["account"]["left_out"]["writes of the recording itself"].as_u64() > Some(0),
        "{manifest}"
    );
    // The other file's data is there; the tail of the trace, three times as long, is not.
    let disk_bytes = document["bytes"]["write"].as_u64().expect("bytes") - (64 << 20);
    assert!((4 << 20..12 << 20).contains(&disk_bytes), "{document}");
}

#[test]
fn a_service_has_a_folder_for_each_recording_and_removes_the_oldest() {
    if !(events_can_be_had() && loops_can_be_made()) {
        return;
    }
    let (disk, folder) = (Loop::of_zeros(64), folder());
    let parent = folder.path().join("traces");
    let record = |max_size: &str| {
        let place = ["--new-folder-in", text(&parent), "--max-size", max_size];
        let what = ["trace", "record", "--device", text(&disk.node), "--duration", "1s"];
        drivelab(&[&what[..], &place].concat())
    };
    let recordings = || {
        let entries = fs::read_dir(&parent).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut entries: Vec<_> = entries.collect();
        entries.sort();
        entries
    };
    assert!(record("128MiB").with_code(0).stderr.contains("drivelab trace show"), "how it is shown");
    let first = recordings().remove(0);
    // The user keeps one under a name of their own, as large as the other.
    fs::File::create(first.join("segments/more"))
        .and_then(|file| file.set_len(80 << 20))
        .expect("a large file");
    let own = parent.join("desktop");
    assert!(Command::new("cp").arg("-r").args([&first, &own]).status().expect("cp").success());
    let ended = record("256MiB").with_code(0);
    assert!(first.exists() && recordings().len() == 3, "80 MiB are less than half: {}", ended.stderr);
    let ended = record("128MiB").with_code(0);
    assert!(!first.exists(), "80 MiB are more than half");
    assert!(
        ended.stderr.contains(&format!("removed the oldest recording, {}", first.display())),
        "{}",
        ended.stderr
    );
    assert!(own.exists() && recordings().len() == 3, "the user's own and the two that are small");
    assert!(record("100MiB").with_code(2).stderr.contains("less than 128MiB"));
    let both = ["trace", "record", "-o", "a", "--new-folder-in", "b"];
    drivelab(&both).with_code(2);
}

#[test]
fn bad_input_says_what_to_do() {
    let folder = folder();
    let output = folder.path().join("trace");
    let record = |more: &[&str]| drivelab(&[&["trace", "record", "-o", text(&output)], more].concat());
    record(&["--device", "/dev/nosuch"]).fails_in_one_line(2, &["/dev/nosuch", "drivelab drives"]);
    record(&["--device", "/dev/null"]).fails_in_one_line(2, &["/dev/null", "no block device"]);
    if loops_can_be_made() {
        let disk = Loop::of_zeros(8);
        record(&["--device", text(&disk.node), "--max-size", "1MiB"])
            .fails_in_one_line(2, &["--max-size", "64MiB"]);
        record(&["--device", text(&disk.node), "--buffer", "1KiB"])
            .fails_in_one_line(2, &["--buffer", "64KiB"]);
    }
    assert!(!output.exists(), "nothing was begun");
}

#[test]
fn what_finds_no_room_is_told_and_fails_the_recording() {
    if !(events_can_be_had() && zram_can_be_made() && mounts_can_be_made()) {
        return;
    }
    let (zram, mount, folder) = (Zram::new(64, None), Mount::tmpfs("300k"), folder());
    let recorder = Recorder::start(&zram.node, &mount.point.join("trace"), &[]);
    // Another recording has room for all: what is recorded is more than the load counts, as it looks at the drive first.
    let roomy = Recorder::start(&zram.node, &folder.path().join("trace"), &[]);
    let written = write(&zram.node, &zram.serial(), "512MiB")["completions"].as_u64().expect("a count");
    // The recording looks once a second.
    pause(Duration::from_millis(1500));
    recorder.running.signal(Signal::INT);
    let ended = recorder.running.ends().with_code(1);
    assert!(ended.stderr.contains("cannot be written any more"), "{}", ended.stderr);
    let document = ended.json()["findings"].clone();
    let said = document["notices"][0]["text"].as_str().expect("a gap").to_owned();
    assert!(said.contains("could not be written"), "{said}");
    let numbers = said.split(' ').filter_map(|word| word.parse::<u64>().ok());
    let lost = numbers.max().expect("a number");
    let all = requests(&roomy.ends());
    assert!(all >= written, "{all} of {written}");
    assert_eq!(requests(&document) + lost, all, "{said}");
}
