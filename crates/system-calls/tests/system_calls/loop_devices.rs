//! Images as loop devices, on the kernel's own: what is shown, who may not have it, and what is left.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use drivelab_system_calls::image::{Attached, ImageError, ImageName, LoopAccess, attach, detach, mount};
use drivelab_testbed::{eventually, loops_can_be_made, make_ext4, partition_in_two, run};
use tempfile::TempDir;

/// Where the two partitions of `partition_in_two` begin, in bytes.
const STARTS: [u64; 2] = [1 << 20, 17 << 20];

/// An image of 40 MiB in a folder of its own.
fn image(prepare: impl FnOnce(&Path)) -> (TempDir, ImageName) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("drive.img");
    File::create(&file).and_then(|file| file.set_len(40 << 20)).expect("an image");
    prepare(&file);
    (folder, ImageName { file, partition: None })
}

fn partition(image: &ImageName, number: u32) -> ImageName {
    ImageName { partition: Some(number), ..image.clone() }
}

/// The devices that show an image.
fn devices(image: &ImageName) -> Vec<String> {
    let file = image.file.to_str().expect("a plain path");
    let listed = run("losetup", &["--associated", file, "--noheadings", "--output", "NAME"]);
    listed.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_partition_is_shown_where_its_table_says_and_nothing_beside_it() {
    if !loops_can_be_made() {
        return;
    }
    let (_folder, image) = image(|file| {
        partition_in_two(file);
        let file = File::options().write(true).open(file).expect("the image");
        for (start, mark) in STARTS.iter().zip([*b"first", *b"other"]) {
            file.write_all_at(&mark, *start).expect("a mark");
        }
    });
    let second = Attached::attach(&partition(&image, 2), LoopAccess::ReadOnly).expect("a loop device");
    let node = second.node.to_str().expect("a plain path");
    assert_eq!(run("blockdev", &["--getsize64", node]), (16 << 20).to_string());
    let mut mark = [0; 5];
    File::open(node).and_then(|device| device.read_exact_at(&mut mark, 0)).expect("its first bytes");
    assert_eq!(&mark, b"other");
    let written = File::options().write(true).open(node).and_then(|device| device.write_at(b"x", 0));
    let refused = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
    assert!(written.is_err_and(|error| refused.contains(&error.kind())), "it is only to be read");

    // The same bytes by two ways would be damaged; the partition beside it shares none with it.
    let again =
        Attached::attach(&image, LoopAccess::ReadWrite).expect_err("all of it holds the second partition");
    assert!(matches!(&again, ImageError::Attached { node, .. } if *node == second.node), "{again}");
    let first = Attached::attach(&partition(&image, 1), LoopAccess::ReadWrite).expect("another part");
    assert_eq!(devices(&image).len(), 2);
    drop((first, second));
    assert!(eventually(|| devices(&image).is_empty()), "{:?}", devices(&image));
}

#[test]
fn what_is_mounted_goes_with_its_mount_and_keeps_what_was_written() {
    if !loops_can_be_made() {
        return;
    }
    let (folder, image) = image(make_ext4);
    let point = folder.path().join("mnt");
    fs::create_dir(&point).expect("a folder");
    let node = mount(&image, &point, LoopAccess::ReadWrite).expect("a mount");
    fs::write(point.join("kept"), "words").expect("room");
    let left = detach(&image).expect("it is attached");
    // The kernel may have it a moment longer, and says so.
    assert_eq!([left.gone, left.going].concat(), [node]);
    assert!(!point.join("kept").exists(), "unmounted");
    assert!(eventually(|| devices(&image).is_empty()), "{:?}", devices(&image));

    mount(&image, &point, LoopAccess::ReadOnly).expect("a mount");
    assert_eq!(fs::read_to_string(point.join("kept")).expect("what was written"), "words");
    let written = fs::write(point.join("more"), "").expect_err("it is only to be read");
    assert_eq!(written.kind(), ErrorKind::ReadOnlyFilesystem);
    detach(&image).expect("it is attached");
    assert!(eventually(|| devices(&image).is_empty()), "{:?}", devices(&image));
    let none = detach(&image).expect_err("it is attached as nothing");
    assert!(none.to_string().ends_with(" is not attached"), "{none}");
}

#[test]
fn what_a_killed_program_was_attaching_is_detached_by_the_next() {
    if !loops_can_be_made() {
        return;
    }
    let (_one, left) = image(|_| {});
    let (_other, image) = image(|_| {});
    let node = attach(&left, LoopAccess::ReadWrite).expect("a loop device");
    // A process that cannot be: the kernel's largest number is 2^22.
    let note = Path::new("/run/drivelab/drivelab-4999999-1-0.image");
    fs::create_dir_all("/run/drivelab").expect("a folder");
    fs::write(note, format!("0 {}\n", left.file.canonicalize().expect("a path").display())).expect("a note");
    let attached = Attached::attach(&image, LoopAccess::ReadWrite).expect("a loop device");
    assert!(eventually(|| devices(&left).is_empty()), "{} is left", node.display());
    assert!(!note.exists());
    assert_eq!(devices(&image), [attached.node.to_str().expect("a plain path")]);
}
