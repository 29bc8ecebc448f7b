//! What a file as a target is protected from: a machine that does not show itself, and uses that begin during
//! the run.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::devices::{self, Loop, Mount};
use crate::common::running::Running;
use crate::common::{Ended, drivelab, folder, program, text};
use rustix::fs::{CWD, Mode, mkfifoat};

/// A file on the same file system as the built program: the folder for temporary files may be memory.
fn victim() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = folder.path().join("victim.bin");
    fs::write(&path, vec![7; 1 << 20]).expect("a file");
    (folder, path)
}

const WRITE: [&str; 6] = ["--rw", "write", "--bytes", "64KiB", "--destroy-data", "--json"];

/// Runs a write to a file inside of `surroundings`, a script that ends in `"$@"`.
fn write_in(surroundings: &str, wrapper: &[&str], target: &Path, more: &[&str]) -> Ended {
    let own = program();
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).args(["sh", "-c", surroundings, "sh"]).arg(own.get_program());
    command.args(["load", text(target)]).args(WRITE).args(more);
    for (name, value) in own.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    Ended::of(&command.output().expect("it starts"))
}

#[test]
fn a_file_is_refused_where_the_machine_does_not_show_who_uses_it() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let (_folder, target) = victim();
    let before = fs::read(&target).expect("the file");
    let places: [(&str, &[&str], &str); 5] = [
        ("umount -R -l /sys && \"$@\"", &["unshare", "--mount"], "no loop device can be looked at"),
        ("umount -R -l /proc && \"$@\"", &["unshare", "--mount"], "no process can be looked at"),
        ("mount -t tmpfs tmpfs /proc && \"$@\"", &["unshare", "--mount"], "no process can be looked at"),
        (
            "\"$@\"",
            &["unshare", "--pid", "--fork", "--mount-proc"],
            "does not show the processes of the whole",
        ),
        (
            "mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"",
            &["unshare", "--mount"],
            "does not show the processes of the whole",
        ),
    ];
    fs::set_permissions(&target, fs::Permissions::from_mode(0o666)).expect("its mode");
    for (script, wrapper, said) in places {
        // The log of another user would be refused first.
        let script = format!("export XDG_STATE_HOME=$(mktemp -d) && chmod 777 $XDG_STATE_HOME && {script}");
        let ended = write_in(&script, wrapper, &target, &[]).with_code(4);
        assert!(ended.stderr.contains(said) && ended.stderr.contains("--assume-unused"), "{}", ended.stderr);
        assert!(fs::read(&target).expect("the file") == before, "{script}: it was written");
    }
    let script = "umount -R -l /sys && \"$@\"";
    let ended = write_in(script, &["unshare", "--mount"], &target, &["--assume-unused"]).with_code(0);
    assert!(ended.stdout.contains("taken for granted"), "{}", ended.stdout);
    let new = target.with_extension("new");
    write_in(script, &["unshare", "--mount"], &new, &["--file-size", "1MiB"]).with_code(0);
}

#[test]
fn a_file_that_comes_into_use_ends_the_run() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (_folder, target) = victim();
    fs::File::options().write(true).open(&target).and_then(|file| file.set_len(64 << 20)).expect("a file");
    let running =
        Running::start(&["load", text(&target), "--rw", "randwrite", "--duration", "600s", "--destroy-data"]);
    // The file is sparse: it takes room as soon as the run writes, which is past all that is looked at before.
    let is_written = || fs::metadata(&target).is_ok_and(|about| about.blocks() > 4096);
    assert!(devices::eventually(is_written), "the run writes");
    let device = devices::run("losetup", &["--find", "--show", text(&target)]);
    let ended = running.ends();
    devices::run("losetup", &["--detach", &device]);
    let ended = ended.with_code(4);
    assert!(ended.stderr.contains("came into use") && ended.stderr.contains(&device), "{}", ended.stderr);
}

/// The claim of a drive keeps no loop device away, over which a file system can be made and mounted.
#[test]
fn a_drive_that_comes_into_use_ends_the_run() {
    if !devices::loops_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    let mount = folder();
    let load = ["load", drive.text(), "--rw", "randwrite", "--duration", "600s", &drive.serial()];
    let running = Running::start(&load);
    let is_written = || fs::metadata(&drive.image).is_ok_and(|about| about.blocks() > 4096);
    assert!(devices::eventually(is_written), "the run writes");
    let device = devices::run("losetup", &["--find", "--show", drive.text()]);
    // The run may end before either: that both can be done is why it has to.
    let made = Command::new("mkfs.ext4").args(["-q", "-F", &device]).status();
    let _ = Command::new("mount").args([&device, text(mount.path())]).status();
    let ended = running.ends();
    let _ = Command::new("umount").arg(mount.path()).status();
    devices::run("losetup", &["--detach", &device]);
    made.expect("mkfs.ext4 can be run");
    let ended = ended.with_code(4);
    assert!(
        ended.stderr.contains("came into use") && ended.stderr.contains(&device[5..]),
        "{}",
        ended.stderr
    );
}

#[test]
fn nothing_is_granted_without_its_line_in_the_log() {
    let (_folder, target) = victim();
    let new = target.with_extension("new");
    let state = folder();
    let logs = state.path().join("drivelab");
    let log = logs.join("audit.log");
    fs::create_dir(&logs).expect("a folder");
    let asked = |path: &Path, more: &[&str]| {
        let mut command = program();
        command.env("XDG_STATE_HOME", state.path()).args(["load", text(path)]).args(WRITE);
        Ended::of(&command.arg("--assume-unused").args(more).output().expect("drivelab starts"))
    };
    let (before, other) = (fs::read(&target).expect("the file"), state.path().join("other"));
    fs::write(&other, "mine").expect("a file");
    symlink(&other, &log).expect("a link");
    asked(&target, &[]).fails_in_one_line(3, &["audit log", "nothing is written"]);
    assert_eq!(fs::read(&other).expect("the file"), b"mine");
    fs::remove_file(&log).expect("the link");
    mkfifoat(CWD, &log, Mode::RUSR | Mode::WUSR).expect("a pipe");
    asked(&target, &[]).fails_in_one_line(3, &["audit log", "nothing is written"]);
    asked(&new, &["--file-size", "1MiB"]).fails_in_one_line(3, &["audit log"]);
    assert!(!new.exists() && fs::read(&target).expect("the file") == before);
    fs::remove_file(&log).expect("the pipe");
    asked(&target, &[]).with_code(0);
    assert!(fs::read_to_string(&log).expect("the log").contains(" granted "));
    let mut homeless = program();
    homeless.env_remove("XDG_STATE_HOME").env_remove("HOME").args(["load", text(&target)]).args(WRITE);
    Ended::of(&homeless.output().expect("drivelab starts")).with_code(3);
}

#[test]
fn a_log_without_room_for_a_line_grants_nothing_and_leaves_no_file() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let full = Mount::tmpfs("64k");
    let logs = full.point.join("drivelab");
    fs::create_dir(&logs).and_then(|()| fs::write(logs.join("audit.log"), "")).expect("a log");
    // As much as there is room for.
    let _ = fs::write(full.point.join("filler"), vec![0; 1 << 20]);
    let (_folder, target) = victim();
    let new = target.with_extension("new");
    let mut command = program();
    command.env("XDG_STATE_HOME", &full.point).args(["load", text(&new), "--file-size", "1MiB"]).args(WRITE);
    let ended = Ended::of(&command.output().expect("drivelab starts"));
    ended.fails_in_one_line(3, &["audit log", "nothing is written"]);
    assert!(!new.exists());
}

#[test]
fn a_refused_priority_and_a_wrong_device_times_leave_nothing() {
    let (folder, target) = victim();
    let output = folder.path().join("output");
    let asked =
        ["stalls", text(&target), "--device-times", "--destroy-data", "--assume-unused", "-o", text(&output)];
    let asked = [&asked[..], &["--block-size", "64KiB"]].concat();
    drivelab(&asked).fails_in_one_line(2, &["--device-times"]);
    assert!(!output.exists());
    if !devices::mounts_can_be_made() {
        return;
    }
    let new = target.with_extension("new");
    let own = program();
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set", "-sys_nice,-sys_admin", "--inh-caps", "-sys_nice,-sys_admin"]);
    command.arg(own.get_program()).args([
        "stream",
        "record",
        text(&new),
        "--file-size",
        "64MiB",
        "--priority",
    ]);
    command.args(["--channel", "a=synthetic,size=1MB,rate=1/s", "--duration", "1s"]);
    let ended = Ended::of(&command.output().expect("setpriv"));
    assert!(ended.stderr.contains("--priority was refused"), "{}", ended.stderr);
    assert!(!new.exists());
}
