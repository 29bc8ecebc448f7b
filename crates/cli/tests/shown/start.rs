//! `drivelab` alone: what there is here, and what to type.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use crate::common::devices::{self, Loop, eventually};
use crate::common::running::{Running, pause};
use crate::common::{Ended, drivelab, folder, program, text};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn the_program_alone_shows_the_drives_the_results_and_what_to_type() {
    let folder = folder();
    let run = folder.path().join("my run");
    drivelab(&["quick", "sim:consistent", "-o", text(&run)]).with_code(0);
    let device = devices::loops_can_be_made().then(|| Loop::of_zeros(16));
    let output = program().current_dir(folder.path()).output().expect("drivelab starts");
    let shown = Ended::of(&output).with_code(0).stdout;
    assert!(shown.contains("drivelab report 'my run'"), "{shown}");
    let simulated =
        shown.lines().find(|line| line.contains("drivelab review sim:")).expect("a first command");
    let mut words: Vec<&str> = simulated.split_whitespace().skip(1).collect();
    words.push("--dry-run");
    drivelab(&words).with_code(0);
    if let Some(device) = device {
        let (node, serial) = (text(&device.node), device.serial());
        let destroys = format!("drivelab review {node} {serial} --destroy-data -o review");
        assert!(shown.contains(&destroys), "{destroys} is not in {shown}");
    }
}

/// A container may do without sysfs: there may be drives, and none can be seen.
#[test]
fn it_is_said_if_sysfs_is_not_mounted() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let without = |arguments: &str| {
        let script = format!("umount -R -l /sys && {} {arguments}", env!("CARGO_BIN_EXE_drivelab"));
        let output = std::process::Command::new("unshare").args(["--mount", "sh", "-c", &script]).output();
        Ended::of(&output.expect("unshare starts"))
    };
    without("drives").fails_in_one_line(3, &["sysfs is not mounted", "mount -t sysfs sysfs /sys"]);
    assert!(without("").with_code(0).stdout.contains("sysfs is not mounted on /sys"));
}

/// A loop of short tests of simulated drives has several in one second.
#[test]
fn tests_that_begin_in_the_same_second_have_folders_of_their_own() {
    let folder = folder();
    for _ in 0..3 {
        let test = ["consistency", "sim:consistent?size=1GiB", "--duration", "1s"];
        let ended = program().args(test).current_dir(folder.path()).output().expect("drivelab starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 3);
}

/// The processes that have this word on their command lines.
fn processes_with(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if name.parse::<u32>().is_ok() && String::from_utf8_lossy(&line).contains(word) {
            found.push(name);
        }
    }
    found
}

/// A run on a file has a process of its own, which is not left behind.
#[test]
fn a_signal_ends_a_run_in_each_moment_of_its_begin() {
    let folder = folder();
    let target = folder.path().join("target.bin");
    fs::write(&target, vec![7; 4 << 20]).expect("room");
    for after in [0, 5, 10, 15, 20, 30, 60] {
        let run =
            Running::start(&["load", text(&target), "--rw", "randwrite", "--destroy-data", "--duration=30s"]);
        pause(Duration::from_millis(after));
        let process = run.process().parse().ok().and_then(Pid::from_raw).expect("a number");
        kill_process(process, Signal::TERM).expect("the process is there");
        let ended = run.ends();
        // By the signal itself, or cleanly once signals are caught, if need be before the first I/O: never as a failed check.
        assert!(matches!(ended.code, None | Some(3 | 130)), "after {after} ms: {ended:?}");
        assert!(eventually(|| processes_with(text(&target)).is_empty()), "after {after} ms");
    }
}

#[test]
fn a_run_whose_attendant_is_gone_does_not_begin() {
    use std::os::unix::fs::MetadataExt as _;
    let told = |inode| {
        serde_json::json!({"parent": 1, "descriptor": 1, "inode": inode, "task": "command_line"}).to_string()
    };
    let run = |is_its: bool| {
        let (_reads, writes) = std::io::pipe().expect("a pipe");
        let node = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&writes));
        let inode = fs::metadata(node).expect("the pipe").ino();
        let mut command = program();
        command.arg("profiles").env("DRIVELAB_ATTENDED", told(if is_its { inode } else { inode + 1 }));
        command.stdout(writes).status().expect("it starts").code()
    };
    assert_eq!(run(true), Some(1));
    // A program that a run starts has the variable, and not the pipe.
    assert_eq!(run(false), Some(0));
}

#[test]
fn a_run_that_is_killed_is_not_waited_for_until_what_it_started_has_ended() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (folder, drive) = (folder(), Loop::of_zeros(16));
    let (wipefs, began) = (folder.path().join("wipefs"), folder.path().join("began"));
    // It may wait for a drive inside the kernel for as long as it likes.
    let script = format!("#!/bin/sh\necho $$ > {0}.new; mv {0}.new {0}; exec sleep 600\n", text(&began));
    fs::write(&wipefs, script).expect("room");
    fs::set_permissions(&wipefs, fs::Permissions::from_mode(0o755)).expect("a program");
    let mut command = program();
    let path = format!("{}:{}", text(folder.path()), std::env::var("PATH").unwrap_or_default());
    command
        .args(["load", drive.text(), &drive.serial(), "--rw", "randwrite", "--duration=1s"])
        .env("PATH", path);
    let run = Running::of(command);
    assert!(eventually(|| began.exists()), "the drive is looked at");
    let killed = run.measuring_process();
    assert_ne!(killed, run.process());
    let number = |text: &str| text.trim().parse().ok().and_then(Pid::from_raw).expect("a number");
    kill_process(number(&killed), Signal::KILL).expect("the process is there");
    let ended = run.ends();
    let left = fs::read_to_string(&began).expect("its number");
    let _ = kill_process(number(&left), Signal::KILL);
    assert_eq!(ended.code, None, "{ended:?}");
}
