//! Uses of real devices that no flag overrides: each is refused, named, and left untouched.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::{
    self, Loop, Mount, Zram, checksum_beyond_swap, claim, devices_can_be_made, has, has_reason, refused, run,
    zram_can_be_made,
};
use drivelab_safety::{
    ClaimOptions, Confirmation, Confirming, Reason, SafetyError, System, Target, Use, check_for_writing,
    claim_for_writing,
};

/// A process, ended at the end.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process that has `node` open and waits.
fn opener(node: &Path, mode: &str) -> Process {
    let script = format!("exec 3{mode}\"$0\"; echo open; exec sleep 600");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(node)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    // The shell says when it has opened the device; until then there is nothing to be found.
    let mut said = [0; 5];
    let stdout = child.stdout.as_mut().expect("its output");
    std::io::Read::read_exact(stdout, &mut said).expect("its word");
    Process(child)
}

/// A process that has `node` open and is no child of this one, ended at the end.
struct Stranger(String);

impl Stranger {
    fn with(node: &Path, mode: &str) -> Stranger {
        let script = format!(
            "(exec 3{mode}\"$0\"; exec sleep 600) </dev/null >/dev/null 2>&1 & \
             while [ \"$(cat /proc/$!/comm)\" != sleep ]; do :; done; echo $!"
        );
        Stranger(run("sh", &["-c", &script, node.to_str().expect("a plain path")]))
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-KILL", &self.0]).status();
    }
}

#[test]
fn zram_that_is_swapped_to_is_refused() {
    if !zram_can_be_made() {
        return;
    }
    let zram = Zram::new(32, None);
    run("mkswap", &[zram.node.to_str().expect("a plain path")]);
    let signature = refused(claim(&zram.node, Some(&zram.name()), false));
    assert!(has_reason(
        &signature,
        |reason| matches!(reason, Reason::HoldsSignature(found) if found.kind == "swap")
    ));
    zram.swap_on();
    let before = checksum_beyond_swap(&zram.node);
    let refusal = refused(claim(&zram.node, Some(&zram.name()), true));
    assert!(has_reason(&refusal, |reason| matches!(reason, Reason::InUse(Use::Swap(_)))));
    assert_eq!(refusal.lifted_by(), None);
    assert_eq!(checksum_beyond_swap(&zram.node), before);
    run("swapoff", &[zram.node.to_str().expect("a plain path")]);
    claim(&zram.node, Some(&zram.name()), true).expect("zram that nobody uses");
}

#[test]
fn a_device_that_a_process_has_open_is_refused_and_the_process_named() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    for (mode, wants_to_write) in [("<", false), ("<>", true)] {
        let process = opener(&drive.node, mode);
        let before = drive.checksum();
        let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
        assert!(has_reason(&refusal, |reason| matches!(
            reason,
            Reason::InUse(Use::Open { process: found, writes, .. })
                if *found == process.0.id() && *writes == wants_to_write
        )));
        assert_eq!(drive.checksum(), before);
    }
    claim(&drive.node, Some(&drive.name()), false).expect("a drive that was closed");
}

#[test]
fn both_drives_of_a_mounted_btrfs_are_refused() {
    if !devices_can_be_made() || !has("mkfs.btrfs") {
        return support::skipped("a btrfs of two drives needs mkfs.btrfs");
    }
    let drives = [Loop::of_zeros(128), Loop::of_zeros(128)];
    run("mkfs.btrfs", &["-q", "-draid1", "-mraid1", drives[0].text(), drives[1].text()]);
    let mount = Mount::for_reading(&drives[0].node);
    for drive in &drives {
        let before = drive.checksum();
        let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
        assert!(has_reason(
            &refusal,
            |reason| matches!(reason, Reason::InUse(Use::Mounted { at, .. }) if *at == mount.point)
        ));
        assert_eq!(drive.checksum(), before);
    }
}

#[test]
fn a_drive_behind_another_loop_device_is_refused() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    let above = run("losetup", &["--find", "--show", drive.text()]);
    let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
    run("losetup", &["--detach", &above]);
    let above = above.trim_start_matches("/dev/").to_owned();
    assert!(has_reason(&refusal, |reason| *reason == Reason::InUse(Use::StandIn(above.clone()))));
}

/// A loop device over a drive, attached by a node that was removed then; detached at the end.
struct OverRemovedNode(String);

impl OverRemovedNode {
    fn of(drive: &Loop) -> OverRemovedNode {
        use std::os::unix::fs::MetadataExt as _;
        let number = fs::metadata(&drive.node).expect("the drive").rdev();
        let [major, minor] =
            [rustix::fs::major(number), rustix::fs::minor(number)].map(|part| part.to_string());
        let node = drive.image.with_file_name("node");
        run("mknod", &[node.to_str().expect("a plain path"), "b", &major, &minor]);
        let above = run("losetup", &["--find", "--show", node.to_str().expect("a plain path")]);
        fs::remove_file(&node).expect("the node");
        OverRemovedNode(above)
    }

    fn name(&self) -> String {
        self.0.trim_start_matches("/dev/").to_owned()
    }
}

impl Drop for OverRemovedNode {
    fn drop(&mut self) {
        run("losetup", &["--detach", &self.0]);
    }
}

#[test]
fn a_loop_device_is_seen_also_if_the_node_that_it_was_attached_by_is_gone() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    let is_it = |refusal: &drivelab_safety::Refusal, above: &OverRemovedNode| {
        has_reason(refusal, |reason| *reason == Reason::InUse(Use::StandIn(above.name())))
    };
    let above = OverRemovedNode::of(&drive);
    let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
    assert!(is_it(&refusal, &above));
    drop(above);
    let grant = claim(&drive.node, Some(&drive.name()), true).expect("nothing uses it");
    let mut sentry = grant.sentry();
    sentry.look().expect("nothing uses it");
    let above = OverRemovedNode::of(&drive);
    let refusal = sentry.look().expect_err("a loop device writes to it");
    assert!(is_it(&refusal, &above), "{refusal}");
}

#[test]
fn a_second_loop_device_on_a_mounted_image_is_refused() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    run("mkfs.ext4", &["-q", drive.text()]);
    let _mount = Mount::new(&drive.node);
    let second = run("losetup", &["--find", "--show", drive.image.to_str().expect("a plain path")]);
    let name = second.trim_start_matches("/dev/").to_owned();
    let claimed = claim(Path::new(&second), Some(&name), true);
    run("losetup", &["--detach", &second]);
    let refusal = refused(claimed);
    let first = Use::StandIn(drive.name());
    assert!(has_reason(
        &refusal,
        |reason| matches!(reason, Reason::InUse(Use::Behind { used, .. }) if **used == first)
    ));
}

#[test]
fn a_mount_that_only_another_namespace_sees_is_named() {
    if !devices_can_be_made() || !has("unshare") {
        return support::skipped("another mount namespace needs unshare");
    }
    let drive = Loop::of_zeros(64);
    run("mkfs.ext4", &["-q", drive.text()]);
    let folder = tempfile::tempdir().expect("a folder");
    let script = "mount \"$0\" \"$1\" && echo open && exec sleep 600";
    let mut child = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, drive.text()])
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("another namespace");
    let mut said = [0; 5];
    std::io::Read::read_exact(child.stdout.as_mut().expect("its output"), &mut said).expect("its word");
    let process = Process(child);
    let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
    assert!(has_reason(&refusal, |reason| matches!(
        reason,
        Reason::InUse(Use::Mounted { process: Some(found), .. }) if *found == process.0.id()
    )));
}

#[test]
fn a_claim_that_is_held_keeps_every_other_away() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    run("mkfs.ext4", &["-q", drive.text()]);
    let grant = claim(&drive.node, Some(&drive.name()), true).expect("a drive that nobody uses");
    let second = refused(claim(&drive.node, Some(&drive.name()), true));
    assert_eq!(second.reasons, [Reason::Claimed(drive.name())]);
    let folder = tempfile::tempdir().expect("a folder");
    let mounted = Command::new("mount").arg(&drive.node).arg(folder.path()).stderr(Stdio::null()).status();
    assert!(!mounted.expect("mount").success(), "the kernel itself refuses to mount a claimed drive");
    let writer = opener(&drive.node, "<>");
    // The process is this test's own child, which a run's own programs are as well.
    grant.verify_again().expect("a child of one's own is no stranger");
    drop(writer);
    let reader = Stranger::with(&drive.node, "<");
    grant.verify_again().expect("a look at the drive does no harm");
    drop(reader);
    let stranger = Stranger::with(&drive.node, "<>");
    let refusal = grant.verify_again().expect_err("a stranger may write").to_string();
    assert!(refusal.contains(&format!("is open for writing in process {} (sleep)", stranger.0)), "{refusal}");
    drop(stranger);
    drop(grant);
    claim(&drive.node, Some(&drive.name()), true).expect("the claim has ended");
}

#[test]
fn a_drive_that_was_swapped_for_another_under_its_name_is_refused() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    let system = System::live();
    let target = Target::resolve(&system, &drive.node).expect("a target");
    let other = drive.image.with_extension("other");
    fs::File::create(&other).and_then(|file| file.set_len(64 << 20)).expect("another image");
    run("losetup", &["--detach", drive.text()]);
    run("losetup", &[drive.text(), other.to_str().expect("a plain path")]);
    let confirmation = Confirmation { serial: Some(drive.name()), destroy_data: true };
    let refusal = refused(claim_for_writing(&system, &target, &confirmation, &ClaimOptions::default()));
    assert!(matches!(refusal.reasons[..], [Reason::Changed { .. }]));
}

#[test]
fn a_read_only_device_is_refused() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::with(64, &["--read-only"], |_| {});
    let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
    assert!(has_reason(&refusal, |reason| matches!(reason, Reason::ReadOnly(_))));
}

#[test]
fn the_drive_of_the_output_folder_is_refused() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    run("mkfs.ext4", &["-q", drive.text()]);
    let mount = Mount::new(&drive.node);
    let options =
        ClaimOptions { output_folders: vec![mount.point.join("runs/today")], ..ClaimOptions::default() };
    let confirmation = Confirmation { serial: Some(drive.name()), destroy_data: true };
    let target = support::resolve(&drive.node);
    let refusal = refused(claim_for_writing(&System::live(), &target, &confirmation, &options));
    assert!(has_reason(&refusal, |reason| matches!(reason, Reason::InUse(Use::HoldsOutput { .. }))));
}

#[test]
fn the_drive_of_this_system_is_refused_whatever_is_confirmed() {
    let system = System::live();
    let table = fs::read_to_string("/proc/self/mountinfo").expect("the mount table");
    let root = table.lines().find(|line| line.split(' ').nth(4) == Some("/")).expect("a root");
    let number =
        drivelab_safety::DeviceNumber::parse(root.split(' ').nth(2).expect("a number")).expect("a number");
    let Ok(target) = Target::from_number(&system, number, Path::new("/dev/root-of-this-system")) else {
        return support::skipped("the root file system is on no block device");
    };
    let Target::Drive(drive) = &target else { panic!("a drive") };
    let serial = Some(Confirming::list(&System::live(), drive.identity()).shortest());
    let confirmation = Confirmation { serial, destroy_data: true };
    // Only asked, never claimed: this test must not even try to open the drive it runs on for writing.
    let asked = check_for_writing(&system, &target, &confirmation, &ClaimOptions::default());
    let Err(SafetyError::Refused(refusal)) = asked else { panic!("not refused: {asked:?}") };
    println!("{refusal}");
    assert!(has_reason(&refusal, |reason| matches!(
        reason,
        Reason::InUse(Use::Mounted { essential: true, .. })
    )));
    assert_eq!(refusal.lifted_by(), None);
}
