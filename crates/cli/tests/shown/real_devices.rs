//! Real devices: loop devices, zram, files on a disk and in memory.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::common::devices::{self, Loop, Mount, Zram, checksum};
use crate::common::{Ended, drivelab, drivelab_on, folder, records, run_folders, text};

const EVERY_LOAD: [&str; 7] = ["randread", "randwrite", "randrw", "read", "write", "discard", "flush"];

/// The loads that change nothing.
const READS: [&str; 3] = ["randread", "read", "flush"];

/// Short rounds of the consistency method, and what it left.
fn consistency(target: &Path, arguments: &[&str]) -> Ended {
    let output = folder();
    let runs = output.path().join("runs");
    let asked = ["consistency", "--duration", "3s", "--window", "1s", "--json", "-o", text(&runs)];
    let ended = drivelab_on(target, &[&asked[..], arguments].concat());
    if ended.code == Some(0) {
        let run = &run_folders(&runs)[0];
        assert!(!records::segments(run).is_empty());
        assert_eq!(records::files(run, "tail"), Vec::<std::path::PathBuf>::new());
    }
    ended
}

fn assert_measured(ended: Ended) {
    let document = ended.with_code(0).json();
    let run = &document["findings"];
    let counted = &run["records"];
    assert_eq!((counted["failed"].as_u64(), counted["lost"].as_u64()), (Some(0), Some(0)), "{run}");
    let seconds = run["per_second"]["write_iops"].as_array().expect("seconds");
    assert_eq!(seconds.len(), 3, "{run}");
    // A machine that is busy otherwise may leave a drive no write in one of its seconds.
    assert!(seconds.iter().any(|count| count.as_u64() > Some(0)), "{run}");
    assert!(document["run"]["outcome"]["completions_hash"].is_null(), "a real drive is never twice the same");
    let gauges = run["gauges"].as_array().expect("gauges");
    let of = |name: &str| gauges.iter().find(|gauge| gauge["name"] == name);
    let system = of("processors system").expect("a gauge");
    assert!(
        system["before"].is_f64() && system["during"].as_f64() > Some(0.0) && system["after"].is_f64(),
        "{run}"
    );
}

/// Every kind of load for a moment, each of which has to do something and lose nothing. What confirms the
/// target goes with those that write.
fn load_every_way(target: &Path, confirmation: &[&str]) {
    for kind in EVERY_LOAD {
        let confirmation = if READS.contains(&kind) { &[] } else { confirmation };
        let asked = ["load", "--rw", kind, "--duration", "200ms", "--queue-depth", "4", "--json"];
        let document = drivelab_on(target, &[&asked[..], confirmation, &["--destroy-data"]].concat())
            .with_code(0)
            .json();
        let counted = &document["findings"]["ios"]["records"];
        assert!(counted["completions"].as_u64() > Some(0), "{kind}: {document}");
        assert_eq!((counted["failed"].as_u64(), counted["lost"].as_u64()), (Some(0), Some(0)), "{kind}");
    }
}

#[test]
fn a_loop_device_takes_every_load_and_the_consistency_method() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(64);
    assert_measured(consistency(&device.node, &[&device.serial(), "--destroy-data"]));
    load_every_way(&device.node, &[&device.serial()]);
}

#[test]
fn a_device_of_large_blocks_takes_no_smaller_ones() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with(64, &["--sector-size", "4096"], |_| {});
    for kind in [&["randread"][..], &["randwrite", &device.serial()]] {
        let asked = [&["load", "--block-size", "512B", "--duration", "1s", "--rw"], kind].concat();
        drivelab_on(&device.node, &asked).fails_in_one_line(2, &["--block-size", "4096"]);
    }
    load_every_way(&device.node, &[&device.serial()]);
    assert_measured(consistency(&device.node, &[&device.serial(), "--destroy-data"]));
}

#[test]
fn a_zram_device_takes_every_load_and_the_consistency_method() {
    if !devices::zram_can_be_made() {
        return;
    }
    let device = Zram::new(64, None);
    assert_measured(consistency(&device.node, &[&device.serial()]));
    load_every_way(&device.node, &[&device.serial()]);
}

#[test]
fn a_regular_file_is_created_as_asked_and_takes_every_load() {
    let on_disk = tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let in_memory = Path::new("/dev/shm");
    let memory = in_memory.is_dir().then(|| tempfile::tempdir_in(in_memory).expect("a folder"));
    if memory.is_none() {
        devices::skipped("no file system in memory is mounted at /dev/shm");
    }
    for folder in [Some(on_disk), memory].into_iter().flatten() {
        let file = folder.path().join("drive.bin");
        assert_measured(consistency(&file, &["--file-size", "64MiB"]));
        assert_eq!(file.metadata().expect("the file").len(), 64 << 20);
        load_every_way(&file, &[]);
        assert_eq!(file.metadata().expect("the file").len(), 64 << 20, "a load keeps the size");
    }
}

#[test]
fn reading_needs_no_claim_and_changes_nothing() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with_ext4(64);
    let _mount = Mount::for_reading(&device.node);
    let before = checksum(&device.image);
    for kind in ["randread", "read"] {
        let asked = ["load", text(&device.node), "--rw", kind, "--duration", "200ms", "--json"];
        let document = drivelab(&asked).with_code(0).json();
        assert!(document["findings"]["ios"]["records"]["completions"].as_u64() > Some(0), "{document}");
    }
    assert_eq!(checksum(&device.image), before);
}

/// Fills an image with a byte that the program is most unlikely to write a block of.
fn mark(image: &Path, mebibytes: usize) {
    let file = File::options().write(true).open(image).expect("the image");
    file.write_all_at(&vec![0xa5; mebibytes << 20], 0).expect("room");
}

/// The bytes of an image that are no longer marked, as the first and the one past the last.
fn changed(image: &Path) -> (usize, usize) {
    let bytes = fs::read(image).expect("the image");
    let first = bytes.iter().position(|byte| *byte != 0xa5).expect("something was written");
    let last = bytes.iter().rposition(|byte| *byte != 0xa5).expect("something was written");
    (first, last + 1)
}

#[test]
fn nothing_outside_the_address_range_is_written() {
    let folder = folder();
    let (from, to) = (8 << 20, 24 << 20);
    for kind in ["write", "randwrite", "randrw", "discard"] {
        let file = folder.path().join(kind);
        File::create(&file).expect("a file");
        mark(&file, 32);
        let asked = ["load", "--rw", kind, "--duration", "300ms", "--threads", "3", "--destroy-data"];
        drivelab_on(&file, &[&asked[..], &["--range", "8MiB-24MiB"]].concat()).with_code(0);
        let (first, end) = changed(&file);
        assert!(from <= first && end <= to, "{kind} changed bytes {first} to {end}");
        assert!(end - first > (to - from) / 2, "{kind} reached only bytes {first} to {end}");
    }
}

#[test]
fn the_consistency_method_keeps_to_its_range_and_its_reserve() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with(64, &[], |image| mark(image, 64));
    let asked = ["--range", "16MiB-48MiB", "--over-provisioning", "50%", "--destroy-data"];
    assert_measured(consistency(&device.node, &[&asked[..], &[&device.serial()]].concat()));
    let (first, end) = changed(&device.image);
    // The purge may reach to the end of the chosen range, the writes only to half of it.
    assert!(16 << 20 <= first && end <= 48 << 20, "bytes {first} to {end} were changed");
    let kept_back = &fs::read(&device.image).expect("the image")[32 << 20..48 << 20];
    assert!(kept_back.iter().all(|byte| [0, 0xa5].contains(byte)), "the reserve was written");
}

#[test]
fn a_partition_can_be_tested_beside_a_mounted_one() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with(64, &[], devices::partition_in_two);
    let [first, second] = device.partitions();
    devices::make_ext4(&first);
    let _mount = Mount::for_reading(&first);
    let before = checksum(&first);
    let asked = ["load", "--rw", "randwrite", "--duration", "300ms", "--json", "--destroy-data"];
    let document =
        drivelab_on(&second, &[&asked[..], &[&devices::serial(&second)]].concat()).with_code(0).json();
    let counted = &document["findings"]["ios"]["records"];
    assert!(counted["completions"].as_u64() > Some(0) && counted["failed"].as_u64() == Some(0), "{document}");
    assert_eq!(checksum(&first), before);
    assert!(fs::read(&second).expect("the partition").iter().any(|byte| *byte != 0));
}
