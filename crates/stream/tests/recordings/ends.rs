//! Logs that were left at any place, put together block by block: where a reader finds their end, against what their writer
//! had done.

use std::cell::RefCell;

use crate::support::left::{
    BLOCK, INTERVAL, Left, PLACE, PLACES, REACH, WINDOW, header, known, of_frames, superblock,
};
use drivelab_stream::layout::{BlockHeader, FrameEntry, RunId, StreamMode, Superblock};
use drivelab_stream::reader::{Chart, FrameReader, Image, Problem, Recording, check};

/// Every combination of blocks that were written behind the last index when the recorder was killed: the log goes on until a
/// whole window of blocks is missing, and a block that is missing within it is damage only where it cannot have been in flight.
#[test]
fn a_killed_recording_ends_behind_its_last_block_whatever_was_in_flight() {
    for (shape, last) in [(StreamMode::Linear, 7), (StreamMode::Cyclic, 15), (StreamMode::Cyclic, 43)] {
        let first = last + 1;
        let base = Left::new(shape, [Some(last), Some(last - 4)]).written(0..first);
        for written in 0_u64..1 << REACH {
            let is_there = |sequence: &u64| *sequence < first || written >> (sequence - first) & 1 == 1;
            let image = base.clone().written((first..first + REACH).filter(is_there));
            let mut asked = first..first + REACH;
            let window_is_missing =
                |end: &u64| *end >= first + WINDOW && !(end - WINDOW..*end).any(|one| is_there(&one));
            asked.end = asked.clone().find(window_is_missing).unwrap_or(asked.end);
            let end = asked.clone().rev().find(is_there).map_or(first, |newest| newest + 1);
            let image = &image.0[..];
            let recording = Recording::open(&image).expect("a recording");
            let start = if shape == StreamMode::Linear { 0 } else { end.saturating_sub(PLACES) };
            let what = format!("{shape:?} behind {last}, {written:07b}");
            assert_eq!(recording.blocks(), start..end, "{what}");
            assert_eq!(recording.recovery.blocks_read, 1 + asked.end - first, "{what}");
            let mut there = of_frames(start..end);
            there.retain(is_there);
            assert_eq!(known(&recording), there, "{what}");
            let settled_end = first.max(end.saturating_sub(WINDOW));
            assert_eq!(recording.settled_end(), settled_end, "{what}");
            // What may have been begun has been overwritten, whether or not it is there.
            let begun = if start == 0 { first + REACH } else { (end + WINDOW).max(first + REACH) };
            let settled_start = if shape == StreamMode::Linear { 0 } else { begun.saturating_sub(PLACES) };
            assert_eq!(recording.settled_start(), settled_start, "{what}");
            let checked = check(&recording, &Chart::read(&recording)).expect("in memory");
            let told_of = |problem: &Problem| match problem {
                Problem::Block { sequence, .. } => Some(*sequence),
                _ => None,
            };
            let told: Vec<u64> = checked.problems.iter().filter_map(told_of).collect();
            let lost: Vec<u64> = (first..settled_end).filter(|sequence| !is_there(sequence)).collect();
            assert_eq!(told, lost, "{what}");
            let by_right = checked.unfinished.iter().filter_map(told_of);
            let by_right: Vec<u64> = by_right.filter(|sequence| *sequence >= first).collect();
            let unsettled = settled_end.max(first)..end;
            let in_flight: Vec<u64> = unsettled.filter(|sequence| !is_there(sequence)).collect();
            assert_eq!(by_right, in_flight, "{what}");
        }
    }
}

/// The superblock that knew of the last index is gone, and the older one names the index before: its reach is not the end.
#[test]
fn a_lost_superblock_hides_nothing_that_was_written_behind_the_index_it_named() {
    for end in 12..=11 + INTERVAL {
        let mut image = Left::new(StreamMode::Linear, [Some(11), Some(7)]).written(0..end);
        image.0[100] ^= 1;
        let image = &image.0[..];
        let recording = Recording::open(&image).expect("the older superblock");
        assert!(recording.recovery.superblock_lost && !recording.recovery.index_lost);
        assert_eq!((recording.blocks(), known(&recording)), (0..end, of_frames(0..end)));
    }
    // The next index is damaged: as much as an interval behind the one that was named is still found, and where that one is
    // damaged, too, no more is looked for than behind the one that is known.
    for (spoiled, written, end, read) in [(15, 19, 19, 1 + 11), (11, 15, 15, 1 + 7)] {
        let mut image =
            Left::new(StreamMode::Linear, [Some(11), Some(7)]).written(0..written).spoiled([spoiled]);
        image.0[100] ^= 1;
        let image = &image.0[..];
        let recording = Recording::open(&image).expect("the older superblock");
        assert_eq!((recording.blocks(), recording.recovery.blocks_read), (0..end, read), "{spoiled}");
    }
    // Closed it was by both superblocks: nothing behind its last index is of it.
    let mut image = Left::new(StreamMode::Linear, [Some(7), Some(7)]).written(0..10);
    image.name(&Superblock { is_closed: true, ..superblock(StreamMode::Linear, 2, Some(7)) });
    let older = image.0.len() - 4000;
    image.0[older] ^= 1;
    let image = &image.0[..];
    let recording = Recording::open(&image).expect("the newer superblock");
    assert_eq!((recording.recovery.superblock_lost, recording.blocks()), (true, 0..8));
}

#[test]
fn a_closed_recording_ends_at_its_last_index() {
    let mut image = Left::new(StreamMode::Linear, [Some(11), Some(7)]).written(0..16);
    image.name(&Superblock { is_closed: true, ..superblock(StreamMode::Linear, 2, Some(11)) });
    let image = &image.0[..];
    let recording = Recording::open(&image).expect("a recording");
    assert_eq!((recording.blocks(), recording.settled_end()), (0..12, 12));
    assert_eq!((recording.settled_start(), recording.recovery.blocks_read), (0, 1));
    // A cyclic one has all that it has not overwritten.
    let mut image = Left::new(StreamMode::Cyclic, [Some(43), Some(39)]).written(24..44);
    image.name(&Superblock { is_closed: true, ..superblock(StreamMode::Cyclic, 2, Some(43)) });
    let image = &image.0[..];
    let recording = Recording::open(&image).expect("a recording");
    assert_eq!((recording.blocks(), recording.settled_start(), recording.settled_end()), (24..44, 24, 44));
}

/// The last index is damaged. The index before spares a look at the whole log only where it is near; all blocks before the lost
/// one were written, so that no number of damaged ones among them is taken for the end.
#[test]
fn a_lost_index_costs_no_frame_that_was_written() {
    // The indexes that the superblocks name, the blocks that are read, and whether the log is gone through.
    let cases = [
        ([Some(11), Some(7)], 2 + 4 + REACH, false),
        ([Some(11), None], 1 + 12 + REACH, false),
        ([Some(15), None], 1 + 16 + 4, false),
        ([Some(19), Some(3)], 2 + 16, false),
        ([Some(19), None], 1 + PLACES, true),
        ([Some(11), Some(11)], 1 + PLACES, true),
        ([Some(11), Some(15)], 1 + PLACES, true),
    ];
    for (named, read, is_gone_through) in cases {
        let lost = named[0].expect("an index is named");
        let end = (lost + INTERVAL).min(PLACES);
        let image = Left::new(StreamMode::Linear, named).written(0..end).spoiled(lost - 3..=lost);
        let image = &image.0[..];
        let recording = Recording::open(&image).expect("a recording");
        let recovery = recording.recovery;
        assert_eq!((recovery.index_lost, recovery.blocks_read), (true, read), "{named:?}");
        // Behind an index in the last place of the log there is nothing more.
        let last_there = if end > lost + 1 { end } else { lost - 3 };
        assert_eq!(recording.blocks(), 0..last_there, "{named:?}");
        let mut expected = of_frames(0..end);
        expected.retain(|sequence| *sequence < lost - 3 || *sequence > lost);
        assert_eq!(known(&recording), expected, "{named:?}, gone through {is_gone_through}");
        let checked = check(&recording, &Chart::read(&recording)).expect("in memory");
        assert!(checked.problems.contains(&Problem::Index { sequence: lost, is_last: true }), "{named:?}");
    }
}

/// Without any index each place is asked for its block. One that lies where it cannot belong says nothing of the end.
#[test]
fn a_cyclic_log_without_indexes_is_found_by_its_blocks_in_their_places() {
    let mut image = Left::new(StreamMode::Cyclic, [Some(43), Some(43)]).written(24..46).spoiled([43]);
    header(66).encode(image.place(44));
    let image = &image.0[..];
    let recording = Recording::open(&image).expect("a recording");
    assert_eq!(recording.blocks(), 26..46);
    let mut expected = of_frames(26..46);
    expected.retain(|sequence| *sequence != 44);
    assert_eq!(known(&recording), expected);
    assert_eq!(recording.recovery.blocks_read, 1 + PLACES);
    // Of an image that was cut no place is asked for that it does not have.
    let cut = &image[..PLACE * 9];
    let recording = Recording::open(&cut).expect("a recording");
    assert_eq!((recording.blocks(), recording.recovery.blocks_read), (26..46, 1 + 9));
    assert_eq!(known(&recording), [26, 40, 41, 42, 45]);
}

/// An image that a recorder goes on writing to: once a place is read, it holds something else.
struct Live {
    now: RefCell<Vec<u8>>,
    at: u64,
    then: Vec<u8>,
}

impl Image for Live {
    fn read_at(&self, offset: u64, target: &mut [u8]) -> std::io::Result<usize> {
        let count = self.now.borrow().as_slice().read_at(offset, target)?;
        if offset == self.at {
            self.now.borrow_mut().clone_from(&self.then);
        }
        Ok(count)
    }

    fn length(&self) -> u64 {
        self.then.len() as u64
    }
}

/// What may be in flight at the end is not read twice.
#[test]
fn a_block_that_is_written_while_those_behind_it_are_read_is_not_taken_for_lost() {
    for (late, is_looked_for) in [(9, true), (10, true), (12, false), (13, false)] {
        let before = (0..15).filter(|sequence| *sequence != late);
        let now = Left::new(StreamMode::Linear, [Some(7), Some(3)]).written(before);
        let then = now.clone().written([late]);
        let image = Live { now: RefCell::new(now.0), at: 15 * BLOCK, then: then.0 };
        let recording = Recording::open(&image).expect("a recording");
        let mut expected = of_frames(0..15);
        expected.retain(|sequence| *sequence != late || is_looked_for);
        assert_eq!(known(&recording), expected, "{late}");
    }
}

/// A reader looks again while the recorder overwrites the oldest blocks: those are not lost. What another recording overwrites
/// is, and so is what is missing in a log that never overwrites anything.
#[test]
fn what_a_cyclic_recording_has_overwritten_meanwhile_is_not_missing() {
    let of_the_run = superblock(StreamMode::Cyclic, 3, Some(51));
    let closed = Superblock { is_closed: true, last_index: Some(55), ..of_the_run.clone() };
    let of_another = Superblock { run: RunId([6; 16]), ..of_the_run.clone() };
    // The first block that is not missing by right, at first and after the second look.
    let may_be_begun = 44 + REACH - PLACES;
    let cases = [(of_the_run, 55 + WINDOW - PLACES), (closed, 56 - PLACES), (of_another, may_be_begun)];
    for (newest, settled) in cases {
        let now = Left::new(StreamMode::Cyclic, [Some(43), Some(39)]).written(24..46);
        let mut then = now.clone().written(46..if newest.is_closed { 56 } else { 55 });
        then.name(&newest);
        let image = Live { now: RefCell::new(now.0), at: u64::MAX, then: then.0 };
        let recording = Recording::open(&image).expect("a recording");
        assert_eq!(recording.settled_start(), may_be_begun);
        let chart = Chart::read(&recording);
        image.now.borrow_mut().clone_from(&image.then);
        let checked = check(&recording, &chart).expect("an image in memory");
        assert_eq!(recording.settled_start(), settled, "the check has looked again: {newest:?}");
        assert_eq!(
            checked.problems.is_empty(),
            newest.run == superblock(StreamMode::Cyclic, 3, None).run,
            "{checked:?}"
        );
        assert!(!checked.unfinished.is_empty(), "{newest:?}");
    }
    let linear = Left::new(StreamMode::Linear, [Some(7), Some(3)]).written(0..12).0;
    let linear = &linear[..];
    let recording = Recording::open(&linear).expect("a recording");
    recording.look_again().expect("an image in memory");
    assert_eq!(recording.settled_start(), 0);
}

/// An image is called cut where a part of its log lies behind its end, to the byte.
#[test]
fn an_image_that_ends_before_its_log_is_told_from_one_that_ends_with_it() {
    let killed = Left::new(StreamMode::Linear, [Some(11), Some(7)]).written(0..12);
    let mut closed = killed.clone();
    closed.name(&Superblock { is_closed: true, ..superblock(StreamMode::Linear, 2, Some(11)) });
    for (image, places) in [(killed, 21), (closed, 13)] {
        let end = places * PLACE;
        for (length, is_cut) in [(end, false), (end - 1, true), (12 * PLACE, true)] {
            let cut = &image.0[..length];
            let recording = Recording::open(&cut).expect("a recording");
            assert_eq!(recording.cut_at(), is_cut.then_some(length as u64), "{length} of {end}");
        }
    }
}

#[test]
fn a_recording_over_another_goes_on_counting_its_generations() {
    let mut image = Left::new(StreamMode::Linear, [None, None]).0;
    assert_eq!(Recording::generation(&&image[..]), 2);
    image[100] ^= 1;
    assert_eq!(Recording::generation(&&image[..]), 1);
    let older = image.len() - 4000;
    image[older] ^= 1;
    assert_eq!(Recording::generation(&&image[..]), 0);
    let refused = |image: &[u8]| Recording::open(&image).map(drop).expect_err("no superblock").to_string();
    assert!(refused(&image).contains("both superblocks are unusable (the checksum does not fit"));
    // One of them is not there at all: what is left of the other is told all the same.
    image[older - 96..older].fill(0);
    assert!(refused(&image).contains("the checksum does not fit"), "{}", refused(&image));
    image[..4096].fill(0);
    assert!(refused(&image).contains("no stream recording is here"), "{}", refused(&image));
}

/// A frame of three blocks, of which the last was not written.
#[test]
fn a_frame_that_the_last_block_goes_on_with_is_under_way() {
    let payload = 61_440;
    let long = FrameEntry { offset: 0, length: 3 * payload, sequence: 4, time_unix_ns: 9 };
    let begin = BlockHeader { used: payload, frames: vec![long], ..header(0) };
    let carries = BlockHeader { carried: payload, carried_sequence: 4, carried_at: payload, ..header(1) };
    let mut image = Left::new(StreamMode::Linear, [None, None]);
    begin.encode(image.place(0));
    BlockHeader { used: payload, frames: Vec::new(), ..carries }.encode(image.place(1));
    let image = &image.0[..];
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::read(&recording);
    let under_way = FrameReader::new(&recording, &chart, 0).under_way();
    assert_eq!(under_way.map(|spot| (spot.block, spot.entry)), Some((0, long)));
}
