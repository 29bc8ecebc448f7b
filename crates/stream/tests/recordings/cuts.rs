//! Images that were cut off, torn or damaged: what is whole comes out, what is not is told, and nothing wrong ever does.

use std::collections::BTreeSet;

use crate::support::{
    BLOCK, Draws, Name, PLACE, Silent, Snapshots, folder, plan, proved_frames, run, synthetic,
};
use drivelab_stream::StreamError;
use drivelab_stream::layout::{Index, StreamMode, Superblock};
use drivelab_stream::reader::{Chart, FrameReader, Image, Problem, Recording, Wanted, check};

const LENGTHS: [(u32, u32); 3] = [(100, 9_000), (40_000, 90_000), (150_000, 400_000)];

fn count() -> usize {
    std::env::var("DRIVELAB_CUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

/// An image that was closed, or else left in the middle.
fn image(shape: StreamMode, is_closed: bool) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("target");
    let plan =
        plan(synthetic(&LENGTHS), shape, if shape == StreamMode::Linear { 9_000_000 } else { 25_000_000 });
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
    let chart = Chart::read(&recording);
    let payload = u64::from(recording.superblock.payload_bytes());
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
            let places = own[first..last].iter().map(|block| recording.superblock.offset(*block));
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
    let chart = Chart::read(&recording);
    let checked = check(&recording, &chart).expect("an image in memory");
    if let Some((name, _)) = needs.iter().find(|(name, _)| !given.contains(name)) {
        let is_told = !(checked.problems.is_empty() && checked.unfinished.is_empty());
        assert!(is_told || recording.cut_at().is_some(), "{what}: {name:?} is lost, and nothing says so");
    }
}

#[test]
fn an_image_that_is_cut_off_gives_what_lies_before_the_cut() {
    for (shape, is_closed) in [
        (StreamMode::Linear, true),
        (StreamMode::Linear, false),
        (StreamMode::Cyclic, true),
        (StreamMode::Cyclic, false),
    ] {
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
    let image = image(StreamMode::Linear, true);
    let image = &image[..];
    let whole = Recording::open(&image).expect("a recording");
    let end = usize::try_from(whole.superblock.offset(whole.blocks().end - 1)).expect("small");
    let cut = &image[..end];
    let cut = Recording::open(&cut).expect("a recording");
    let checked = check(&cut, &Chart::read(&cut)).expect("in memory");
    assert!(!checked.problems.is_empty());
}

/// A frame that was kept and whose blocks are damaged was not under way, however near to the end it lies.
#[test]
fn damage_at_the_end_of_a_closed_recording_is_damage() {
    let mut image = image(StreamMode::Linear, true);
    let needs = needs(&image);
    let (name, places) = needs.iter().rev().find(|(_, places)| places.len() > 2).expect("a long frame");
    let last = usize::try_from(*places.last().expect("blocks")).expect("small");
    let end = image.len() - 4096;
    image[last..end].fill(0);
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    let checked = check(&recording, &Chart::read(&recording)).expect("in memory");
    assert_eq!(checked.unfinished, [], "{name:?}");
    let is_told = |problem: &Problem| {
        let Problem::Frame { spot, .. } = problem else { return false };
        (usize::from(spot.channel), spot.entry.sequence) == *name
    };
    assert!(checked.problems.iter().any(is_told), "{name:?} in {:?}", checked.problems);
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
    for (shape, is_closed) in
        [(StreamMode::Linear, false), (StreamMode::Cyclic, true), (StreamMode::Cyclic, false)]
    {
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
    let mut image = image(StreamMode::Linear, true);
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
        let image = image(StreamMode::Linear, is_closed);
        let needs = needs(&image);
        for superblock in [0, image.len() - 4096] {
            let mut spoiled = image.clone();
            spoiled[superblock + 100] ^= 1;
            assert_gives(&spoiled, &needs, |_| true, "one superblock");
            assert!(Recording::open(&&spoiled[..]).expect("a recording").recovery.superblock_lost);
        }
    }
}

#[test]
fn what_is_listed_is_what_is_proved() {
    let image = image(StreamMode::Linear, true);
    let mut under_way = 0;
    for blocks in 40..60 {
        let cut = &image[..blocks * PLACE];
        let recording = Recording::open(&cut).expect("a recording");
        let chart = Chart::read(&recording);
        let (proved, _) = proved_frames(&recording);
        let mut listed = Vec::new();
        for channel in 0..LENGTHS.len() {
            let reader = FrameReader::new(&recording, &chart, u16::try_from(channel).expect("few"));
            let mut list = |spot: drivelab_stream::reader::FrameSpot| {
                listed.push((channel, spot.entry.sequence));
                Ok::<(), StreamError>(())
            };
            reader.spots(Wanted::ALL, &mut list).expect("in memory");
            under_way += usize::from(reader.under_way().is_some());
        }
        assert_eq!(listed, proved, "cut behind {blocks} places");
    }
    // How the blocks of the channels lie depends on when their threads run.
    assert!(under_way > 10, "frames of two channels are longer than a block: {under_way}");
}

#[test]
fn an_index_that_is_gone_is_told_and_hides_no_frame() {
    let mut image = image(StreamMode::Linear, true);
    let needs = needs(&image);
    let index =
        (1..image.len() / PLACE).find(|place| Index::is_one(&image[place * PLACE..])).expect("an index");
    image[index * PLACE..][..PLACE].fill(0);
    assert_gives(&image, &needs, |_| true, "an index less");
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    let checked = check(&recording, &Chart::read(&recording)).expect("in memory");
    let sequence = index as u64 - 1;
    assert_eq!(checked.problems, [Problem::Index { sequence, is_last: false }]);
}

/// A drive with a bad spot.
struct Failing<'a> {
    image: &'a [u8],
    bad: std::ops::Range<u64>,
}

impl Image for Failing<'_> {
    fn read_at(&self, offset: u64, target: &mut [u8]) -> std::io::Result<usize> {
        if offset < self.bad.end && offset + target.len() as u64 > self.bad.start {
            return Err(std::io::Error::from_raw_os_error(5));
        }
        self.image.read_at(offset, target)
    }

    fn length(&self) -> u64 {
        self.image.len() as u64
    }
}

#[test]
fn what_the_drive_cannot_read_costs_what_lies_there_and_no_more() {
    let image = image(StreamMode::Linear, true);
    let needs = needs(&image);
    let last = image.len() as u64 - 4096;
    let index =
        (1..image.len() / PLACE).find(|place| Index::is_one(&image[place * PLACE..])).expect("an index");
    for at in [0, last, 5 * BLOCK, 7 * BLOCK + 9000, index as u64 * BLOCK] {
        let failing = Failing { image: &image, bad: at..at + 512 };
        let recording = Recording::open(&failing).expect("a superblock can be read");
        let given: BTreeSet<Name> = proved_frames(&recording).0.into_iter().collect();
        for (name, _) in needs.iter().filter(|(_, places)| !places.contains(&(at - at % BLOCK))) {
            assert!(given.contains(name), "{name:?} with a bad sector at {at}");
        }
        let checked = check(&recording, &Chart::read(&recording)).expect("told");
        assert!(!checked.problems.is_empty() || recording.recovery.superblock_lost, "at {at}");
    }
}

#[test]
fn the_index_before_the_last_one_spares_a_look_at_the_whole_log() {
    let image = image(StreamMode::Linear, false);
    let whole = &image[..];
    let whole = Recording::open(&whole).expect("a recording");
    let last = whole.superblock.last_index.expect("indexes were written");
    let mut spoiled = image.clone();
    spoiled[usize::try_from(whole.superblock.offset(last)).expect("small")..][..4096].fill(0);
    let spoiled = &spoiled[..];
    let recording = Recording::open(&spoiled).expect("a recording");
    let interval = u64::from(recording.superblock.index_interval);
    assert!(recording.recovery.index_lost && recording.recovery.blocks_read <= 2 * interval + 2);
    assert_eq!(proved_frames(&recording).0, proved_frames(&whole).0);
}

#[test]
fn a_log_that_claims_more_than_its_image_has_costs_no_more_than_that() {
    let mut image = image(StreamMode::Cyclic, false);
    for (at, last_index) in [(0, None), (image.len() - 4096, Some(1 << 42))] {
        let found = Superblock::decode(&image[at..]).expect("whole");
        let generation = if last_index.is_some() { 1 << 40 } else { found.generation };
        let claim = Superblock { log_blocks: 1 << 43, last_index, generation, ..found };
        claim.encode(&mut image[at..]);
    }
    let image = &image[..];
    let recording = Recording::open(&image).expect("a superblock");
    check(&recording, &Chart::read(&recording)).expect("in memory");
    assert!(recording.recovery.blocks_read <= 200, "{:?}", recording.recovery);
}

#[test]
fn a_damaged_frame_is_told_by_its_block() {
    let mut image = image(StreamMode::Linear, true);
    image[3 * PLACE + 4096 + 10] ^= 0x10;
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    let (_, breaks) = proved_frames(&recording);
    let is_told = breaks.iter().any(|one| matches!(one, Problem::Block { sequence: 2, .. }));
    assert!(is_told, "{breaks:?}");
    let checked = check(&recording, &Chart::read(&recording)).expect("in memory");
    let words: Vec<String> =
        checked.problems.iter().map(|problem| problem.words(&recording.superblock)).collect();
    assert!(words.iter().any(|line| line.contains("block 2 of the log, at byte 196608")), "{words:?}");
}
