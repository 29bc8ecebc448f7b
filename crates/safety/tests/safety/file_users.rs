//! Uses of a file that no open descriptor shows: mappings, and other names of the same file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{self, Loop, devices_can_be_made, has_reason, refused, resolve, run, skipped};
use drivelab_safety::{
    ClaimOptions, Confirmation, Reason, SafetyError, System, Target, Use, WriteGrant, check_for_writing,
    claim_for_writing,
};
use drivelab_testbed::{eventually, mounts_can_be_made};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// A claim that looks at everything that can be looked at, whoever runs the tests.
fn claim(path: &Path) -> Result<WriteGrant, SafetyError> {
    let confirmation = Confirmation { serial: None, destroy_data: true };
    let options = ClaimOptions { assume_unused: true, ..ClaimOptions::default() };
    claim_for_writing(&System::live(), &resolve(path), &confirmation, &options)
}

/// Ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// A library that every program here has: the one of the test itself.
fn a_library() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let paths = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).map(PathBuf::from);
    let name = |path: &PathBuf| path.file_name().is_some_and(|name| name == "libc.so.6");
    paths.into_iter().find(name)
}

#[test]
fn a_library_in_use_is_refused() {
    let Some(library) = a_library() else {
        return skipped("the test program has no libc.so.6 of its own");
    };
    let folder = folder();
    let copy = folder.path().join("library.so");
    fs::copy(library, &copy).expect("a copy");
    claim(&copy).expect("no process has it");
    let sleep = Command::new("sleep").arg("600").env("LD_PRELOAD", &copy).spawn().expect("sleep");
    let process = Process(sleep);
    let maps = format!("/proc/{}/maps", process.0.id());
    let is_mapped = || fs::read_to_string(&maps).is_ok_and(|maps| maps.contains("library.so"));
    assert!(eventually(is_mapped), "the program has the library in its memory");
    let refusal = refused(claim(&copy));
    assert!(has_reason(&refusal, |reason| matches!(
        reason,
        Reason::InUse(Use::Mapped { process: found, .. }) if *found == process.0.id()
    )));
}

/// An overlay of two folders, unmounted at the end.
struct Overlay {
    folder: TempDir,
}

impl Overlay {
    fn new() -> Option<Overlay> {
        if !mounts_can_be_made() {
            return None;
        }
        let folder = folder();
        for name in ["lower", "upper", "work", "merged"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let overlay = Overlay { folder };
        let at = |name: &str| overlay.path(name).display().to_string();
        let options = format!("lowerdir={},upperdir={},workdir={}", at("lower"), at("upper"), at("work"));
        let mounted = Command::new("mount")
            .args(["-t", "overlay", "overlay", "-o", &options])
            .arg(overlay.path("merged"))
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(overlay);
        }
        skipped("overlays cannot be mounted here");
        None
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        let merged = self.path("merged");
        eventually(|| {
            Command::new("umount").arg(&merged).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
        });
    }
}

/// A loop device on a file that stays where it is.
struct Attached(String);

impl Attached {
    fn to(path: &Path) -> Attached {
        Attached(run("losetup", &["--find", "--show", path.to_str().expect("a plain path")]))
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        run("losetup", &["--detach", &self.0]);
    }
}

#[test]
fn a_file_behind_a_loop_device_is_refused_by_every_name_that_an_overlay_gives_it() {
    if !devices_can_be_made() {
        return;
    }
    let Some(overlay) = Overlay::new() else { return };
    let file = |name: &str| overlay.path(name).join("disk.img");
    File::create(file("merged")).and_then(|file| file.set_len(8 << 20)).expect("an image");
    // Another name of the file, outside of the layers.
    let outside = overlay.path("outside.img");
    fs::hard_link(file("upper"), &outside).expect("another name");
    for (attached, others) in [
        (file("merged"), vec![file("upper"), outside.clone(), file("merged")]),
        (file("upper"), vec![file("merged"), outside.clone()]),
    ] {
        let device = Attached::to(&attached);
        let name = device.0.trim_start_matches("/dev/").to_owned();
        for other in others {
            println!("{} is attached, {} is the target", attached.display(), other.display());
            let refusal = refused(claim(&other));
            assert!(has_reason(&refusal, |reason| *reason == Reason::InUse(Use::StandIn(name.clone()))));
        }
    }
    claim(&file("upper")).expect("no process has it any more");
}

#[test]
fn a_file_of_a_layer_that_a_process_has_open_through_the_overlay_is_refused() {
    let Some(overlay) = Overlay::new() else { return };
    let file = |name: &str| overlay.path(name).join("file.bin");
    fs::write(file("merged"), [1; 8192]).expect("a file");
    let writer = Command::new("sh")
        .args(["-c", "exec 3<>\"$0\"; echo; exec sleep 600"])
        .arg(file("merged"))
        .stdout(Stdio::piped())
        .spawn();
    let mut process = Process(writer.expect("a shell"));
    std::io::Read::read_exact(process.0.stdout.as_mut().expect("its output"), &mut [0]).expect("its word");
    let refusal = refused(claim(&file("upper")));
    assert!(has_reason(&refusal, |reason| matches!(reason, Reason::InUse(Use::Open { writes: true, .. }))));
}

#[test]
fn a_use_that_begins_while_the_claim_is_held_is_seen() {
    if !devices_can_be_made() {
        return;
    }
    let folder = folder();
    let path = folder.path().join("disk.img");
    File::create(&path).and_then(|file| file.set_len(8 << 20)).expect("an image");
    let grant = claim(&path).expect("no process has it");
    let mut sentry = grant.sentry();
    sentry.look().expect("no process has it");
    let device = Attached::to(&path);
    let said = sentry.look().expect_err("a loop device has it").to_string();
    assert!(said.contains(&device.0), "{said}");
}

#[test]
fn a_use_of_the_image_that_begins_while_its_loop_device_is_claimed_is_seen() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(16);
    let grant = support::claim(&drive.node, Some(&drive.name()), false).expect("an empty drive");
    let mut sentry = grant.sentry();
    sentry.look().expect("no process has it");
    let second = Attached::to(&drive.image);
    let said = sentry.look().expect_err("another loop device has it").to_string();
    assert!(said.contains(&second.0), "{said}");
}

#[test]
fn a_loop_device_over_a_claimed_drive_is_seen_and_what_the_run_mounts_itself_is_not() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(16);
    let grant = support::claim(&drive.node, Some(&drive.name()), false).expect("an empty drive");
    let mut sentry = grant.sentry();
    sentry.look().expect("no process has it");
    // A process that has it open for a moment, as udev does, is no use of the kernel's.
    let opened = File::open(&drive.node).expect("the drive");
    sentry.look().expect("it is only open");
    drop(opened);
    let folder = folder();
    let released = grant.release();
    run("mkfs.ext4", &["-q", drive.text()]);
    run("mount", &[drive.text(), folder.path().to_str().expect("plain")]);
    // Another device makes the sentry look at everything.
    let other = Loop::of_zeros(8);
    let looked = sentry.look();
    run("umount", &[folder.path().to_str().expect("plain")]);
    looked.expect("the mount is that of the run");
    drop(other);
    let _grant = released.retake().expect("the drive is free again");
    sentry.look().expect("no process has it");
    let over = Attached::to(&drive.node);
    let said = sentry.look().expect_err("a loop device writes to it").to_string();
    assert!(said.contains(&over.0), "{said}");
}

#[test]
fn two_loop_devices_on_an_image_that_was_deleted_are_known_to_share_it() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(16);
    let second = Attached::to(&drive.image);
    fs::remove_file(&drive.image).expect("the image");
    let refusal =
        refused(support::claim(Path::new(&second.0), Some(second.0.trim_start_matches("/dev/")), true));
    let first = Use::StandIn(drive.name());
    assert!(has_reason(
        &refusal,
        |reason| matches!(reason, Reason::InUse(Use::Behind { used, .. }) if **used == first)
    ));
}

#[test]
fn a_file_of_the_kernel_is_no_target() {
    let system = System::live();
    for path in ["/proc/sys/vm/swappiness", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled"]
    {
        if Path::new(path).exists() {
            let error = Target::resolve(&system, Path::new(path)).expect_err(path);
            assert_eq!(error.exit_code(), 2, "{error}");
            assert!(error.to_string().contains("belongs to the kernel"), "{error}");
        }
    }
}

#[test]
fn a_machine_that_does_not_show_itself_refuses_a_file_and_not_a_new_one() {
    let folder = folder();
    let blind = System::rooted_at(&folder.path().join("nothing"));
    let path = folder.path().join("file.bin");
    fs::write(&path, [1; 8192]).expect("a file");
    let confirmation = Confirmation { serial: None, destroy_data: true };
    let claim = |path: &Path, options: &ClaimOptions| {
        let target = Target::resolve(&blind, path).expect("a file");
        check_for_writing(&blind, &target, &confirmation, options)
            .and_then(|_| claim_for_writing(&blind, &target, &confirmation, options))
    };
    let refusal = refused(claim(&path, &ClaimOptions::default()));
    assert!(
        refusal.reasons.iter().all(|reason| matches!(reason, Reason::UsersNotSeen { is_file: true, .. }))
    );
    assert_eq!(refusal.lifted_by(), Some(vec![drivelab_safety::Flag::AssumeUnused]));
    let assumed = ClaimOptions { assume_unused: true, ..ClaimOptions::default() };
    claim(&path, &assumed).expect("the user has said so");
    let size = drivelab_block::ByteCount::new(1 << 20);
    let new = ClaimOptions { create_size: Some(size), ..ClaimOptions::default() };
    claim(&folder.path().join("new.bin"), &new)
        .expect("no process can have used it")
        .verify_again()
        .expect("still");
}
