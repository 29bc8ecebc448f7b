//! Mistakes that were found by using the program, each shown by what should have happened.

use std::io::Read as _;
use std::process::Stdio;

use crate::common::devices::{self, Loop};
use crate::common::{drivelab, folder, program, run_folders, text};

const SIM: &str = "sim:consistent?size=1GiB";

#[test]
fn a_drive_is_free_again_when_the_program_has_ended() {
    if !devices::loops_can_be_made() {
        return;
    }
    let folder = folder();
    let (device, file) = (Loop::of_zeros(16), folder.path().join("drive.bin"));
    let asked = ["--rw", "write", "--duration", "50ms", "--destroy-data"];
    let (serial, size) = (device.serial(), "--file-size=16MiB");
    for target in [vec!["load", text(&device.node), &serial], vec!["load", text(&file), size]] {
        // One after the other without a pause: the kernel takes a ring apart a moment after its process.
        for _ in 0..12 {
            drivelab(&[&target[..], &asked].concat()).with_code(0);
        }
    }
}

#[test]
fn a_second_reserve_follows_the_first_on_a_real_drive() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(16);
    let folder = folder();
    let runs = folder.path().join("runs");
    // What the first run left there is no reason to refuse the second.
    let timing = ["--over-provisioning", "0%,25%", "--duration", "1s", "--window", "1s", "-o", text(&runs)];
    drivelab(&[&["consistency", text(&device.node), &device.serial()][..], &timing].concat()).with_code(0);
    assert_eq!(run_folders(&runs).len(), 2);
}

#[test]
fn a_reader_of_stderr_that_goes_away_is_no_error() {
    let asked = ["load", SIM, "--rate", "1000000/s", "--duration", "100ms"];
    let mut command = program();
    let mut child =
        command.args(asked).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stderr.take());
    let mut stdout = String::new();
    child.stdout.take().expect("stdout").read_to_string(&mut stdout).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(stdout.contains("IOPS"), "{stdout}");
}

#[test]
fn a_message_names_a_flag_that_exists() {
    let folder = folder();
    let missing = folder.path().join("missing");
    drivelab(&["load", text(&missing), "--rw", "write"]).fails_in_one_line(2, &["--file-size"]);
    std::fs::write(&missing, []).expect("room");
    drivelab(&["load", text(&missing), "--rw", "write"]).fails_in_one_line(2, &["--file-size"]);
    std::fs::write(folder.path().join("mine"), "mine").expect("room");
    drivelab(&["load", SIM, "--output", text(folder.path())]).fails_in_one_line(2, &["--output"]);
}

#[test]
fn large_blocks_on_a_slow_drive_are_no_hang() {
    let folder = folder();
    let runs = folder.path().join("runs");
    let asked = ["consistency", "sim:sm2246en?size=2GiB", "--block-size", "1GiB", "--queue-depth", "8"];
    drivelab(&[&asked[..], &["--duration", "1s", "-o", text(&runs)]].concat()).with_code(0);
}

#[test]
fn a_flag_that_no_target_takes_is_not_ignored() {
    let folder = folder();
    let (file, place) = (folder.path().join("drive.bin"), folder.path().join("runs"));
    std::fs::write(&file, vec![0; 1 << 20]).expect("room");
    let file = text(&file);
    for flag in ["--serial=sda", "--file-size=1GiB"] {
        let name = flag.split('=').next().expect("a flag");
        let no_target = [name, "no target"];
        drivelab(&["load", SIM, "--rw", "write", flag]).fails_in_one_line(2, &no_target);
        drivelab(&["consistency", SIM, "-o", text(&place), flag]).fails_in_one_line(2, &no_target);
        for (kind, words) in
            [("randread", "random reads"), ("read", "sequential reads"), ("flush", "flushes")]
        {
            drivelab(&["load", file, "--rw", kind, flag]).fails_in_one_line(2, &[name, words]);
        }
        let only_reads = ["load", file, "--rw", "randrw", "--read-percent", "100%", flag];
        drivelab(&only_reads).fails_in_one_line(2, &[name, "random reads"]);
    }
    drivelab(&["load", file, "--rw", "write", "--serial=sda"])
        .fails_in_one_line(2, &["--serial", "no target"]);
    // One target that takes the flag is enough.
    let both = ["consistency", SIM, file, "--file-size=1MiB", "--dry-run", "--destroy-data"];
    drivelab(&[&both[..], &["-o", text(&place)]].concat()).with_code(0);
    if devices::loops_can_be_made() {
        let (device, size) = (Loop::of_zeros(16), "--file-size=1GiB");
        drivelab(&["load", text(&device.node), "--rw", "write", &device.serial(), size])
            .fails_in_one_line(2, &["--file-size", "no target"]);
    }
}

#[test]
fn a_wrong_serial_is_not_hidden_by_a_folder_that_is_not_empty() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (device, full) = (Loop::of_zeros(16), folder());
    std::fs::write(full.path().join("mine"), "mine").expect("room");
    let (node, place) = (text(&device.node), text(full.path()));
    for asked in [
        ["load", node, "--rw", "write", "--output"],
        ["consistency", node, "--precondition=none", "--purge=none", "-o"],
    ] {
        let ended = drivelab(&[&asked[..], &[place, "--serial=loop999"]].concat()).with_code(4);
        let refused = ended.stderr.find("loop999 names no drive").expect("the serial");
        let folder = ended.stderr.find("is not empty").expect("the folder");
        assert!(refused < folder, "{}", ended.stderr);
        // The plan is wrong, too.
        let wrong = [&asked[..], &[place, "--serial=loop999", "--block-size", "100B"]].concat();
        let ended = drivelab(&wrong).with_code(4);
        for word in ["loop999", "--block-size", "is not empty"] {
            assert_eq!(ended.stderr.matches(word).count(), 1, "{}", ended.stderr);
        }
    }
}

#[test]
fn a_dry_run_shows_its_plan_before_a_refusal_and_says_nothing_of_success() {
    let (full, elsewhere) = (folder(), folder());
    std::fs::write(full.path().join("mine"), "mine").expect("room");
    let (place, file) = (text(full.path()), elsewhere.path().join("data"));
    std::fs::write(&file, vec![b'a'; 1 << 20]).expect("room");
    for asked in [["load", SIM, "--output"], ["consistency", SIM, "-o"]] {
        let ended = drivelab(&[&asked[..], &[place, "--dry-run"]].concat()).with_code(2);
        assert!(ended.stderr.contains("is not empty"), "{}", ended.stderr);
        assert!(ended.stdout.contains("would take at most"), "{}", ended.stdout);
        assert!(!ended.stdout.contains("Nothing was done"), "{}", ended.stdout);
    }
    for asked in [&["load", text(&file), "--rw", "write"][..], &["consistency", text(&file), "-o", place]] {
        let ended = drivelab(&[asked, &["--dry-run"]].concat()).with_code(4);
        assert!(!ended.stdout.contains("Nothing was done"), "{}", ended.stdout);
        assert!(ended.stderr.contains("--destroy-data"), "{}", ended.stderr);
    }
}

#[test]
fn a_load_of_discards_or_flushes_has_the_rate_in_its_report_that_it_printed() {
    let folder = folder();
    for kind in ["discard", "flush"] {
        let run = folder.path().join(kind);
        let asked = ["load", SIM, "--rw", kind, "--duration", "4s", "--output", text(&run), "--json"];
        let loaded = drivelab(&asked).with_code(0).json();
        let shown = drivelab(&["report", text(&run), "--json"]).with_code(0).json();
        let (loaded, shown) =
            (loaded["findings"]["iops"].as_f64(), shown["findings"]["ios"]["summary"]["iops_mean"].as_f64());
        let ratio = shown.zip(loaded).map(|(shown, loaded)| shown / loaded);
        assert!(ratio.is_some_and(|ratio| (ratio - 1.0).abs() < 0.01), "{kind}: {shown:?} of {loaded:?}");
    }
}
