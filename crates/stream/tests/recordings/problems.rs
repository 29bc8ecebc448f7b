//! What a check says of blocks, frames and indexes: what is wrong, and what is missing by right.

use std::cell::Cell;

use crate::support::left::{Left, PLACE, header, known, superblock};
use crate::support::{BLOCK, Silent, folder, plan, run, synthetic};
use drivelab_stream::StreamError;
use drivelab_stream::layout::{
    ChannelEntry, Damage, FirstLast, FrameEntry, Index, IndexEntry, RunId, StreamFraming, StreamMode,
    Superblock,
};
use drivelab_stream::reader::{Chart, FrameReader, FrameSpot, Image, Problem, Recording, Wanted, check};

/// What may be missing of a log that was killed: what was being overwritten, and what was in flight at its end.
#[test]
fn what_is_missing_by_right_lies_before_and_behind_what_is_settled() {
    let left = Left::new(StreamMode::Cyclic, [Some(43), Some(39)]).written(24..51);
    let image = &left.0[..];
    let recording = Recording::open(&image).expect("a recording");
    let (start, end) = (recording.settled_start(), recording.settled_end());
    assert_eq!((start, end), (34, 48));
    let entry = FrameEntry::default();
    let spot = FrameSpot { channel: 0, entry, block: 40 };
    for (sequence, is_by_right) in [(start - 1, true), (start, false), (end - 1, false), (end, true)] {
        let block = Problem::Block { sequence, offset: 0, damage: Damage::Checksum };
        let missing = Problem::Missing { channel: 0, between: FirstLast::new(1, 3), before_block: sequence };
        let frame = Problem::Frame { spot, cut_at: Some(sequence) };
        for problem in [block, missing, frame] {
            assert_eq!(problem.is_by_right(&recording), is_by_right, "{problem:?} of {start} to {end}");
        }
        // An index was written before what was in flight behind it.
        let index = Problem::Index { sequence, is_last: false };
        assert_eq!(index.is_by_right(&recording), sequence < start, "{index:?} of {start} to {end}");
    }
}

/// A frame that the end of the log cuts off was under way, unless the log was closed: then its end was written, and is lost.
#[test]
fn a_frame_without_its_end_is_damage_only_where_a_closed_log_has_lost_its_end() {
    let cut = Problem::Frame {
        spot: FrameSpot { channel: 0, entry: FrameEntry::default(), block: 6 },
        cut_at: None,
    };
    for (is_closed, is_lost) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut left = Left::new(StreamMode::Linear, [Some(11), Some(7)]).written(0..12);
        left.name(&Superblock { is_closed, ..superblock(StreamMode::Linear, 2, Some(11)) });
        let left = if is_lost { left.spoiled([11]) } else { left };
        let image = &left.0[..];
        let recording = Recording::open(&image).expect("a recording");
        assert_eq!(recording.recovery.index_lost, is_lost);
        assert_eq!(
            cut.is_by_right(&recording),
            !(is_closed && is_lost),
            "closed {is_closed}, lost {is_lost}"
        );
    }
}

#[test]
fn each_problem_is_told_with_its_channel_and_place() {
    let superblock = superblock(StreamMode::Linear, 1, None);
    let entry = FrameEntry { sequence: 77, ..FrameEntry::default() };
    let spot = FrameSpot { channel: 0, entry, block: 40 };
    let missing =
        |channel: u16| Problem::Missing { channel, between: FirstLast::new(5, 8), before_block: 14 };
    for (problem, words) in [
        (missing(0), "camera: 2 of its blocks are missing before block 14 of the log"),
        (missing(3), "channel 3: 2 of its blocks are missing before block 14 of the log"),
        (
            Problem::Frame { spot, cut_at: None },
            "camera: frame 77 begins in block 40 of the log, and the rest",
        ),
        (
            Problem::Index { sequence: 9, is_last: true },
            "block 9 of the log, an index that the superblock names",
        ),
        (Problem::Index { sequence: 9, is_last: false }, "block 9 of the log, an index, is not there"),
        (
            Problem::Block { sequence: 2, offset: 196_608, damage: Damage::Unreadable },
            "block 2 of the log, at byte 196608 of the target: the drive cannot read it",
        ),
    ] {
        let told = problem.words(&superblock);
        assert!(told.starts_with(words), "{told}");
    }
    assert_eq!(RunId([0xa5; 16]).to_string(), "a5".repeat(16));
}

/// A check counts what it has proved, and a damaged block is none of it.
#[test]
fn a_check_counts_frames_bytes_and_blocks() {
    let left = Left::new(StreamMode::Linear, [Some(11), Some(7)]).written(0..12);
    let counted = |image: &[u8]| {
        let recording = Recording::open(&image).expect("a recording");
        let chart = Chart::read(&recording);
        let checked = check(&recording, &chart).expect("an image in memory");
        (checked.frames, checked.bytes, checked.blocks, checked.problems.len())
    };
    assert_eq!(counted(&left.0), (vec![9], vec![72], 9, 0));
    let mut spoiled = left;
    spoiled.place(5)[4_097] ^= 1;
    assert_eq!(counted(&spoiled.0), (vec![8], vec![64], 8, 1));
}

/// A channel that the recording does not have, said by an index or by a block itself.
#[test]
fn a_block_of_a_channel_that_there_is_none_of_is_damage() {
    let mut left = Left::new(StreamMode::Linear, [Some(7), Some(3)]).written(0..15);
    let mut foreign = header(9);
    foreign.channel = 1;
    foreign.encode(left.place(9));
    let mut entries: Vec<IndexEntry> = (0..3).map(|told| IndexEntry::from_header(&header(told))).collect();
    entries[1].channel = 1;
    Index { run: RunId([5; 16]), sequence: 3, previous: None, entries }.encode(left.place(3));
    let image = &left.0[..];
    let recording = Recording::open(&image).expect("a recording");
    assert_eq!(known(&recording), [0, 2, 4, 5, 6, 8, 10, 12, 13, 14]);
    let checked = check(&recording, &Chart::read(&recording)).expect("in memory");
    let damage = Damage::Impossible("a block of no channel");
    assert!(
        checked.problems.contains(&Problem::Block { sequence: 9, offset: 10 * 65_536, damage }),
        "{checked:?}"
    );
}

/// An index says that a block is of one channel, and the block is whole and of another: its frames are given out as neither's.
#[test]
fn a_block_of_another_channel_than_its_index_says_is_damage() {
    let mut left = Left::new(StreamMode::Linear, [Some(3), None]).written(0..4);
    let mut two = superblock(StreamMode::Linear, 2, Some(3));
    two.channels.push(ChannelEntry { name: "other".to_owned(), framing: StreamFraming::Length });
    left.name(&two);
    let mut entries: Vec<IndexEntry> = (0..3).map(|told| IndexEntry::from_header(&header(told))).collect();
    entries[1].channel = 1;
    Index { run: RunId([5; 16]), sequence: 3, previous: None, entries }.encode(left.place(3));
    let image = &left.0[..];
    let recording = Recording::open(&image).expect("a recording");
    let checked = check(&recording, &Chart::read(&recording)).expect("in memory");
    assert_eq!(checked.frames, [2, 0]);
    let damage = Damage::Impossible("a block of another channel");
    assert!(
        checked.problems.contains(&Problem::Block { sequence: 1, offset: 2 * 65_536, damage }),
        "{checked:?}"
    );
}

/// Counts what is read of an image.
struct Counted<'a> {
    image: &'a [u8],
    reads: Cell<usize>,
}

impl Image for Counted<'_> {
    fn read_at(&self, offset: u64, target: &mut [u8]) -> std::io::Result<usize> {
        self.reads.set(self.reads.get() + 1);
        self.image.read_at(offset, target)
    }

    fn length(&self) -> u64 {
        self.image.len() as u64
    }
}

/// To find one frame on a full drive, only the blocks that it lies in are read.
#[test]
fn one_frame_costs_its_blocks_and_no_others() {
    let folder = folder();
    let path = folder.path().join("target");
    run(
        &path,
        200 * BLOCK,
        &plan(synthetic(&[(150_000, 400_000)]), StreamMode::Linear, 8_000_000),
        &mut Silent,
    );
    let held = std::fs::read(&path).expect("the target");
    let image = Counted { image: &held, reads: Cell::new(0) };
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::read(&recording);
    let mut reader = FrameReader::new(&recording, &chart, 0);
    let mut spots = Vec::new();
    let mut list = |spot: FrameSpot| {
        spots.push(spot);
        Ok::<(), StreamError>(())
    };
    reader.spots(Wanted::ALL, &mut list).expect("an image in memory");
    for spot in &spots {
        let number = spot.entry.sequence;
        let wanted = Wanted { sequences: FirstLast::new(number, number), ..Wanted::ALL };
        let blocks = usize::try_from(spot.entry.end()).expect("small").div_ceil(PLACE - 4096);
        let mut given = Vec::new();
        image.reads.set(0);
        let mut one = |spot: FrameSpot| {
            given.push(spot);
            Ok::<(), StreamError>(())
        };
        reader.spots(wanted, &mut one).expect("an image in memory");
        assert_eq!((&given[..], image.reads.get()), (&[*spot][..], blocks), "{spot:?}");
        image.reads.set(0);
        let mut bytes = 0;
        let mut found = |frame: drivelab_stream::reader::Frame<'_>| {
            bytes += frame.bytes.len();
            Ok(())
        };
        reader.frames(wanted, &mut found, &mut |broken| panic!("{broken:?}")).expect("an image in memory");
        assert_eq!((bytes, image.reads.get()), (spot.entry.length as usize, blocks), "{spot:?}");
    }
}
