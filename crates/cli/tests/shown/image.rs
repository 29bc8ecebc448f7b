//! Images of drives by hand: partitions that are attached, images that were deleted, tables of other kinds.

use std::fs;
use std::path::Path;

use crate::common::devices::{self, eventually};
use crate::common::{self, drivelab, folder, text};
use serde_json::json;

const IMAGE_LIST: &str = include_str!("../../schemas/drivelab.image-list-1.json");

fn image(path: &Path, mebibytes: u64) {
    fs::File::create(path).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
}

#[test]
fn a_partition_that_is_attached_is_mounted_as_it_is_and_stays_attached() {
    if !devices::loops_can_be_made() || !devices::mounts_can_be_made() {
        return;
    }
    let folder = folder();
    let (drive, point) = (folder.path().join("drive.img"), folder.path().join("point"));
    image(&drive, 64);
    devices::partition_in_two(&drive);
    fs::create_dir(&point).expect("a folder");
    let named = format!("{}:1", text(&drive));
    let attached = drivelab(&["image", "attach", "--partitions", "--json", text(&drive)]).with_code(0).json();
    let node = attached["partitions"][0]["attached"].clone();
    devices::make_ext4(Path::new(node.as_str().expect("a node")));
    let mounted = drivelab(&["image", "mount", "--json", &named, text(&point)]).with_code(0).json();
    assert_eq!(mounted["attached"], node, "no second device shows the same blocks");
    fs::write(point.join("file"), "by hand").expect("a mounted file system");
    devices::run("umount", &[text(&point)]);
    let listed = drivelab(&["image", "list", "--json", text(&drive)]).with_code(0).json();
    assert_eq!(listed["partitions"][0]["attached"][0]["device"], node, "what was attached stays so");
    drivelab(&["image", "detach", text(&drive)]).with_code(0);
    // One that lets nothing be written is not mounted for writing.
    drivelab(&["image", "attach", "--partitions", "--read-only", text(&drive)]).with_code(0);
    drivelab(&["image", "mount", &named, text(&point)]).fails_in_one_line(4, &["detach"]);
    drivelab(&["image", "mount", "--read-only", &named, text(&point)]).with_code(0);
    assert_eq!(fs::read_to_string(point.join("file")).expect("a file"), "by hand");
    drivelab(&["image", "detach", text(&drive)]).with_code(0);
    assert!(!point.join("file").exists());
}

#[test]
fn an_image_that_was_deleted_is_detached_by_the_name_that_it_had() {
    if !devices::loops_can_be_made() {
        return;
    }
    let folder = folder();
    let (drive, other) = (folder.path().join("a drive.img"), folder.path().join("other.img"));
    image(&drive, 1);
    image(&other, 1);
    let node = |image: &Path| {
        let attached = drivelab(&["image", "attach", "--json", text(image)]).with_code(0).json();
        attached["attached"].as_str().expect("a node").to_owned()
    };
    let (gone, stays) = (node(&drive), node(&other));
    fs::remove_file(&drive).expect("an image");
    let detached = drivelab(&["image", "detach", "--json", text(&drive)]).with_code(0).json();
    assert_eq!(detached["detached"], json!([gone]));
    let is_shown = |node: &str| {
        let name = node.trim_start_matches("/dev/");
        Path::new("/sys/block").join(name).join("loop/backing_file").exists()
    };
    assert!(eventually(|| !is_shown(&gone)) && is_shown(&stays));
    drivelab(&["image", "detach", text(&drive)]).fails_in_one_line(2, &["not attached"]);
    drivelab(&["image", "detach", text(&other)]).with_code(0);
}

/// A Sun label and a BSD disklabel, as their systems write them.
#[test]
fn a_partition_table_of_another_kind_is_named() {
    let folder = folder();
    let drive = folder.path().join("drive.img");
    for (table, place, mark) in [("Sun", 508, &b"\xda\xbe"[..]), ("BSD", 512, b"\x57\x45\x56\x82")] {
        let mut bytes = vec![0; 1 << 20];
        bytes[place..place + mark.len()].copy_from_slice(mark);
        fs::write(&drive, bytes).expect("room");
        let listed = drivelab(&["image", "list", text(&drive)]).with_code(0).stdout;
        let words = format!("a partition table of a kind that is not opened ({table})");
        assert!(listed.contains(&words), "{listed}");
        let document = drivelab(&["image", "list", "--json", text(&drive)]).with_code(0).json();
        common::assert_fits(IMAGE_LIST, &document);
        assert_eq!((&document["other_table"], &document["partitions"]), (&json!(table), &json!(null)));
        let named = format!("{}:1", text(&drive));
        for asked in [&["image", "attach", &named][..], &["image", "attach", "--partitions", text(&drive)]] {
            drivelab(asked).fails_in_one_line(2, &["of a kind that is not opened", table]);
        }
    }
}

#[test]
fn an_empty_name_is_refused_and_a_line_end_in_one_is_no_line() {
    let folder = folder();
    let drive = folder.path().join("a\nb.img");
    image(&drive, 1);
    let listed = drivelab(&["image", "list", text(&drive)]).with_code(0).stdout;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(listed.contains("a\\nb.img: 1.0 MB"), "{listed}");
    drivelab(&["image", "attach", &format!("{}:1", text(&drive))])
        .fails_in_one_line(2, &["a\\nb.img has no partition table"]);
    for asked in [&["image", "attach", ""][..], &["image", "detach", ""], &["image", "mount", "", "x"]] {
        drivelab(asked).fails_in_the_parser(&["a value is required"]);
    }
}
