//! A target that is read through what was opened: what lies there, as far as it goes.

use drivelab_safety::{System, Target, open_for_reading};
use drivelab_stream::reader::{Image, TargetImage};
use tempfile::TempDir;

const MIB: usize = 1 << 20;

/// Reads are cut into pieces of a MiB; what is asked for begins at a multiple of a block and may end anywhere.
#[test]
fn a_target_gives_what_lies_in_it_whatever_the_length_of_a_read_and_nothing_behind_its_end() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("target");
    let held: Vec<u8> = (0..3 * MIB + 1_000)
        .map(|at| u8::try_from((at ^ at >> 9 ^ at >> 17) % 251).expect("a byte"))
        .collect();
    std::fs::write(&path, &held).expect("room");
    let system = System::live();
    let target = Target::resolve(&system, &path).expect("a file");
    let image = TargetImage::new(open_for_reading(&system, &target).expect("a file")).expect("memory");
    // Whole blocks alone, which are longer on some file systems than on others.
    assert!((3 << 20..=3 << 20 | 512).contains(&image.length()), "{}", image.length());
    for (offset, length) in [
        (0, 10),
        (0, 4_096),
        (8_192, MIB),
        (4_096, 2 * MIB + 5_000),
        (2 * MIB, MIB),
        (2 * MIB, 2 * MIB),
        (MIB + 4_096, 2 * MIB),
        (3 * MIB, 4_096),
        (4 * MIB, 4_096),
        (4 * MIB, 2 * MIB),
    ] {
        let mut read = vec![255; length];
        let count = image.read_at(offset as u64, &mut read).expect("a file that can be read");
        let there = &held[offset.min(held.len())..(offset + length).min(held.len())];
        assert_eq!(count, there.len(), "{length} bytes at {offset}");
        assert!(read[..count] == *there, "{length} bytes at {offset}");
        assert!(read[count..].iter().all(|byte| *byte == 255), "{length} bytes at {offset}");
    }
    // A damaged superblock may name a place that no file can have.
    let count = image.read_at(1 << 63, &mut [0; 4_096]).expect("nothing lies there");
    assert_eq!(count, 0);
}
