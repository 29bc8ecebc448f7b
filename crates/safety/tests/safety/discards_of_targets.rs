//! Whether a target takes discards, asked of real devices and file systems.

use crate::support::{Loop, Mount, devices_can_be_made, resolve};

#[test]
fn a_drive_that_takes_no_discards_and_a_file_that_can_have_no_holes_are_told_beforehand() {
    if !devices_can_be_made() {
        return;
    }
    // The image of the second lies in ramfs, which punches no holes; tmpfs does.
    let (with, without) = (Loop::of_zeros(16), Loop::without_discards(16));
    let tmpfs = Mount::tmpfs("16M");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    for (path, expected) in [
        (with.node.clone(), None),
        (without.node.clone(), Some("the kernel passes none on to it: its queue/discard_max_bytes is 0")),
        (without.image.with_file_name("file.bin"), Some("its file system punches no holes in files")),
        (tmpfs.point.join("file.bin"), None),
        (folder.path().join("file.bin"), None),
    ] {
        assert_eq!(resolve(&path).no_discards(), expected, "{}", path.display());
    }
}
