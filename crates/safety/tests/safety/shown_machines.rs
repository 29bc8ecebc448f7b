//! Machines made of files: who the drives are, and everything that may use them.

use crate::support::machine;

use drivelab_safety::{DriveKind, Flag, Note, Testable, Use, list_drives};
use machine::Machine;
use proptest::prelude::*;

#[test]
fn an_nvme_namespace_is_known_by_what_its_controller_tells() {
    let machine = Machine::new();
    machine.drive("nvme0n1", "259:0").drive("nvme0n2", "259:1").drive("nvme0c0n1", "259:2");
    machine.partition("nvme0n1", "nvme0n1p1", "259:3", 2048);
    machine.shows("nvme0n1", "device/serial", "NV987             \n");
    machine.shows("nvme0n1", "device/model", "Example NVMe 1TB\n");
    machine.shows("nvme0n1", "wwid", "eui.0025385b71b00001\n");
    machine.shows("nvme0c0n1", "hidden", "1\n");
    machine.file(
        "run/udev/data/b259:0",
        "S:disk/by-id/nvme-eui.0025385b71b00001\nE:ID_MODEL=Example_NVMe_1TB\n",
    );
    let drive = machine.identity("259:0");
    assert_eq!((drive.kind, drive.serial.as_deref()), (DriveKind::Nvme, Some("NV987")));
    assert_eq!(drive.model.as_deref(), Some("Example NVMe 1TB"));
    assert_eq!(drive.wwn.as_deref(), Some("eui.0025385b71b00001"));
    assert_eq!(drive.by_id, ["nvme-eui.0025385b71b00001"]);
    assert_eq!((drive.logical_block, drive.physical_block), (512, 4096));
    assert_eq!(machine.identity("259:3").serial.as_deref(), Some("NV987"));
    let listed = list_drives(&machine.system());
    let names: Vec<&str> = listed.iter().map(|listing| listing.identity.kernel_name.as_str()).collect();
    assert_eq!(names, ["nvme0n1", "nvme0n1p1", "nvme0n2"]);
    assert_eq!(listed[0].notes, [Note::NamespaceSiblings(vec!["nvme0n2".to_owned()])]);
}

#[test]
fn a_sata_drive_is_known_by_its_unit_serial_page() {
    let machine = Machine::new();
    machine
        .drive("sda", "8:0")
        .partition("sda", "sda1", "8:1", 2048)
        .partition("sda", "sda10", "8:10", 900_000);
    machine.shows("sda", "device/vpd_pg80", b"\x00\x80\x00\x0fS3Z9NB0K123456 ");
    machine.shows("sda", "device/model", "Samsung SSD 870 \n");
    machine.file("run/udev/data/b8:0", "E:ID_MODEL=Samsung_SSD_870_EVO_500GB\nE:ID_SERIAL_SHORT=STALE\n");
    let partition = machine.identity("8:1");
    assert_eq!(partition.serial.as_deref(), Some("S3Z9NB0K123456"));
    assert_eq!(
        partition.to_string(),
        "sda1 (partition 1 of sda, Samsung SSD 870 EVO 500GB, serial S3Z9NB0K123456, 104.9 MB)"
    );
    let listed = list_drives(&machine.system());
    let Testable::With(flags) = &listed[0].testable else { panic!("{:?}", listed[0].testable) };
    // Nobody can look at what it holds: it has no node here.
    assert_eq!(flags[..], [Flag::Serial("S3Z9NB0K123456".to_owned()), Flag::DestroyData]);
    assert_eq!(listed[2].identity.kernel_name, "sda10");
    assert_eq!(listed[0].target(&machine.system()).path(), machine.path("dev/sda"));
}

#[test]
fn a_mount_in_another_namespace_refuses_the_whole_drive() {
    let machine = Machine::new();
    machine
        .drive("sda", "8:0")
        .partition("sda", "sda1", "8:1", 2048)
        .partition("sda", "sda2", "8:2", 500_000);
    machine.file("proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n");
    machine.link("proc/self/ns/mnt", "mnt:[1]");
    machine.file("proc/10/mountinfo", "30 1 8:1 / /srv/my\\040disk rw - xfs /dev/sda1 rw\n");
    machine.link("proc/10/ns/mnt", "mnt:[2]");
    machine.file("proc/11/mountinfo", "30 1 8:1 / /srv/my\\040disk rw - xfs /dev/sda1 rw\n");
    machine.link("proc/11/ns/mnt", "mnt:[2]");
    let line = "sda1 is mounted at /srv/my disk (xfs) for process 10: unmount it there \
                (nsenter -t 10 -m umount '/srv/my disk')";
    assert_eq!(machine.said("8:0"), [line]);
    assert_eq!(machine.said("8:2"), Vec::<String>::new());
}

#[test]
fn what_carries_the_system_has_no_remedy() {
    let machine = Machine::new();
    machine.drive("vda", "254:0");
    machine.file("proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/root rw\n");
    assert_eq!(
        machine.said("254:0"),
        ["vda is mounted at / (ext4) and carries the running system: choose another drive"]
    );
}

#[test]
fn a_member_of_a_raid_array_is_refused_with_what_stands_on_the_array() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").partition("sda", "sda1", "8:1", 2048).drive("md0", "9:0");
    machine.holder("sda/sda1", "md0").shows("md0", "md/level", "raid1\n");
    machine.partition("md0", "md0p1", "259:0", 2048);
    machine.file("proc/self/mountinfo", "30 1 259:0 / /srv rw - ext4 /dev/md0p1 rw\n");
    let expected = [
        "sda1 is part of the RAID array md0: stop it (mdadm --stop /dev/md0)",
        "md0p1 is mounted at /srv (ext4): unmount it (umount /srv)",
    ];
    assert_eq!(machine.said("8:0"), expected);
    assert_eq!(machine.said("8:1"), expected);
}

#[test]
fn a_physical_volume_is_refused_with_the_swap_on_it() {
    let machine = Machine::new();
    machine.drive("sdb", "8:16").drive("dm-0", "252:0").holder("sdb", "dm-0");
    machine.shows("dm-0", "dm/uuid", "LVM-abcdef\n").shows("dm-0", "dm/name", "vg-swap\n");
    machine.link("dev/mapper/vg-swap", "../dm-0");
    machine.file("proc/swaps", "Filename Type Size Used Priority\n/dev/mapper/vg-swap partition 1 0 -2\n");
    let said = machine.said("8:16");
    assert_eq!(said.len(), 2);
    assert!(said[0].starts_with("sdb is part of the logical volume vg-swap (dm-0): deactivate"), "{said:?}");
    assert_eq!(said[1], "/dev/mapper/vg-swap is used as swap: switch it off (swapoff /dev/mapper/vg-swap)");
}

#[test]
fn a_path_of_a_multipath_device_points_to_the_device() {
    let machine = Machine::new();
    machine.drive("sdc", "8:32").partition("sdc", "sdc1", "8:33", 2048).drive("dm-1", "252:1");
    machine.holder("sdc", "dm-1").shows("dm-1", "dm/uuid", "mpath-3600508b4\n");
    machine.shows("dm-1", "dm/name", "mpatha\n");
    let expected =
        ["sdc is part of the multipath device mpatha (dm-1): test /dev/mapper/mpatha instead of one of its \
        paths"];
    assert_eq!(machine.said("8:32"), expected);
    assert_eq!(machine.said("8:33"), expected, "a partition of a path is held as well");
}

#[test]
fn every_drive_of_a_mounted_btrfs_is_mounted() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("sdb", "8:16").drive("sdc", "8:32");
    for name in ["sda", "sdb"] {
        machine.link(&format!("sys/fs/btrfs/1234-5678/devices/{name}"), machine.path("sys/devices/block"));
    }
    machine.file("sys/fs/btrfs/features/raid1c34", "0\n");
    machine.file("proc/self/mountinfo", "43 27 0:39 / /pool rw - btrfs /dev/sda rw\n");
    assert_eq!(machine.said("8:16"), ["sdb is mounted at /pool (btrfs): unmount it (umount /pool)"]);
    assert_eq!(machine.said("8:32"), Vec::<String>::new());
    machine.file("proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n");
    assert!(matches!(machine.uses("8:16")[..], [Use::FileSystemMember { .. }]));
}

#[test]
fn the_place_of_hibernation_is_refused_while_it_is_not_in_use() {
    let machine = Machine::new();
    machine
        .drive("sda", "8:0")
        .partition("sda", "sda2", "8:2", 2048)
        .partition("sda", "sda3", "8:3", 500_000);
    machine.file("sys/power/resume", "8:2\n");
    assert!(machine.said("8:0")[0].starts_with("the system hibernates to sda2 (/sys/power/resume)"));
    machine.file("sys/power/resume", "0:0\n");
    machine.file("proc/cmdline", "quiet resume=UUID=AB-CD\n");
    assert_eq!(machine.said("8:0"), Vec::<String>::new());
    machine.file("run/udev/data/b8:2", "E:ID_FS_UUID=ab-cd\n");
    assert!(machine.said("8:2")[0].contains("resume=UUID=AB-CD on the kernel's command line"));
    assert_eq!(machine.said("8:3"), Vec::<String>::new());
}

#[test]
fn what_is_served_to_other_machines_is_refused() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("sdb", "8:16");
    machine.file("sys/kernel/config/target/core/iblock_0/disk1/udev_path", "/dev/sda\n");
    machine.file("sys/kernel/config/nvmet/subsystems/nqn.test/namespaces/1/device_path", "/dev/sdb\n");
    assert_eq!(
        machine.said("8:0"),
        ["the SCSI target iblock_0/disk1 serves it to other machines: stop that first"]
    );
    assert_eq!(
        machine.said("8:16"),
        ["the NVMe target namespaces/1 serves it to other machines: stop that first"]
    );
}

#[test]
fn a_process_that_has_it_open_is_named() {
    let machine = Machine::new();
    machine
        .drive("sda", "8:0")
        .partition("sda", "sda1", "8:1", 2048)
        .partition("sda", "sda2", "8:2", 500_000);
    machine.file("proc/77/comm", "qemu\n").link("proc/77/fd/4", "/dev/sda1");
    machine.file("proc/77/fdinfo/4", "pos:\t0\nflags:\t0100002\n");
    machine.file("proc/78/comm", "smartd\n").link("proc/78/fd/3", "/dev/sda");
    machine.file("proc/78/fdinfo/3", "pos:\t0\nflags:\t0100000\n");
    machine.file("proc/79/comm", "(udev-worker)\n").link("proc/79/fd/3", "/dev/sda");
    machine.file("proc/79/fdinfo/3", "pos:\t0\nflags:\t0100000\n");
    assert_eq!(
        machine.said("8:0"),
        [
            "sda is open for reading in process 78 (smartd): close it there, or end the process",
            "sda1 is open for writing in process 77 (qemu): close it there, or end the process",
        ]
    );
    assert_eq!(machine.said("8:2"), Vec::<String>::new(), "a reader of the whole drive does not mind");
}

#[test]
fn a_loop_device_on_the_drive_is_refused() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("loop3", "7:3").shows("loop3", "loop/backing_file", "/dev/sda\n");
    assert_eq!(
        machine.said("8:0"),
        [
            "/dev/loop3 reads and writes it: detach that first (drivelab image detach, or umount and losetup -d /dev/loop3)"
        ]
    );
}

#[test]
fn a_drive_seen_by_two_paths_is_in_use_when_either_is() {
    let machine = Machine::new();
    machine
        .drive("sda", "8:0")
        .partition("sda", "sda1", "8:1", 2048)
        .partition("sda", "sda2", "8:2", 500_000);
    machine
        .drive("sdb", "8:16")
        .partition("sdb", "sdb1", "8:17", 2048)
        .partition("sdb", "sdb2", "8:18", 500_000);
    machine.drive("sdc", "8:32");
    for (drive, wwid) in [("sda", "naa.5000"), ("sdb", "naa.5000"), ("sdc", "naa.6000")] {
        machine.shows(drive, "device/wwid", wwid).shows(drive, "device/model", "SAS DISK");
    }
    machine.file("proc/self/mountinfo", "30 1 8:17 / /srv rw - ext4 /dev/sdb1 rw\n");
    let shared = "sdb1 (another path to the same drive) is mounted at /srv (ext4): unmount it (umount /srv)";
    assert_eq!(machine.said("8:0"), [shared]);
    assert_eq!(machine.said("8:1"), [shared]);
    assert_eq!(machine.said("8:2"), Vec::<String>::new());
    assert_eq!(machine.said("8:32"), Vec::<String>::new());
    let listed = list_drives(&machine.system());
    assert_eq!(listed[0].notes, [Note::OtherPaths(vec!["sdb".to_owned()])]);
}

#[test]
fn what_lies_behind_a_loop_device_counts_as_well() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("loop3", "7:3").shows("loop3", "loop/backing_file", "/dev/sda\n");
    machine.file("proc/self/mountinfo", "30 1 8:0 / /srv rw - ext4 /dev/sda rw\n");
    assert_eq!(
        machine.said("7:3"),
        ["what lies behind loop3 is in use: sda is mounted at /srv (ext4): unmount it (umount /srv)"]
    );
    machine.shows("sda", "loop/backing_file", "/dev/loop3\n");
    assert!(!machine.said("7:3").is_empty(), "a circle comes to an end");
}

#[test]
fn what_uses_the_file_behind_a_loop_device_counts_as_well() {
    let machine = Machine::new();
    let image = machine.file("drive.img", "data").path("drive.img").display().to_string();
    machine.drive("loop3", "7:3").shows("loop3", "loop/backing_file", &image);
    assert_eq!(machine.said("7:3"), Vec::<String>::new());
    machine.file("sys/kernel/config/target/core/fileio_0/disk1/udev_path", &image);
    assert_eq!(
        machine.said("7:3"),
        [
            "what lies behind loop3 is in use: the SCSI target fileio_0/disk1 serves it to other machines: stop that first"
        ]
    );
}

#[test]
fn a_partition_that_shares_sectors_with_a_mounted_one_is_refused() {
    let machine = Machine::new();
    machine
        .drive("sda", "8:0")
        .partition("sda", "sda1", "8:1", 2048)
        .partition("sda", "sda2", "8:2", 100_000);
    machine.partition("sda", "sda3", "8:3", 900_000);
    machine.file("proc/self/mountinfo", "30 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
    assert_eq!(machine.said("8:2"), ["sda1 is mounted at /srv (ext4): unmount it (umount /srv)"]);
    assert_eq!(machine.said("8:3"), Vec::<String>::new());
}

#[test]
fn holders_that_hold_each_other_end_the_walk() {
    let machine = Machine::new();
    machine.drive("dm-0", "252:0").drive("dm-1", "252:1").holder("dm-0", "dm-1").holder("dm-1", "dm-0");
    assert_eq!(machine.uses("252:0").len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_that_the_system_shows_makes_it_panic(
        table in prop_oneof![any::<Vec<u8>>(), "[0-9: /\\\\a-z\n-]{0,200}".prop_map(String::into_bytes)],
        small in any::<Vec<u8>>(),
    ) {
        let machine = Machine::new();
        machine.drive("sda", "8:0").partition("sda", "sda1", "8:1", 2048);
        let tables = ["proc/self/mountinfo", "proc/swaps", "proc/cmdline", "proc/5/stat"];
        for file in tables.into_iter().chain(["run/udev/data/b8:0"]) {
            machine.file(file, &table);
        }
        let shown = ["device/vpd_pg80", "queue/scheduler", "diskseq", "loop/backing_file", "ro", "size"];
        for file in shown.into_iter().chain(["sda1/start"]) {
            machine.shows("sda", file, &small);
        }
        machine.file("sys/power/resume", &small);
        let _ = list_drives(&machine.system());
        let _ = machine.said("8:1");
    }
}
