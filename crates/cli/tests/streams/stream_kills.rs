//! A recorder that is killed has kept every frame that it said it kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::devices::{self, Zram, eventually};
use crate::common::running::{Running, pause};
use crate::common::streams::{assert_synthetic, extracted, last_kept};
use crate::common::{self, drivelab, text};

/// How many times each kind of recording is killed.
fn kills() -> u64 {
    std::env::var("DRIVELAB_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

/// The delays before the kills in milliseconds: spread by a fixed sequence.
fn delay(number: u64) -> Duration {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Duration::from_millis((mixed >> 32) % 400)
}

/// A folder in memory, so that hundreds of kills wear no drive.
fn memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).expect("a folder") } else { common::folder() }
}

/// Channels of small, middle and large frames; the smallest wait for their blocks to fill up.
const CHANNELS: [(&str, &str); 3] = [
    ("small", "synthetic,size=100B-20kB,rate=200/s,ring=4MiB,on-full=wait"),
    ("middle", "synthetic,size=200kB-700kB,rate=150/s,ring=8MiB,on-full=wait"),
    ("large", "synthetic,size=1MB-3MB,rate=40/s,arrivals=poisson,ring=16MiB,on-full=wait"),
];

/// Kills a recording after `delay`, counted from the first frame that was kept, and proves what is left.
fn kill_once(target: &Path, confirmation: &[&str], more: &[&str], delay: Duration, folder: &Path) {
    let kept = folder.join("kept");
    let _ = fs::remove_file(&kept);
    devices::wait_until_free(target);
    let fixed = ["stream", "record", text(target), "--destroy-data", "--kept", text(&kept)];
    let channels: Vec<String> =
        CHANNELS.iter().map(|(name, source)| format!("--channel={name}={source}")).collect();
    let channels: Vec<&str> = channels.iter().map(String::as_str).collect();
    let asked =
        [&fixed[..], &["--flush-after", "30ms", "--index-interval", "16"], confirmation, more, &channels]
            .concat();
    let running = Running::start(&asked);
    assert!(eventually(|| last_kept(&kept, "middle").is_some()), "nothing is ever kept");
    pause(delay);
    running.kill_to_the_last_process();
    assert_left(target, &kept, &folder.join("out"));
}

/// Expects every frame that was reported to come out as it was made, after a short recovery.
fn assert_left(target: &Path, kept: &Path, out: &Path) {
    let document =
        drivelab(&["stream", "extract", text(target), "-o", text(out), "--json"]).with_code(0).json();
    let document = &document["findings"];
    // The interval, what was in flight, and the last index itself.
    assert!(document["recovery"]["blocks_read"].as_u64() <= Some(16), "{document}");
    for (number, (name, _)) in CHANNELS.iter().enumerate() {
        let last = last_kept(kept, name);
        let found = extracted(out, name);
        let reported: Vec<&(u64, PathBuf)> =
            found.iter().filter(|(sequence, _)| Some(*sequence) <= last).collect();
        assert_eq!(reported.last().map(|(sequence, _)| *sequence), last, "{name}");
        assert!(reported.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0), "{name}: {reported:?}");
        for (sequence, path) in &found {
            assert_synthetic(&fs::read(path).expect("a frame"), 1, number as u64, *sequence);
        }
    }
    drivelab(&["stream", "check", text(target)]).with_code(0);
    fs::remove_dir_all(out).expect("what was extracted");
}

#[test]
fn a_killed_linear_recording_has_every_frame_that_was_reported() {
    let folder = memory();
    let target = folder.path().join("target");
    for number in 0..kills() {
        let durable: &[&str] = if number % 3 == 0 { &["--durable"] } else { &[] };
        let size = ["--file-size", "200MiB"];
        let _ = fs::remove_file(&target);
        kill_once(&target, &size, durable, delay(number), folder.path());
    }
}

#[test]
fn a_killed_cyclic_recording_has_every_frame_that_was_reported_and_not_overwritten() {
    let folder = memory();
    let target = folder.path().join("target");
    for number in 0..kills() {
        let size: &[&str] = if number == 0 { &["--file-size", "60MiB"] } else { &[] };
        kill_once(&target, size, &["--cyclic"], delay(number) * 2, folder.path());
    }
}

#[test]
fn a_killed_recording_on_a_device_has_every_frame_that_was_reported() {
    if !devices::zram_can_be_made() {
        return;
    }
    let (device, folder) = (Zram::new(120, None), memory());
    for number in 0..kills().div_ceil(3) {
        kill_once(&device.node, &[&device.serial()], &["--cyclic"], delay(number), folder.path());
    }
}

#[test]
fn a_drive_that_fails_ends_a_recording_with_what_was_kept() {
    if !devices::zram_can_be_made() {
        return;
    }
    // Beyond this much memory every write fails.
    let (device, folder) = (Zram::new(200, Some(40)), memory());
    let kept = folder.path().join("kept");
    let fixed = ["stream", "record", text(&device.node), &device.serial(), "--kept", text(&kept), "--json"];
    let channels: Vec<String> =
        CHANNELS.iter().map(|(name, source)| format!("--channel={name}={source}")).collect();
    let channels: Vec<&str> = channels.iter().map(String::as_str).collect();
    let asked = [&fixed[..], &["--flush-after", "30ms", "--index-interval", "16"], &channels].concat();
    let ended = drivelab(&asked).with_code(1);
    assert!(ended.stderr.contains("a write failed"), "{}", ended.stderr);
    let document = &ended.json()["findings"];
    assert_eq!(document["ended"], "failed");
    for channel in document["channels"].as_array().expect("channels") {
        let name = channel["name"].as_str().expect("a name");
        assert_eq!(channel["last_kept"].as_u64(), last_kept(&kept, name));
        assert_eq!(
            channel["produced"].as_u64(),
            Some(channel["kept"].as_u64().unwrap_or(0) + channel["not_written"].as_u64().unwrap_or(0))
        );
    }
    assert_left(&device.node, &kept, &folder.path().join("out"));
}

#[test]
fn a_recording_is_read_while_it_goes_on() {
    let folder = memory();
    let (target, out, kept) =
        (folder.path().join("target"), folder.path().join("out"), folder.path().join("kept"));
    let asked =
        ["stream", "record", text(&target), "--file-size", "80MiB", "--cyclic", "--kept", text(&kept)];
    let channel = ["--channel", "middle=synthetic,size=200kB-700kB,rate=100/s", "--flush-after", "50ms"];
    let running = Running::start(&[&asked[..], &channel].concat());
    assert!(eventually(|| last_kept(&kept, "middle") > Some(200)), "it never gets on");
    for _ in 0..5 {
        let before = last_kept(&kept, "middle");
        let document =
            drivelab(&["stream", "extract", text(&target), "-o", text(&out), "--json"]).with_code(0).json();
        let document = &document["findings"];
        assert_eq!(document["recovery"]["closed"], false);
        let found = extracted(&out, "middle");
        assert!(found.last().map(|(sequence, _)| *sequence) >= before, "{document}");
        for (sequence, path) in found {
            assert_synthetic(&fs::read(path).expect("a frame"), 1, 0, sequence);
        }
        drivelab(&["stream", "check", text(&target)]).with_code(0);
        fs::remove_dir_all(&out).expect("what was extracted");
    }
    running.signal(rustix::process::Signal::TERM);
    running.ends().with_code(130);
    drivelab(&["stream", "check", text(&target)]).with_code(0);
}
