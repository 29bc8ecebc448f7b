//! What a target holds at any moment of a recording is enough to find every frame that was reported as kept.

use std::collections::BTreeMap;

use crate::support::watched::{Log, Watched, begins};
use crate::support::{
    BLOCK, Draws, Silent, Snapshots, assert_recovers, folder, plan, proved_frames, run, run_through,
    synthetic,
};
use drivelab_stream::layout::StreamMode;

/// Frames from a fraction of a block to several blocks.
const LENGTHS: [(u32, u32); 3] = [(100, 9_000), (40_000, 90_000), (150_000, 400_000)];

fn snapshots(shape: StreamMode, durable: bool, bytes: u64) {
    let folder = folder();
    let path = folder.path().join("target");
    let mut plan = plan(synthetic(&LENGTHS), shape, bytes);
    plan.durable = durable;
    let mut seen =
        Snapshots { path: path.clone(), kept: vec![None; 3], taken: Vec::new(), draws: Draws(1), one_of: 6 };
    let log = Log::default();
    let outcome = run_through(Watched::around(&log, None), &path, 200 * BLOCK, &plan, &mut seen);
    let begins = begins(&log.take());
    // How often something becomes kept is the machine's affair; that it was looked at is the test's.
    assert!(!seen.taken.is_empty(), "nothing was looked at");
    for snapshot in &seen.taken {
        assert_recovers(&snapshot.image, &snapshot.kept, &begins, shape);
    }
    let image = std::fs::read(&path).expect("the target");
    let kept: Vec<_> = outcome.channels.iter().map(|channel| channel.at_end.kept.last).collect();
    assert_eq!(seen.kept, kept, "everything was reported in the end");
    assert_recovers(&image, &kept, &begins, shape);
}

#[test]
fn a_linear_recording_recovers_from_every_moment() {
    snapshots(StreamMode::Linear, false, 10_000_000);
}

#[test]
fn a_cyclic_recording_recovers_from_every_moment() {
    snapshots(StreamMode::Cyclic, false, 60_000_000);
}

#[test]
fn a_durable_recording_recovers_from_every_moment() {
    snapshots(StreamMode::Cyclic, true, 40_000_000);
}

/// Whatever is left behind the last index but one: the last place of a log is an index's.
#[test]
fn a_full_target_keeps_what_it_says() {
    let folder = folder();
    for blocks in 60..80 {
        let path = folder.path().join(blocks.to_string());
        let lengths = [(100, 9_000), (20_000, 200_000)];
        let outcome =
            run(&path, blocks * BLOCK, &plan(synthetic(&lengths), StreamMode::Linear, 1 << 40), &mut Silent);
        assert!(matches!(outcome.end, drivelab_stream::End::Full), "{:?}", outcome.end);
        let image = std::fs::read(&path).expect("the target");
        let image = &image[..];
        let recording = drivelab_stream::reader::Recording::open(&image).expect("a recording");
        assert!(recording.superblock.is_closed);
        assert_eq!(recording.blocks(), 0..blocks - 2, "to the last block between the superblocks");
        let (names, _) = proved_frames(&recording);
        for (channel, outcome) in outcome.channels.iter().enumerate() {
            assert_eq!(
                names.iter().filter(|name| name.0 == channel).count() as u64,
                outcome.at_end.kept.frames
            );
        }
        let kept: Vec<_> = outcome.channels.iter().map(|channel| channel.at_end.kept.last).collect();
        assert_recovers(image, &kept, &BTreeMap::new(), StreamMode::Linear);
    }
}

#[test]
fn payload_goes_from_where_it_was_read_to_the_kernel_without_a_copy() {
    let folder = folder();
    let path = folder.path().join("target");
    let outcome =
        run(&path, 200 * BLOCK, &plan(synthetic(&LENGTHS), StreamMode::Cyclic, 30_000_000), &mut Silent);
    let placed: u64 = outcome.channels.iter().map(|channel| channel.tally.placed_bytes).sum();
    let kept: u64 = outcome.channels.iter().map(|channel| channel.at_end.kept.bytes).sum();
    assert_eq!((placed, outcome.figures.payload_bytes), (kept, kept));
    let refused = outcome.obtained.refusals();
    assert!(!(refused.is_empty() && outcome.obtained.features().is_empty()), "the kernel was asked for some");
    if refused.iter().all(|(feature, _)| *feature != "buffers") {
        assert!(outcome.figures.fixed_bytes > kept, "all of it out of registered memory");
    }
}

/// The files of the way of a frame between a source and the kernel may not even name what copies bytes.
#[test]
fn nothing_on_a_frames_way_copies_bytes() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let way = [
        "ring/filler.rs",
        "ring/pool.rs",
        "source/lengths.rs",
        "source/pictures.rs",
        "source/station.rs",
        "source/synthetic.rs",
        "writer/mod.rs",
        "record.rs",
    ];
    let copies = [
        "copy_from_slice",
        "clone_from_slice",
        "extend_from_slice",
        "copy_within",
        "to_vec",
        "to_owned()",
        "ptr::copy",
        "write_all",
        ".concat()",
    ];
    for file in way {
        let text = std::fs::read_to_string(root.join(file)).expect("a source");
        for word in copies {
            assert!(!text.contains(word), "{file} has {word}");
        }
    }
}
