//! What real devices hold: signatures and bytes that only their own flag gives up.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

use crate::support::{
    self, Loop, claim, devices_can_be_made, has, has_reason, partition_in_two, refused, run,
};
use drivelab_safety::{Flag, Reason, Refusal};

fn holds(refusal: &Refusal, kind: &str) -> bool {
    has_reason(refusal, |reason| matches!(reason, Reason::HoldsSignature(found) if found.kind == kind))
}

#[test]
fn every_kind_of_signature_needs_its_own_flag() {
    if !devices_can_be_made() {
        return;
    }
    let makers: [(&str, &[&str], &str); 5] = [
        ("mkfs.ext4", &["-q"], "ext4"),
        ("mkfs.xfs", &["-q", "-f"], "xfs"),
        ("mkfs.btrfs", &["-q"], "btrfs"),
        ("mkswap", &[], "swap"),
        ("mkfs.vfat", &[], "vfat"),
    ];
    for (maker, arguments, kind) in makers {
        if !has(maker) {
            support::skipped(&format!("{maker} is not installed"));
            continue;
        }
        let drive = Loop::of_zeros(400);
        run(maker, &[arguments, &[drive.text()]].concat());
        let before = drive.checksum();
        let refusal = refused(claim(&drive.node, Some(&drive.name()), false));
        assert!(holds(&refusal, kind), "{kind}");
        assert_eq!(refusal.lifted_by(), Some(vec![Flag::DestroyData]));
        assert_eq!(drive.checksum(), before, "{kind}");
        claim(&drive.node, Some(&drive.name()), true).expect(kind);
        assert_eq!(drive.checksum(), before, "a claim alone writes nothing");
    }
}

#[test]
fn a_partition_table_and_what_its_partitions_hold_are_both_told() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::with(64, &[], partition_in_two);
    let [_, second] = drive.partitions();
    run("mkfs.ext4", &["-q", second.to_str().expect("a plain path")]);
    let refusal = refused(claim(&drive.node, Some(&drive.name()), false));
    assert!(holds(&refusal, "dos") && holds(&refusal, "ext4"));
    assert_eq!(refusal.lifted_by(), Some(vec![Flag::DestroyData]));
    claim(&drive.node, Some(&drive.name()), true).expect("nothing of it is in use");
}

#[test]
fn data_without_any_signature_is_found_at_the_start_the_end_and_in_between() {
    if !devices_can_be_made() {
        return;
    }
    let size = 64_u64 << 20;
    for offset in [0, 700_000, size - 1] {
        let drive = Loop::with(64, &[], |image| {
            let file = File::options().write(true).open(image).expect("the image");
            file.write_all_at(&[7], offset).expect("one byte");
        });
        let refusal = refused(claim(&drive.node, Some(&drive.name()), false));
        assert!(has_reason(
            &refusal,
            |reason| matches!(reason, Reason::HoldsBytes { at, .. } if at.get() == offset)
        ));
    }
    let full_middle = Loop::with(64, &[], |image| {
        let file = File::options().write(true).open(image).expect("the image");
        file.write_all_at(&vec![7; 16 << 20], 20 << 20).expect("a quarter of it");
    });
    let refusal = refused(claim(&full_middle.node, Some(&full_middle.name()), false));
    assert!(has_reason(&refusal, |reason| matches!(reason, Reason::HoldsBytes { .. })));
}

#[test]
fn a_drive_of_large_blocks_is_looked_at_and_addressed_in_them() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::with(64, &["--sector-size=4096"], |_| {});
    let grant = claim(&drive.node, Some(&drive.name()), false).expect("an empty drive");
    assert_eq!(grant.geometry().logical_block, 4096);
    assert!(grant.direct());
}

#[test]
fn what_was_released_for_a_file_system_is_taken_back_with_it() {
    if !devices_can_be_made() {
        return;
    }
    let drive = Loop::of_zeros(64);
    let grant = claim(&drive.node, Some(&drive.name()), false).expect("an empty drive");
    let released = grant.release();
    released.verify(&[]).expect("nobody has it");
    run("mkfs.ext4", &["-q", drive.text()]);
    let mount = support::Mount::new(&drive.node);
    released.verify(std::slice::from_ref(&mount.point)).expect("mounted by the run itself");
    let stranger = released.verify(&[]).expect_err("mounted by somebody else");
    assert!(stranger.to_string().contains("is mounted at"));
    File::create(mount.point.join("file")).and_then(|mut file| file.write_all(b"x")).expect("a file");
    drop(mount);
    let grant = released.retake().expect("unmounted again");
    grant.verify_again().expect("claimed again");
}

#[test]
fn a_link_that_is_turned_to_another_drive_leads_nowhere() {
    if !devices_can_be_made() {
        return;
    }
    let (drive, other) = (Loop::of_zeros(64), Loop::of_zeros(64));
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("by-id");
    std::os::unix::fs::symlink(&drive.node, &link).expect("a link");
    let released = claim(&link, Some(&drive.name()), false).expect("an empty drive").release();
    std::fs::remove_file(&link)
        .and_then(|()| std::os::unix::fs::symlink(&other.node, &link))
        .expect("a link");
    assert_eq!(released.path(), drive.node);
    released.verify(&[]).expect("it is there as before");
    assert_eq!(released.retake().expect("unused").path(), drive.node);

    let node = folder.path().join("node");
    devices_node(&drive, &node).expect("a node");
    let released = claim(&node, Some(&drive.name()), false).expect("an empty drive").release();
    std::fs::remove_file(&node).expect("it is there");
    devices_node(&other, &node).expect("a node");
    let refusal = released.verify(&[]).expect_err("the node is another drive's");
    assert!(refusal.to_string().contains("its node"), "{refusal}");
}

/// Makes a node of the drive at `path`.
fn devices_node(drive: &Loop, path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let number = std::fs::metadata(&drive.node)?.rdev();
    let kind = rustix::fs::FileType::BlockDevice;
    Ok(rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        kind,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        number,
    )?)
}
