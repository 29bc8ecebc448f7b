//! Images that were cut off, torn or damaged: what is whole comes out, what is not is told, and nothing wrong ever does.

mod support;

use std::collections::BTreeSet;

use drivelab_stream::StreamError;
use drivelab_stream::layout::Shape;
use drivelab_stream::reader::{Break, Chart, FrameReader, Recording, Wanted, check};
use support::{BLOCK, Draws, Name, PLACE, Silent, Snapshots, folder, plan, proved_frames, run, synthetic};

const LENGTHS: [(u32, u32); 3] = [(100, 9_000), (40_000, 90_000), (150_000, 400_000)];

fn count() -> usize {
    std::env::var("DRIVELAB_CUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

/// An image that was closed, or else left in the middle.
fn image(shape: Shape, is_closed: bool) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("target");
    let plan = plan(synthetic(&LENGTHS), shape, if shape == Shape::Linear { 9_000_000 } else { 25_000_000 });
    if is_closed {
        run(&path, 160 * BLOCK, &plan, &mut Silent);
        return std::fs::read(&path).expect("the target");
    }
    let mut seen =
        Snapshots { path: path.clone(), kept: vec![None; 3], taken: Vec::new(), draws: Draws(9), one_of: 9 };
    run(&path, 160 * BLOCK, &plan, &mut seen);
    seen.taken.pop().expect("a look").image
}

/// Every frame of an image with the bytes of the image that it needs: the places of its blocks.
fn needs(image: &[u8]) -> Vec<(Name, Vec<u64>)> {
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::of(&recording).expect("an image in memory");
    let payload = u64::from(recording.superblock().payload_bytes());
    let mut needs = Vec::new();
    let (whole, _) = proved_frames(&recording);
    let whole: BTreeSet<Name> = whole.into_iter().collect();
    for channel in 0..LENGTHS.len() {
        let number = u16::try_from(channel).expect("few channels");
        let own: Vec<u64> = chart
            .places
            .iter()
            .filter(|place| place.entry.channel == number)
            .map(|place| place.sequence)
            .collect();
        let mut spot = |spot: drivelab_stream::reader::FrameSpot| {
            let first = own.iter().position(|block| *block == spot.block).expect("its block");
            let blocks = spot.entry.end().div_ceil(payload).max(1);
            let last = (first + usize::try_from(blocks).expect("few")).min(own.len());
            let places = own[first..last].iter().map(|block| recording.superblock().offset(*block));
            if whole.contains(&(channel, spot.entry.sequence)) {
                needs.push(((channel, spot.entry.sequence), places.collect()));
            }
            Ok::<(), StreamError>(())
        };
        FrameReader::new(&recording, &chart, number)
            .spots(Wanted::ALL, &mut spot)
            .expect("an image in memory");
    }
    assert_eq!(needs.len(), whole.len());
    needs
}

/// Expects of a damaged image that exactly those frames come out which `is_whole` says are untouched, or more.
#[track_caller]
fn assert_gives(image: &[u8], needs: &[(Name, Vec<u64>)], is_whole: impl Fn(u64) -> bool, what: &str) {
    let recording = Recording::open(&image).expect("a superblock is whole");
    let (names, _) = proved_frames(&recording);
    let given: BTreeSet<Name> = names.iter().copied().collect();
    assert_eq!(given.len(), names.len(), "{what}: no frame twice");
    for (name, places) in needs {
        if places.iter().all(|place| is_whole(*place)) {
            assert!(given.contains(name), "{what}: {name:?} at {places:?}");
        }
    }
    let chart = Chart::of(&recording).expect("an image in memory");
    check(&recording, &chart).expect("an image in memory");
}

#[test]
fn an_image_that_is_cut_off_gives_what_lies_before_the_cut() {
    for (shape, is_closed) in
        [(Shape::Linear, true), (Shape::Linear, false), (Shape::Cyclic, true), (Shape::Cyclic, false)]
    {
        let image = image(shape, is_closed);
        let needs = needs(&image);
        let mut draws = Draws(3);
        let edges = [4096, 4097, 32 << 10, (36 << 10) - 1, 36 << 10, PLACE + 4096];
        for cut in (0..count()).map(|_| draws.below(image.len())).chain(edges) {
            if cut < 4096 {
                assert!(Recording::open(&&image[..cut]).is_err());
                continue;
            }
            let what = format!("{shape:?}, closed {is_closed}, cut at {cut}");
            assert_gives(&image[..cut], &needs, |place| place + BLOCK <= cut as u64, &what);
        }
    }
}

#[test]
fn a_closed_image_that_lost_its_end_fails_its_check() {
    let image = image(Shape::Linear, true);
    let image = &image[..];
    let whole = Recording::open(&image).expect("a recording");
    let end = usize::try_from(whole.superblock().offset(whole.blocks().end - 1)).expect("small");
    let cut = &image[..end];
    let cut = Recording::open(&cut).expect("a recording");
    let checked = check(&cut, &Chart::of(&cut).expect("in memory")).expect("in memory");
    assert!(!checked.problems.is_empty());
}

/// Ways to spoil some bytes of a block.
fn spoil(image: &mut [u8], old: &[u8], at: usize, length: usize, way: usize, draws: &mut Draws) {
    match way {
        0 => image[at..at + length].fill(0),
        1 => image[at..at + length].copy_from_slice(&old[at..at + length]),
        2 => image[at + draws.below(length)] ^= 1 << draws.below(8),
        _ => {
            let other = PLACE * (1 + draws.below(image.len() / PLACE - 1));
            let block = at - at % PLACE;
            image.copy_within(other..other + PLACE, block);
        }
    }
}

#[test]
fn torn_flipped_stale_and_misplaced_blocks_are_found_and_hurt_nothing_else() {
    for (shape, is_closed) in [(Shape::Linear, false), (Shape::Cyclic, true), (Shape::Cyclic, false)] {
        let (image, old) = (image(shape, is_closed), image_of_another_run());
        let needs = needs(&image);
        let mut draws = Draws(17);
        for round in 0..count() {
            let mut spoiled = image.clone();
            let mut touched = BTreeSet::new();
            for _ in 0..=draws.below(5) {
                let block = 1 + draws.below(image.len() / PLACE - 1);
                let start = draws.below(PLACE - 1);
                let length = 1 + draws.below(PLACE - start);
                let at = block * PLACE + start;
                spoil(&mut spoiled, &old, at, length, draws.below(4), &mut draws);
                touched.insert(block as u64 * BLOCK);
            }
            let what = format!("{shape:?}, closed {is_closed}, round {round}");
            assert_gives(&spoiled, &needs, |place| !touched.contains(&place), &what);
        }
    }
}

/// What an earlier recording, of the same channels, left on the same target.
fn image_of_another_run() -> Vec<u8> {
    let mut image = image(Shape::Linear, true);
    // Its run is another: what is left of it is never taken for this one's.
    for block in image.chunks_exact_mut(PLACE) {
        if let Ok(mut header) = drivelab_stream::layout::BlockHeader::parse(block) {
            header.run.0 = [6; 16];
            header.encode(block);
        }
    }
    image
}

#[test]
fn either_superblock_is_enough() {
    for is_closed in [true, false] {
        let image = image(Shape::Linear, is_closed);
        let needs = needs(&image);
        for superblock in [0, 32 << 10] {
            let mut spoiled = image.clone();
            spoiled[superblock + 100] ^= 1;
            assert_gives(&spoiled, &needs, |_| true, "one superblock");
            assert!(Recording::open(&&spoiled[..]).expect("a recording").recovery().superblock_lost);
        }
    }
}

#[test]
fn a_damaged_frame_is_told_by_its_block() {
    let mut image = image(Shape::Linear, true);
    image[3 * PLACE + 4096 + 10] ^= 0x10;
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    let (_, breaks) = proved_frames(&recording);
    let is_told = breaks.iter().any(|one| matches!(one, Break::Block { sequence: 2, .. }));
    assert!(is_told, "{breaks:?}");
    let checked = check(&recording, &Chart::of(&recording).expect("in memory")).expect("in memory");
    let words: Vec<String> = checked.problems.iter().map(ToString::to_string).collect();
    assert!(words.iter().any(|line| line.contains("block 2 of the log, at byte 196608")), "{words:?}");
}
