//! Machines made of files: what processes, the kernel and other namespaces use, in the cases that real machines seldom show.

use crate::support::machine;

use std::fs;
use std::path::Path;

use drivelab_safety::{
    ClaimOptions, Confirmation, FileIdentity, Note, System, Target, Testable, Unseen, UsageScan, Use,
    claim_for_writing, list_drives,
};
use machine::Machine;

/// The file at a path, as a target that is there.
fn file_at(system: &System, path: &Path) -> FileIdentity {
    let target = Target::resolve(system, path).expect("a file");
    let Target::File(file) = target else { panic!("a file") };
    file.existing().expect("it is there").clone()
}

#[test]
fn every_mount_of_every_namespace_is_told_once() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("sdb", "8:16");
    machine.file("proc/self/mountinfo", "30 1 8:0 / /srv rw - ext4 /dev/sda rw\n");
    machine.link("proc/self/ns/mnt", "mnt:[1]");
    machine.file(
        "proc/10/mountinfo",
        "40 1 8:0 / /srv rw - ext4 /dev/sda rw\n\
         41 1 8:0 / /mnt rw - ext4 /dev/sda rw\n\
         42 1 8:16 / /srv rw - ext4 /dev/sdb rw\n",
    );
    machine.link("proc/10/ns/mnt", "mnt:[2]");
    assert_eq!(
        machine.said("8:0"),
        [
            "sda is mounted at /srv (ext4): unmount it (umount /srv)",
            "sda is mounted at /mnt (ext4) for process 10: unmount it there (nsenter -t 10 -m umount /mnt)",
        ]
    );
    assert_eq!(
        machine.said("8:16"),
        ["sdb is mounted at /srv (ext4) for process 10: unmount it there (nsenter -t 10 -m umount /srv)"]
    );
}

#[test]
fn the_root_of_the_first_process_carries_the_system_and_that_of_a_container_does_not() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("sdb", "8:16");
    machine.link("proc/self/ns/mnt", "mnt:[1]");
    for (process, number) in [(1, "8:0"), (10, "8:16")] {
        machine.file(
            &format!("proc/{process}/mountinfo"),
            format!("30 1 {number} / / rw - ext4 /dev/root rw\n"),
        );
        machine.link(&format!("proc/{process}/ns/mnt"), format!("mnt:[{}]", process + 100));
    }
    assert!(machine.said("8:0")[0].contains("carries the running system"), "{:?}", machine.said("8:0"));
    assert!(machine.said("8:16")[0].contains("unmount it there"), "{:?}", machine.said("8:16"));
}

#[test]
fn everything_that_can_be_built_on_a_drive_is_told_with_what_takes_it_apart() {
    let machine = Machine::new();
    for (number, (name, shown, said)) in [
        ("dm-1", Some(("dm/uuid", "CRYPT-LUKS2-1")), "the encrypted volume dm-1 (dm-1): close it"),
        ("dm-2", Some(("dm/uuid", "VERITY-1")), "the mapped device dm-2 (dm-2): remove it"),
        ("dm-3", Some(("dm/name", "linear")), "the mapped device linear (dm-3): remove it"),
        ("md0", Some(("md/level", "raid1")), "the RAID array md0: stop it"),
        ("bcache0", None, "the cache device bcache0: stop it"),
        ("cache1", Some(("bcache/state", "clean")), "the cache device cache1: stop it"),
        ("other0", None, "the device other0: release the drive from it"),
    ]
    .into_iter()
    .enumerate()
    {
        let drive = format!("sd{}", char::from(b'a' + u8::try_from(number).expect("few")));
        machine.drive(&drive, &format!("8:{number}")).drive(name, &format!("252:{number}"));
        if let Some((file, text)) = shown {
            machine.shows(name, file, text);
        }
        machine.holder(&drive, name);
        let uses = machine.said(&format!("8:{number}"));
        assert!(uses.len() == 1 && uses[0].starts_with(&format!("{drive} is part of {said}")), "{uses:?}");
    }
}

#[test]
fn partitions_that_only_touch_do_not_share_anything() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").partition("sda", "sda1", "8:1", 2048);
    machine.partition("sda", "sda2", "8:2", 2048 + 204_800);
    for (mounted, other) in [("8:1", "8:2"), ("8:2", "8:1")] {
        machine.file("proc/self/mountinfo", format!("30 1 {mounted} / /srv rw - ext4 /dev/x rw\n"));
        assert_eq!(machine.said(other), Vec::<String>::new());
    }
}

#[test]
fn what_a_process_has_open_twice_or_in_one_thread_alone_is_told_once() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("sdb", "8:16");
    machine.file("proc/77/comm", "qemu\n");
    for (descriptor, flags) in [(3, "0100000"), (4, "0100002")] {
        machine.link(&format!("proc/77/fd/{descriptor}"), "/dev/sda");
        machine.file(&format!("proc/77/fdinfo/{descriptor}"), format!("pos:\t0\nflags:\t{flags}\n"));
    }
    // The first thread shares its descriptors with the second; the third has one of its own.
    for thread in ["77", "78", "79"] {
        machine.link(&format!("proc/77/task/{thread}/fd/3"), "/dev/sda");
    }
    machine.link("proc/77/task/79/fd/9", "/dev/sdb");
    machine.file("proc/77/task/79/fdinfo/9", "flags:\t0100000\n");
    fs::create_dir_all(machine.path("proc/77/task/80")).expect("a thread that has just ended");
    for (drive, said) in [("8:0", "sda is open for writing"), ("8:16", "sdb is open for reading")] {
        let uses = machine.said(drive);
        assert_eq!(uses, [format!("{said} in process 77 (qemu): close it there, or end the process")]);
    }
    assert_eq!(UsageScan::take(&machine.system()).unseen_of_drives(), []);
}

#[test]
fn a_thread_that_opens_for_writing_what_the_first_reads_under_the_same_number_is_a_writer() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").file("proc/77/comm", "qemu\n");
    for (folder, flags) in
        [("proc/77", "0100000"), ("proc/77/task/77", "0100000"), ("proc/77/task/79", "0100002")]
    {
        machine.link(&format!("{folder}/fd/3"), "/dev/sda");
        machine.file(&format!("{folder}/fdinfo/3"), format!("flags:\t{flags}\n"));
    }
    let said = "sda is open for writing in process 77 (qemu): close it there, or end the process";
    assert_eq!(machine.said("8:0"), [said]);
}

#[test]
fn another_run_of_this_program_counts_and_one_that_is_just_starting_a_program_does_not() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").link("proc/self/exe", "/usr/bin/drivelab");
    let own = std::process::id();
    for (process, parent, program) in
        [(71, own, "/usr/bin/drivelab"), (72, own, "/usr/bin/fio"), (73, 1, "/usr/bin/drivelab")]
    {
        machine.file(&format!("proc/{process}/stat"), format!("{process} (a) b) S {parent} 1 1\n"));
        machine
            .link(&format!("proc/{process}/exe"), program)
            .link(&format!("proc/{process}/fd/3"), "/dev/sda");
    }
    let uses = machine.uses("8:0");
    let processes: Vec<u32> = uses
        .iter()
        .filter_map(|used| if let Use::Open { process, .. } = used { Some(*process) } else { None })
        .collect();
    assert_eq!(processes, [72, 73]);
}

#[test]
fn processes_that_do_not_show_what_they_have_open_are_counted_and_ended_ones_are_not() {
    let machine = Machine::new();
    // A file where there should be a folder, and the other way round, cannot be read as such by anybody.
    for hidden in ["proc/1/fd", "proc/5/fd", "proc/7/fd/3", "proc/7/task/7/fd/3", "proc/7/task/8/fd"] {
        machine.file(hidden, "");
    }
    for folder in ["proc/6/fd", "proc/6/maps", "proc/9"] {
        fs::create_dir_all(machine.path(folder)).expect("a folder");
    }
    let system = machine.system();
    let unseen = UsageScan::take(&system).unseen_of_drives();
    assert_eq!(unseen, [Unseen::OpenFiles(3)], "without the first and the ended");

    let path = machine.path("file.bin");
    let target = |path| Target::resolve(&system, path).expect("a file");
    let size = Some(drivelab_block::ByteCount::new(1 << 20));
    let options = ClaimOptions { create_size: size, ..ClaimOptions::default() };
    let notes = || {
        let grant = claim_for_writing(&system, &target(&path), &Confirmation::default(), &options);
        let notes = grant.expect("a new file").notes().to_vec();
        fs::remove_file(&path).expect("the file");
        notes
            .into_iter()
            .any(|note| matches!(note, Note::NotChecked { what, .. } if what.contains("process 1")))
    };
    assert!(notes(), "that the first process shows nothing is noted beside the results");
    fs::remove_file(machine.path("proc/1/fd")).expect("the file");
    assert!(!notes(), "a machine without a first process hides nothing");
}

#[test]
fn a_file_that_is_served_or_swapped_to_is_refused_and_its_neighbour_is_not() {
    let machine = Machine::new();
    machine.file("file.bin", "data").file("other.bin", "data");
    let served = machine.path("file.bin").display().to_string();
    machine.file("sys/kernel/config/target/core/fileio_0/disk1/udev_path", &served);
    machine.file("sys/kernel/config/target/core/fileio_0/disk2/udev_path", "(null)\n");
    machine.file("proc/swaps", format!("Filename Type Size Used Priority\n{served} file 1 0 -2\n"));
    let (system, scan) = (machine.system(), UsageScan::take(&machine.system()));
    let said = |name| -> Vec<String> {
        let uses = scan.uses_of_file(&file_at(&system, &machine.path(name)));
        uses.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        said("file.bin"),
        [
            format!("{served} is used as swap: switch it off (swapoff {served})"),
            "the SCSI target fileio_0/disk1 serves it to other machines: stop that first".to_owned(),
        ]
    );
    assert_eq!(said("other.bin"), Vec::<String>::new());
}

#[test]
fn hibernation_is_found_by_every_name_that_the_command_line_may_give() {
    let machine = Machine::new();
    machine.drive("sda", "8:0").drive("sdb", "8:16");
    machine.file(
        "run/udev/data/b8:0",
        "E:ID_FS_UUID=1\nE:ID_FS_LABEL=2\nE:ID_PART_ENTRY_UUID=3\nE:ID_PART_ENTRY_NAME=4\n",
    );
    for name in ["UUID=1", "LABEL=2", "PARTUUID=3", "PARTLABEL=4", "/dev/sda", "8:0"] {
        machine.file("proc/cmdline", format!("quiet resume={name}\n"));
        assert_eq!((machine.said("8:0").len(), machine.said("8:16").len()), (1, 0), "{name}");
    }
    machine.file("proc/cmdline", "quiet resume=UUID=2 resume=ID=1\n");
    assert_eq!(machine.said("8:0"), Vec::<String>::new());
}

#[test]
fn drives_are_listed_by_number_and_those_without_a_medium_are_not() {
    let machine = Machine::new();
    machine.drive("sdb", "8:16").drive("sda", "8:0").drive("loop10", "7:10").drive("loop2", "7:2");
    machine.partition("sda", "sda10", "8:10", 500_000).partition("sda", "sda2", "8:2", 2048);
    machine.drive("sdc", "8:32").shows("sdc", "size", "0");
    machine.file("proc/self/mountinfo", "30 1 8:2 / /srv rw - ext4 /dev/sda2 rw\n");
    let listed = list_drives(&machine.system());
    let names: Vec<&str> = listed.iter().map(|listing| listing.identity.kernel_name.as_str()).collect();
    assert_eq!(names, ["loop2", "loop10", "sda", "sda2", "sda10", "sdb"]);
    for (listing, is_used) in listed.iter().zip([false, false, true, true, false, false]) {
        assert_eq!((listing.uses.len() == 1, listing.uses.is_empty()), (is_used, !is_used), "{listing:?}");
        assert_eq!(matches!(listing.testable, Testable::No(_)), is_used, "{listing:?}");
    }
}

#[test]
fn a_file_that_comes_to_be_served_while_it_is_claimed_is_noticed() {
    let machine = Machine::new();
    let (system, path) = (machine.system(), machine.path("file.bin"));
    let target = Target::resolve(&system, &path).expect("a file");
    let size = Some(drivelab_block::ByteCount::new(1 << 20));
    let options = ClaimOptions { create_size: size, ..ClaimOptions::default() };
    let grant = claim_for_writing(&system, &target, &Confirmation::default(), &options).expect("a new file");
    let mut sentry = grant.sentry();
    sentry.look().expect("nobody serves it");
    machine.file("sys/kernel/config/target/core/fileio_0/disk1/udev_path", path.display().to_string());
    let said = sentry.look().expect_err("it is served").to_string();
    assert!(said.contains("the SCSI target fileio_0/disk1 serves it"), "{said}");
}
