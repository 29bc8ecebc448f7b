//! Claims on real loop devices: what is granted, what is refused, and that a refusal changes nothing.

use std::fs::File;
use std::os::fd::AsFd;

use crate::support::{
    Loop, Mount, claim, devices_can_be_made, eventually, has_reason, partition_in_two, refused, resolve, run,
};
use drivelab_safety::{Flag, Note, Reason, System, Use, open_for_reading};
use rustix::fs::{FlockOperation, OFlags, fcntl_getfl, flock};
use rustix::io::Errno;

/// Else the kernel goes on making the file system for a while after it was mounted, and what lies on the drive changes.
const AT_ONCE: &str = "lazy_itable_init=0,lazy_journal_init=0";

#[test]
fn an_empty_drive_is_granted_once_it_is_confirmed() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    let refusal = refused(claim(&drive.node, None, true));
    assert_eq!(refusal.lifted_by(), Some(vec![Flag::Serial(drive.name())]));
    let grant = claim(&drive.node, Some(&drive.name()), false).expect("an empty drive");
    assert_eq!(grant.geometry().capacity.get(), 64 << 20);
    assert_eq!(grant.allowed_range().end.get(), (64 << 20) / 512);
    grant.verify_again().expect("nothing has changed");
    assert_eq!(fcntl_getfl(&grant).map(|flags| flags.contains(OFlags::DIRECT)), Ok(grant.direct()));
    assert_eq!(grant.notes().contains(&Note::Buffered), !grant.direct());
}

#[test]
fn another_serial_is_refused() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    let refusal = refused(claim(&drive.node, Some("S3Z9NB0K123456"), true));
    assert!(matches!(refusal.reasons[..], [Reason::WronglyConfirmed { .. }]));
}

#[test]
fn a_file_system_needs_its_own_flag() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    run("mkfs.ext4", &["-q", "-L", "photos", drive.text()]);
    let before = drive.checksum();
    let refusal = refused(claim(&drive.node, Some(&drive.name()), false));
    assert!(has_reason(
        &refusal,
        |reason| matches!(reason, Reason::HoldsSignature(found) if found.kind == "ext4")
    ));
    let both = refused(claim(&drive.node, None, false));
    assert_eq!(both.lifted_by(), Some(vec![Flag::Serial(drive.name()), Flag::DestroyData]));
    assert_eq!(drive.checksum(), before);
    claim(&drive.node, Some(&drive.name()), true).expect("both were confirmed");
}

#[test]
fn a_mounted_drive_is_refused_whatever_is_confirmed() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    run("mkfs.ext4", &["-q", "-E", AT_ONCE, drive.text()]);
    let mount = Mount::for_reading(&drive.node);
    let before = drive.checksum();
    let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
    assert!(has_reason(
        &refusal,
        |reason| matches!(reason, Reason::InUse(Use::Mounted { at, .. }) if *at == mount.point)
    ));
    assert_eq!(refusal.lifted_by(), None);
    assert_eq!(drive.checksum(), before);
}

#[test]
fn the_drive_of_a_mounted_partition_is_refused_and_its_sibling_is_not() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::with(64, &[], partition_in_two);
    let [first, second] = drive.partitions();
    run("mkfs.ext4", &["-q", "-E", AT_ONCE, first.to_str().expect("a plain path")]);
    let mount = Mount::for_reading(&first);
    let before = drive.checksum();
    let refusal = refused(claim(&drive.node, Some(&drive.name()), true));
    assert!(has_reason(
        &refusal,
        |reason| matches!(reason, Reason::InUse(Use::Mounted { at, .. }) if *at == mount.point)
    ));
    refused(claim(&first, Some(&format!("{}p1", drive.name())), true));
    assert_eq!(drive.checksum(), before);
    let grant = claim(&second, Some(&format!("{}p2", drive.name())), false).expect("an unmounted sibling");
    assert_eq!(grant.geometry().capacity.get(), 16 << 20);
    grant.verify_again().expect("the sibling's mount does not matter");
}

#[test]
fn reading_asks_for_nothing() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    run("mkfs.ext4", &["-q", drive.text()]);
    let _mount = Mount::new(&drive.node);
    let access = open_for_reading(&System::live(), &resolve(&drive.node)).expect("reading a mounted drive");
    assert_eq!(access.geometry.capacity.get(), 64 << 20);
    assert!(rustix::io::pwrite(access.as_fd(), &[0; 512], 0).is_err());
}

#[test]
fn udev_and_partitioners_see_that_the_drive_is_locked_as_long_as_it_is_claimed() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::with(64, &[], partition_in_two);
    let [first, _] = drive.partitions();
    for (claimed, serial) in [(&drive.node, drive.name()), (&first, format!("{}p1", drive.name()))] {
        let grant = claim(claimed, Some(&serial), true).expect("nobody has it");
        // They lock the whole drive, whichever partition they want.
        let lock = || {
            let other = File::open(&drive.node).expect("its node");
            flock(&other, FlockOperation::NonBlockingLockExclusive)
        };
        assert_eq!(lock(), Err(Errno::WOULDBLOCK), "{serial}");
        drop(grant);
        // A program that another test is starting shares the lock until it runs.
        assert!(eventually(|| lock().is_ok()), "{serial}");
    }
}
