//! What is written in place, on a file; and file systems that are made for a while, on a loop device.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use drivelab_block::{ByteCount, ByteRange, Caching, FileSystem};
use drivelab_safety::{ClaimOptions, Confirmation, System, Target, WriteGrant, claim_for_writing};
use drivelab_system_calls::{FilePlace as _, Folder, InPlace, Scratch, least_size};
use drivelab_testbed::{Loop, eventually, is_free, loops_can_be_made, mounts_can_be_made, skipped};
use rustix::fs::{OFlags, fcntl_getfl};

const PAGE: usize = 4096;

fn claim(path: &Path, serial: Option<String>) -> WriteGrant {
    let system = System::live();
    let target = Target::resolve(&system, path).expect("a target of our own");
    let confirmation = Confirmation { serial, destroy_data: true };
    // An ordinary user does not see what others have open.
    let options = ClaimOptions { assume_unused: true, ..ClaimOptions::default() };
    claim_for_writing(&system, &target, &confirmation, &options).expect("a claim")
}

fn pages(count: u64) -> ByteCount {
    ByteCount::new(count * PAGE as u64)
}

fn is_direct(grant: &WriteGrant) -> bool {
    fcntl_getfl(grant).expect("its flags").contains(OFlags::DIRECT)
}

/// A page of one byte, where direct I/O takes it.
#[repr(align(4096))]
struct Page([u8; PAGE]);

#[test]
fn files_in_place_lie_one_behind_the_other_and_never_leave_their_range() {
    let folder = tempfile::Builder::new().tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = folder.path().join("drive");
    fs::write(&path, vec![1; 8 * PAGE]).expect("room");
    let grant = claim(&path, None);
    let before = is_direct(&grant);
    // Files of two pages between the second page and the seventh: there is room for two.
    for (caching, mark) in [(Caching::Buffered, 7), (Caching::Direct, 9)] {
        if caching == Caching::Direct && !before {
            skipped("this file system does no direct I/O");
            continue;
        }
        let page = Page([mark; PAGE]);
        let mut place =
            InPlace::new(&grant, caching, ByteRange::new(pages(1), pages(6)), pages(2)).expect("a place");
        assert_eq!(is_direct(&grant), caching == Caching::Direct);
        for file in 0..2 {
            place.begin(file).expect("room for two");
            place.write(pages(1).get(), &page.0).expect("room");
            place.end().expect("its end");
        }
        let full = place.begin(2).expect_err("it would go on behind the range");
        assert_eq!(full.kind(), ErrorKind::StorageFull);
        let far = place.begin(u64::MAX).expect_err("no target is as long as that");
        assert_eq!(far.kind(), ErrorKind::StorageFull);
        drop(place);
        assert_eq!(is_direct(&grant), before, "the descriptor is as it was");
        let written: Vec<u8> = fs::read(&path).expect("the file").chunks(PAGE).map(|page| page[0]).collect();
        assert_eq!(written, [1, 1, mark, 1, mark, 1, 1, 1], "{caching:?}");
    }
}

#[test]
fn a_file_system_that_is_made_for_a_while_is_seen_by_nobody_and_leaves_the_rest_of_its_drive_alone() {
    if !(loops_can_be_made() && mounts_can_be_made()) {
        return;
    }
    let length = least_size(FileSystem::Ext4);
    let device = Loop::with(64, &[], |image| {
        let rest = vec![5; (64 << 20) - usize::try_from(length.get()).expect("16 MiB")];
        let file = File::options().write(true).open(image).expect("the image");
        file.write_all_at(&rest, length.get()).expect("room");
    });
    let drive = claim(&device.node, Some(device.name())).release();
    let scratch = Scratch::make(&drive, FileSystem::Ext4, length).expect("a file system");
    let mounts = fs::read_to_string("/proc/self/mounts").expect("the mounts");
    assert!(!mounts.contains(device.text()), "it is mounted nowhere");
    assert!(!is_free(&device.node), "but nobody else can have the drive");

    let mut folder = Folder::of_scratch(scratch).expect("its root");
    folder.set_caching(Caching::Buffered);
    folder.begin(0).expect("a file");
    folder.write(0, &[3; PAGE]).expect("room");
    folder.end().expect("its end");
    folder.clear().expect("it is removed");
    folder.begin(0).expect("a file of the same name");
    drop(folder);

    assert!(eventually(|| is_free(&device.node)), "it is taken down with the folder");
    drive.retake().expect("the claim that was given up for it");
    let image = File::open(&device.image).expect("the image");
    let mut rest = vec![0; PAGE];
    for at in [length.get(), (64 << 20) - PAGE as u64] {
        image.read_exact_at(&mut rest, at).expect("its bytes");
        assert!(rest.iter().all(|byte| *byte == 5), "byte {at}");
    }
}
