//! What the kernel and udev show of a drive, and how another drive is told from it.

use drivelab_block::{IdentityFact, SameDrive};

use super::*;

type Change = fn(&mut DriveIdentity);

/// A drive of a machine made of files, and its folder there.
fn drive() -> (tempfile::TempDir, System, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let system = System::rooted_at(folder.path());
    let shown = system.sys("dev/block/8:0");
    std::fs::create_dir_all(shown.join("queue")).expect("a drive");
    (folder, system, shown)
}

fn read(system: &System) -> DriveIdentity {
    DriveIdentity::read(system, DeviceNumber { major: 8, minor: 0 }).expect("a drive")
}

#[test]
fn a_name_tells_which_checks_a_drive_needs() {
    for (name, kind) in [
        ("nvme0n1", DriveKind::Nvme),
        ("sda", DriveKind::Scsi),
        ("vda", DriveKind::Virtio),
        ("loop0", DriveKind::Loop),
        ("zram0", DriveKind::Zram),
        ("dm-0", DriveKind::DeviceMapper),
        ("md127", DriveKind::RaidArray),
        ("mmcblk0", DriveKind::Other),
    ] {
        assert_eq!(DriveKind::from_kernel_name(name), kind, "{name}");
    }
}

#[test]
fn another_drive_under_the_same_name_is_told_by_every_fact_that_differs() {
    let (_folder, system, _) = drive();
    let before = read(&system);
    assert_eq!(before.difference(&before), None);
    let changes: [(Change, &str); 11] = [
        (|drive| drive.number.minor = 1, "its device number"),
        (|drive| drive.disk_sequence = Some(8), "the kernel's disk sequence number"),
        (|drive| drive.serial = Some("S2".into()), "its serial"),
        (|drive| drive.wwn = Some("naa.5".into()), "its world-wide name"),
        (|drive| drive.model = Some("SSD".into()), "its model"),
        (|drive| drive.size = ByteCount::new(512), "its size"),
        (|drive| drive.logical_block = 4096, "the length of its blocks"),
        (
            |drive| {
                let (number, kernel_name) = (drive.number, "sda".to_owned());
                drive.parent = Some(Parent { number, kernel_name, partition: 1 });
            },
            "the drive it is a part of",
        ),
        (|drive| drive.start = Some(ByteCount::new(1 << 20)), "where it begins on its drive"),
        (|drive| drive.backing_file = Some("/disk.img".into()), "the file behind it"),
        (|drive| drive.loop_offset = Some(ByteCount::new(512)), "where it begins in the file behind it"),
    ];
    for (change, what) in changes {
        let mut now = before.clone();
        change(&mut now);
        assert_eq!(before.difference(&now), Some(what));
    }
}

#[test]
fn a_loop_device_that_begins_elsewhere_in_its_file_and_a_partition_that_begins_elsewhere_are_others() {
    let (_folder, system, _) = drive();
    let at = |offset| DriveIdentity {
        backing_file: Some("/disk.img".into()),
        loop_offset: Some(ByteCount::new(offset)),
        ..read(&system)
    };
    let compared = at(0).which().compare(&at(1 << 27).which());
    assert_eq!(compared, SameDrive::Another(vec![IdentityFact::Behind]));
    assert_eq!(at(1 << 27).which().compare(&at(1 << 27).which()), SameDrive::Same);
    // Results of earlier versions know no byte, as of those that begin with the file.
    assert_eq!(at(0).which().behind.as_deref(), Some("/disk.img (inode 0)"));
    let begins = |at| DriveIdentity { start: Some(ByteCount::new(at)), ..read(&system) };
    let compared = begins(1 << 20).which().compare(&begins(2 << 20).which());
    assert_eq!(compared, SameDrive::Another(vec![IdentityFact::Start]));
}

#[test]
fn what_the_kernel_shows_of_a_drive_is_read_as_it_is_meant() {
    let (_folder, system, shown) = drive();
    let none = read(&system);
    assert_eq!((none.rotational, none.read_only, none.takes_discards), (None, true, false));
    assert_eq!((none.logical_block, none.physical_block), (512, 512));
    for (file, value) in [
        ("queue/rotational", "1"),
        ("queue/logical_block_size", "4096"),
        ("queue/discard_max_bytes", "1048576"),
        ("ro", "0"),
    ] {
        std::fs::write(shown.join(file), value).expect(file);
    }
    let drive = read(&system);
    assert_eq!((drive.rotational, drive.read_only, drive.takes_discards), (Some(true), false, true));
    assert_eq!((drive.logical_block, drive.physical_block), (4096, 4096));
    for (file, value) in [
        ("queue/rotational", "0"),
        // A drive formatted with protection information, which the kernel cannot address.
        ("queue/logical_block_size", "520"),
        ("queue/discard_max_bytes", "0"),
        ("ro", "1"),
    ] {
        std::fs::write(shown.join(file), value).expect(file);
    }
    let drive = read(&system);
    assert_eq!((drive.rotational, drive.read_only, drive.takes_discards), (Some(false), true, false));
    assert_eq!(drive.logical_block, 512);
    std::fs::write(shown.join("queue/logical_block_size"), "256").expect("a size");
    assert_eq!(read(&system).logical_block, 512);
}

#[test]
fn names_and_numbers_are_taken_from_where_the_driver_shows_them() {
    let (_folder, system, shown) = drive();
    std::fs::create_dir_all(system.dev("disk/by-id")).expect("a folder");
    for (link, target) in [("ata-SSD_1", "../../8:0"), ("ata-SSD_2", "../../8:1")] {
        std::os::unix::fs::symlink(target, system.dev("disk/by-id").join(link)).expect("a link");
    }
    assert_eq!(read(&system).by_id, ["ata-SSD_1"], "without udev's record");
    std::fs::create_dir(shown.join("dm")).expect("a folder");
    std::fs::write(shown.join("dm/uuid"), "LVM-1").expect("a uuid");
    assert_eq!(read(&system).wwn.as_deref(), Some("LVM-1"));
    std::fs::write(shown.join("wwid"), "naa.5000").expect("a name");
    assert_eq!(read(&system).wwn.as_deref(), Some("naa.5000"), "the drive's own word comes first");
}

#[test]
fn the_whole_model_is_taken_from_udev_unless_it_is_of_another_drive() {
    let (_folder, system, shown) = drive();
    std::fs::create_dir_all(system.run("udev/data")).expect("a folder");
    std::fs::create_dir(shown.join("device")).expect("a folder");
    std::fs::write(shown.join("device/model"), "Samsung SSD 870 ").expect("a model");
    for (recorded, model) in [
        ("E:ID_MODEL=Samsung_SSD_870_EVO", "Samsung SSD 870 EVO"),
        ("E:ID_MODEL=WDC_WD40", "Samsung SSD 870"),
        ("", "Samsung SSD 870"),
    ] {
        std::fs::write(system.run("udev/data/b8:0"), recorded).expect("a record");
        assert_eq!(read(&system).model.as_deref(), Some(model), "{recorded}");
    }
}
