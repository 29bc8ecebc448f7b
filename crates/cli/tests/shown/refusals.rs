//! What must never be written to: exit code 4, the reason and the mend on stderr, and not a byte changed.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::common::devices::{self, Loop, Mount, Zram, checksum};
use crate::common::{drivelab, folder, text};

/// Tries every way to write to a target and expects each to be refused for this reason.
#[track_caller]
fn refused(target: &Path, arguments: &[&str], words: &[&str]) {
    refused_by(target, arguments, words, checksum);
}

/// As [`refused`]; `contents` reads what the target holds.
#[track_caller]
fn refused_by(target: &Path, arguments: &[&str], words: &[&str], contents: fn(&Path) -> u64) {
    let before = contents(target);
    let output = folder();
    let runs = output.path().join("runs");
    let runs = text(&runs);
    let target_text = text(target);
    let ways = [
        vec!["load", target_text, "--rw", "write", "--duration", "1s"],
        vec!["load", target_text, "--rw", "discard", "--duration", "1s", "--output", runs],
        vec!["load", target_text, "--rw", "randrw", "--duration", "1s", "--dry-run"],
        vec!["consistency", target_text, "--duration", "1s", "-o", runs],
        vec!["consistency", target_text, "--duration", "1s", "-o", runs, "--dry-run"],
    ];
    for way in ways {
        let ended = drivelab(&[&way[..], arguments].concat()).with_code(4);
        assert!(ended.stderr.contains("refused"), "{way:?}: {}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{way:?}: {word:?} is not in {}", ended.stderr);
        }
        assert_eq!(contents(target), before, "{way:?} wrote to {target_text}");
    }
    assert!(!Path::new(runs).join("run.json").exists());
}

#[test]
fn a_file_system_is_overwritten_only_where_that_is_said() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with_ext4(32);
    refused(&device.node, &[&device.serial()], &["ext4", "--destroy-data"]);
}

#[test]
fn a_target_that_is_refused_last_saves_the_first() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (first, last) = (Loop::with_ext4(32), Loop::with_ext4(32));
    let before = checksum(&first.node);
    let mount = Mount::for_reading(&last.node);
    let output = folder();
    let runs = output.path().join("runs");
    let (serials, said) = ([first.serial(), last.serial()], "--destroy-data");
    let both = [text(&first.node), text(&last.node)];
    let asked = [
        "consistency",
        both[0],
        both[1],
        &serials[0],
        &serials[1],
        said,
        "--duration",
        "1s",
        "-o",
        text(&runs),
    ];
    let ended = drivelab(&asked).with_code(4);
    assert!(ended.stderr.contains("mounted"), "{}", ended.stderr);
    drop(mount);
    // A file that is not there is told in time, too.
    let absent = output.path().join("absent");
    let asked =
        ["consistency", both[0], text(&absent), &serials[0], said, "--duration", "1s", "-o", text(&runs)];
    drivelab(&asked).with_code(2);
    assert_eq!(checksum(&first.node), before, "nothing is written before all targets were cleared");
    assert!(!runs.exists());
}

#[test]
fn data_in_a_file_is_overwritten_only_where_that_is_said() {
    let folder = folder();
    let file = folder.path().join("letters");
    fs::write(&file, vec![b'a'; 8 << 20]).expect("room");
    refused(&file, &[], &["not empty", "--destroy-data"]);
}

#[test]
fn a_drive_has_to_be_confirmed_by_its_own_serial() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(32);
    refused(&device.node, &["--destroy-data"], &[&device.serial()]);
    refused(&device.node, &["--serial=loop999", "--destroy-data"], &["loop999", &device.serial()]);
    refused(&device.node, &["--serial=", "--destroy-data"], &[&device.serial()]);
    // One that was meant for another drive is no slip to pass over.
    let before = checksum(&device.node);
    let asked = ["consistency", text(&device.node), &device.serial(), "--serial=loop999", "--destroy-data"];
    drivelab(&asked).fails_in_one_line(2, &["loop999", "leave it out"]);
    assert_eq!(checksum(&device.node), before);
}

#[test]
fn a_mounted_device_is_never_written() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with_ext4(32);
    let mount = Mount::for_reading(&device.node);
    let point = text(&mount.point);
    refused(&device.node, &[&device.serial(), "--destroy-data"], &["mounted", point]);
}

#[test]
fn a_drive_with_a_mounted_partition_is_never_written() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with(64, &[], devices::partition_in_two);
    let [first, _] = device.partitions();
    devices::make_ext4(&first);
    let _mount = Mount::for_reading(&first);
    refused(&device.node, &[&device.serial(), "--destroy-data"], &["mounted"]);
}

#[test]
fn the_image_behind_a_loop_device_is_never_written() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(32);
    refused(&device.image, &["--destroy-data"], &["loop"]);
}

#[test]
fn swap_space_is_never_written() {
    if !devices::zram_can_be_made() {
        return;
    }
    let device = Zram::new(32, None);
    device.swap_on();
    let arguments = [&device.serial(), "--destroy-data"];
    refused_by(&device.node, &arguments, &["swap", "swapoff"], devices::checksum_beyond_swap);
}

#[test]
fn a_device_that_another_process_has_open_is_never_written() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(32);
    // A sleeper has the device open for writing, without any claim the kernel would know of.
    let open = File::options().read(true).write(true).open(&device.node).expect("the device");
    let mut sleeper = std::process::Command::new("sleep").arg("60").stdin(open).spawn().expect("a process");
    let pid = sleeper.id().to_string();
    let outcome = std::panic::catch_unwind(|| {
        refused(&device.node, &[&device.serial(), "--destroy-data"], &["open", &pid]);
    });
    sleeper.kill().and_then(|()| sleeper.wait()).expect("the process ends");
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn the_drive_that_carries_the_system_is_never_written() {
    let mounts = fs::read_to_string("/proc/self/mounts").expect("the mounts");
    let root = mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (device, point) = (words.next()?, words.next()?);
        (point == "/" && device.starts_with("/dev/")).then(|| device.to_owned())
    });
    let Some(root) = root.filter(|device| Path::new(device).exists()) else {
        return devices::skipped("the root file system is on no block device");
    };
    // Only the plan is asked for: a test never comes near the system's drive.
    let asked = ["load", &root, "--rw", "write", "--dry-run", "--destroy-data"];
    let ended = drivelab(&asked).with_code(4);
    assert!(ended.stderr.contains("refused"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("add --"), "no flag would help: {}", ended.stderr);
}

#[test]
fn no_flag_says_yes_to_everything() {
    for command in ["consistency", "load"] {
        drivelab(&[command, "sim:consistent", "--yes"]).fails_in_the_parser(&["--yes"]);
        let help = drivelab(&[command, "--help"]).with_code(0).stdout;
        assert!(!help.contains("--yes") && !help.contains("--force"), "{help}");
    }
}

#[test]
fn a_plan_says_what_would_be_done_and_does_nothing() {
    let folder = folder();
    let file = folder.path().join("zeros");
    File::create(&file).and_then(|file| file.write_all_at(&[0], (8 << 20) - 1)).expect("room");
    let runs = folder.path().join("runs");
    let asked = ["consistency", text(&file), "--dry-run", "--destroy-data", "-o", text(&runs)];
    let ended = drivelab(&asked).with_code(0);
    assert!(ended.stdout.contains("Nothing was done"), "{}", ended.stdout);
    assert!(!runs.exists());
    assert!(fs::read(&file).expect("the file").iter().all(|byte| *byte == 0));
}
