//! Claims on regular files: created or overwritten only as asked.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::support::{self, Loop, Mount, devices_can_be_made, has_reason, refused, resolve, run};
use drivelab_block::ByteCount;
use drivelab_safety::{
    AuditLog, ClaimOptions, Confirmation, Decision, Identity, Note, Reason, SafetyError, System, Target, Use,
    WriteGrant, check_for_writing, claim_for_writing, open_for_reading,
};
use drivelab_testbed::mounts_can_be_made;
use rustix::fs::{OFlags, fcntl_getfl};
use tempfile::TempDir;

/// A folder on a real file system: the one for temporary files may be memory.
fn folder() -> TempDir {
    tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

fn sized(mebibytes: u64) -> ClaimOptions {
    ClaimOptions { create_size: Some(ByteCount::new(mebibytes << 20)), ..ClaimOptions::default() }
}

fn claim_with(path: &Path, destroy_data: bool, options: &ClaimOptions) -> Result<WriteGrant, SafetyError> {
    let confirmation = Confirmation { serial: None, destroy_data };
    // An ordinary user does not see what others have open.
    let options = ClaimOptions { assume_unused: true, ..options.clone() };
    claim_for_writing(&System::live(), &resolve(path), &confirmation, &options)
}

fn file_of(folder: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("file.bin");
    fs::write(&path, bytes).expect("a file");
    path
}

#[test]
fn a_file_is_created_only_where_a_size_is_given() {
    let folder = folder();
    let path = folder.path().join("new.bin");
    let refused = claim_with(&path, true, &ClaimOptions::default()).expect_err("no size");
    assert_eq!(refused.exit_code(), 2);
    assert!(!path.exists());
    let target = resolve(&path);
    let plan = |size| check_for_writing(&System::live(), &target, &Confirmation::default(), &sized(size));
    plan(8).expect("a plan");
    assert!(plan(0).expect_err("no bytes").to_string().contains("add --file-size to create it"));
    assert!(!path.exists(), "a plan creates nothing");
    let grant = claim_with(&path, false, &sized(8)).expect("a size is all it needs");
    assert_eq!(grant.geometry().capacity.get(), 8 << 20);
    assert!(matches!(grant.identity(), Identity::File(file) if file.size.get() == 8 << 20));
    grant.verify_again().expect("still the same");
    let made = fs::metadata(&path).expect("the file");
    assert_eq!((made.len(), made.permissions().mode() & 0o777), (8 << 20, 0o600), "for its owner alone");
    assert_eq!(fcntl_getfl(&grant).map(|flags| flags.contains(OFlags::DIRECT)), Ok(grant.direct()));
    assert_eq!(grant.notes().contains(&Note::Buffered), !grant.direct());
    assert!(!grant.notes().contains(&Note::AssumedUnused), "nobody can have used what was not there");
}

#[test]
fn a_file_with_data_needs_its_own_flag_and_a_hole_does_not() {
    let folder = folder();
    let path = file_of(&folder, &vec![1; 1 << 20]);
    let refusal = refused(claim_with(&path, false, &ClaimOptions::default()));
    assert!(matches!(refusal.reasons[..], [Reason::StoresBytes { .. }]));
    assert_eq!(fs::read(&path).expect("the file"), vec![1; 1 << 20]);
    let grant = claim_with(&path, true, &ClaimOptions::default()).expect("confirmed");
    assert_eq!(grant.geometry().capacity.get(), 1 << 20);
    assert!(grant.notes().contains(&Note::AssumedUnused));
    assert_eq!(fs::read(&path).expect("the file"), vec![1; 1 << 20], "a claim alone writes nothing");
    drop(grant);
    let hole = folder.path().join("hole.bin");
    File::create(&hole).and_then(|file| file.set_len(1 << 20)).expect("a hole");
    claim_with(&hole, false, &ClaimOptions::default()).expect("a hole holds nothing");
}

#[test]
fn a_file_with_data_keeps_its_length() {
    let folder = folder();
    let path = file_of(&folder, &vec![1; 1 << 20]);
    assert_eq!(claim_with(&path, true, &sized(8)).expect_err("another size").exit_code(), 2);
    assert_eq!(fs::metadata(&path).expect("the file").len(), 1 << 20);
    let empty = folder.path().join("empty.bin");
    File::create(&empty).expect("an empty file");
    let refused = claim_with(&empty, false, &ClaimOptions::default()).expect_err("no length");
    assert!(
        refused.exit_code() == 2 && refused.to_string().contains("is empty: add --file-size"),
        "{refused}"
    );
    assert_eq!(claim_with(&empty, false, &sized(8)).expect("a length").geometry().capacity.get(), 8 << 20);
}

#[test]
fn a_file_larger_than_its_file_system_is_an_error_of_the_environment() {
    let folder = folder();
    let path = folder.path().join("huge.bin");
    let error = claim_with(&path, false, &sized(1 << 40)).expect_err("no room");
    assert_eq!(error.exit_code(), 3);
    assert!(!path.exists());
}

#[test]
fn a_file_is_made_as_long_as_its_file_system_has_room_and_no_longer() {
    if !mounts_can_be_made() {
        return;
    }
    let mount = Mount::tmpfs("16M");
    let path = mount.point.join("file.bin");
    assert_eq!(claim_with(&path, false, &sized(32)).expect_err("no room").exit_code(), 3);
    assert!(!path.exists());
    File::create(&path).and_then(|file| file.set_len(4 << 20)).expect("a hole");
    let plan =
        |size| check_for_writing(&System::live(), &resolve(&path), &Confirmation::default(), &sized(size));
    plan(8).expect("a hole may be made longer");
    plan(2).expect("a hole may be made shorter");
    assert_eq!(plan(32).expect_err("no room").exit_code(), 3);
    assert_eq!(claim_with(&path, false, &sized(32)).expect_err("no room").exit_code(), 3);
    assert_eq!(fs::metadata(&path).expect("the file").len(), 4 << 20);
    // What the file holds by now has its room already.
    fs::write(&path, vec![1; 12 << 20]).expect("data");
    claim_with(&path, true, &sized(12)).expect("the length that it has");
}

#[test]
fn a_file_that_was_cut_short_while_it_was_claimed_is_refused_from_then_on() {
    let folder = folder();
    let path = file_of(&folder, &vec![1; 1 << 20]);
    let grant = claim_with(&path, true, &ClaimOptions::default()).expect("nobody has it");
    let resized = |size| {
        File::options().write(true).open(&path).and_then(|file| file.set_len(size)).expect("another length");
        grant.verify_again()
    };
    resized(2 << 20).expect("all of it is there");
    resized(1 << 19).expect_err("half of it is gone");
}

#[test]
fn a_file_that_is_claimed_or_being_written_is_refused() {
    let folder = folder();
    let path = file_of(&folder, &vec![1; 1 << 20]);
    let grant = claim_with(&path, true, &ClaimOptions::default()).expect("nobody has it");
    let second = refused(claim_with(&path, true, &ClaimOptions::default()));
    assert!(matches!(second.reasons[..], [Reason::Locked(_)]));
    assert!(path.exists(), "a file that was there before is never removed");
    drop(grant);
    let mut writer = std::process::Command::new("sh")
        .args(["-c", "exec 3<>\"$0\"; echo; exec sleep 600"])
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a shell");
    std::io::Read::read_exact(writer.stdout.as_mut().expect("its output"), &mut [0]).expect("its word");
    let claimed = claim_with(&path, true, &ClaimOptions::default());
    writer.kill().and_then(|()| writer.wait()).expect("its end");
    let refusal = refused(claimed);
    assert!(has_reason(&refusal, |reason| matches!(reason, Reason::InUse(Use::Open { writes: true, .. }))));
}

#[test]
fn a_file_behind_a_loop_device_is_refused_even_when_it_was_renamed() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(16);
    let options = ClaimOptions::default();
    let refusal = refused(claim_with(&drive.image, true, &options));
    assert!(has_reason(&refusal, |reason| *reason == Reason::InUse(Use::StandIn(drive.name()))));
    let other = drive.image.with_extension("renamed");
    fs::hard_link(&drive.image, &other).and_then(|()| fs::remove_file(&drive.image)).expect("another name");
    let refusal = refused(claim_with(&other, true, &options));
    assert!(has_reason(&refusal, |reason| *reason == Reason::InUse(Use::StandIn(drive.name()))));
}

#[test]
fn a_swap_file_is_refused() {
    if !devices_can_be_made() {
        return;
    }
    let folder = folder();
    let path = file_of(&folder, &vec![0; 8 << 20]);
    let text = path.to_str().expect("a plain path");
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("its mode");
    run("mkswap", &[text]);
    if !std::process::Command::new("swapon").arg(&path).status().expect("swapon").success() {
        return support::skipped("this file system takes no swap files");
    }
    let claimed = claim_with(&path, true, &ClaimOptions::default());
    run("swapoff", &[text]);
    assert!(has_reason(&refused(claimed), |reason| matches!(reason, Reason::InUse(Use::Swap(_)))));
}

#[test]
fn what_is_no_target_says_what_to_name_instead() {
    let system = System::live();
    let said = |path: &str| {
        let error = Target::resolve(&system, Path::new(path)).expect_err(path);
        println!("{error}");
        (error.exit_code(), error.to_string())
    };
    assert_eq!(said("/").0, 2);
    assert!(said("/dev/null").1.contains("character device"));
    assert_eq!(said("/dev/sd-mistyped").0, 3);
    assert_eq!(said("/nowhere/at/all").0, 3);
}

#[test]
fn links_lead_to_the_file_itself() {
    let folder = folder();
    let path = file_of(&folder, &[1; 8192]);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    let real = fs::canonicalize(&path).expect("the real path");
    assert_eq!(resolve(&link).path(), real);
    std::os::unix::fs::symlink(folder.path().join("gone"), folder.path().join("dangling")).expect("a link");
    let dangling = Target::resolve(&System::live(), &folder.path().join("dangling"));
    assert_eq!(dangling.expect_err("a link to nothing").exit_code(), 3);
}

#[test]
fn a_file_is_read_without_ceremony_and_not_written() {
    let folder = folder();
    let path = file_of(&folder, &[1; 8192]);
    let access = open_for_reading(&System::live(), &resolve(&path)).expect("a file");
    assert_eq!(access.geometry.capacity.get(), 8192);
    assert!(rustix::io::pwrite(access.as_fd(), &[0; 512], 0).is_err());
    assert_eq!(fcntl_getfl(&access).map(|flags| flags.contains(OFlags::DIRECT)), Ok(access.direct));
    let absent = open_for_reading(&System::live(), &resolve(&folder.path().join("absent")));
    assert_eq!(absent.expect_err("nothing to read").exit_code(), 3);
    let target = resolve(&path);
    fs::rename(file_of(&folder, b"other"), folder.path().join("old.bin")).expect("another name");
    fs::write(&path, [1; 8192]).expect("another file");
    let replaced = open_for_reading(&System::live(), &target).expect_err("it is another file").to_string();
    assert!(replaced.contains("was replaced by another file"), "{replaced}");
}

#[test]
fn a_file_whose_file_system_takes_no_direct_io_goes_through_the_page_cache_and_that_is_told() {
    if !devices_can_be_made() {
        return;
    }
    // Its image lies in ramfs.
    let device = Loop::without_discards(16);
    let path = device.image.with_file_name("file.bin");
    fs::write(&path, [1; 8192]).expect("a file");
    let grant = claim_with(&path, true, &ClaimOptions::default()).expect("a file that may be overwritten");
    assert!(grant.notes().contains(&Note::Buffered), "{:?}", grant.notes());
    let access = open_for_reading(&System::live(), &resolve(&path)).expect("a file");
    for (descriptor, direct) in [(grant.as_fd(), grant.direct()), (access.as_fd(), access.direct)] {
        let flags = fcntl_getfl(descriptor).expect("its flags");
        assert_eq!((flags.contains(OFlags::DIRECT), direct), (false, false));
    }
}

#[test]
fn a_grant_leaves_a_line_in_the_log() {
    let folder = folder();
    let log = AuditLog::in_folder(folder.path());
    let grant = claim_with(&folder.path().join("new.bin"), false, &sized(1)).expect("a new file");
    let mut open = log.open().expect("the log");
    open.record("2026-11-21T10:00:00Z", Decision::Granted(&grant)).expect("a line");
    open.record("2026-11-21T10:00:01Z", Decision::Released(&grant)).expect("a line");
    let text = fs::read_to_string(log.path()).expect("the log");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("2026-11-21T10:00:00Z granted ") && lines[0].ends_with("new.bin (1.0 MB)"));
    assert!(lines[1].contains(" released "));
}

#[test]
fn a_file_is_addressed_in_whole_blocks_of_what_its_file_system_takes() {
    let folder = folder();
    for (length, short) in [(8192 + 100, false), (100, true), (0, true)] {
        let path = file_of(&folder, &vec![1; length]);
        let read = open_for_reading(&System::live(), &resolve(&path));
        if short {
            assert_eq!(read.expect_err("less than a block").exit_code(), 2);
            continue;
        }
        let geometry = read.expect("two blocks and a bit").geometry;
        assert_eq!(geometry.capacity.get(), 8192);
        assert!(geometry.logical_block >= 512 && geometry.logical_block.is_power_of_two(), "{geometry:?}");
        assert!(geometry.physical_block >= geometry.logical_block, "{geometry:?}");
    }
}
