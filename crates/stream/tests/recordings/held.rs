//! Rings that are full because their drive is busy: what is dropped, what waits, and that every byte of a source is counted once.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{Seek as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::told::{Counting, FLUSH};
use crate::support::{BLOCK, PLACE, Silent, folder, plan, run, run_through, synthetic, whole_frames};
use drivelab_block::{ByteCount, Nanos};
use drivelab_stream::layout::{StreamFraming, StreamMode};
use drivelab_stream::plan::{ChannelPlan, OnFull, Plan};
use drivelab_stream::source::{SourceKind, SourceTally};
use drivelab_stream::{ChannelOutcome, Observer, RecordingNow};

/// How long frames wait where a block is to be written when it is full, and not before.
const LONG: Nanos = Nanos::from_millis(600_000);

/// A channel of four blocks that reads a file from where its descriptor stands.
fn channel(file: &File, framing: StreamFraming, on_full: OnFull) -> Plan {
    let channel = ChannelPlan {
        name: "camera".to_owned(),
        source: SourceKind::Descriptor(file.as_raw_fd()),
        framing,
        ring: ByteCount::new(4 * BLOCK),
        on_full,
    };
    plan(vec![channel], StreamMode::Linear, u64::MAX)
}

/// Records what a file holds to a drive that ends no write of a block before all of it is read; what came of it, and the frames.
fn held_back(
    stream: &[u8],
    framing: StreamFraming,
    flush_after: Nanos,
    folder: &Path,
) -> (ChannelOutcome, Vec<(u64, Vec<u8>)>) {
    let (source, target) = (folder.join("source"), folder.join("target"));
    fs::write(&source, stream).expect("room");
    let file = File::open(&source).expect("a file");
    // The recorder reads through a copy of the descriptor, which has the same place in the file.
    let mut place = file.try_clone().expect("a descriptor");
    let length = stream.len() as u64;
    let holds = move |token| token < FLUSH && place.stream_position().expect("a file") < length;
    let plan = Plan { flush_after, ..channel(&file, framing, OnFull::Drop) };
    let outcome =
        run_through(Counting::around(&Rc::default(), None, holds), &target, 200 * BLOCK, &plan, &mut Silent);
    let frames = whole_frames(&target);
    (outcome.channels.into_iter().next().expect("a channel"), frames)
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("short");
    [&length.to_le_bytes()[..], bytes].concat()
}

#[test]
fn frames_that_find_no_room_are_dropped_and_counted_with_their_bytes() {
    let folder = folder();
    let frame = |number: u8| vec![number; 20_000];
    let mut stream: Vec<u8> = (0..30).flat_map(|number| framed(&frame(number))).collect();
    // One that fits no ring, one that is empty, and one that is cut off.
    stream.extend(framed(&vec![30; 300_000]));
    stream.extend(framed(&[]));
    stream.extend(&framed(&frame(32))[..5_000]);
    let (outcome, frames) = held_back(&stream, StreamFraming::Length, LONG, folder.path());
    // Twelve are in a ring of four blocks, and an empty one needs no room of its own behind them.
    let expected: Vec<(u64, Vec<u8>)> =
        (0..12).map(|number| (u64::from(number), frame(number))).chain([(31, Vec::new())]).collect();
    assert!(frames == expected, "{:?}", frames.iter().map(|frame| frame.0).collect::<Vec<u64>>());
    assert!(outcome.tally.longest_wait > Nanos::ZERO);
    let tally = SourceTally { longest_wait: Nanos::ZERO, ..outcome.tally };
    let expected = SourceTally {
        produced: 32,
        unfit: 1,
        unfinished: 1,
        placed_bytes: 12 * 20_000,
        ..SourceTally::default()
    };
    assert_eq!(tally, expected);
    assert_eq!((outcome.at_end.dropped, outcome.at_end.dropped_bytes), (19, 18 * 20_000 + 300_000));
    assert_eq!((outcome.at_end.ring_bytes, outcome.at_end.most_used_bytes), (4 * BLOCK, 4 * BLOCK));
}

/// A picture of this length, with its number in it.
fn picture(number: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xda, 0, 3, 7];
    bytes.resize(length - 2, number);
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// Bytes between pictures are skipped, a picture that the next one cuts off is kept as it is and counted as damaged, and one
/// that the stream does not end is none.
#[test]
fn every_byte_between_and_in_pictures_is_counted_once() {
    let folder = folder();
    let cut = picture(3, 9_000)[..4_000].to_vec();
    let pictures = [picture(1, 10_000), picture(2, 5_000), cut, picture(4, 7_000)];
    let mut stream = vec![5; 100];
    stream.extend(&pictures[0]);
    stream.extend([6; 30]);
    stream.extend(&pictures[1]);
    stream.extend([&pictures[2][..], &pictures[3], &[7; 11], &picture(5, 900)[..450]].concat());
    let expected: Vec<(u64, Vec<u8>)> = (0..).zip(pictures).collect();
    let expected_tally = SourceTally {
        produced: 4,
        unfinished: 1,
        damaged: 1,
        skipped_bytes: 141,
        placed_bytes: 26_000,
        ..SourceTally::default()
    };
    // Where nothing may wait, a picture is still not torn from its begin in the same piece.
    for flush_after in [LONG, Nanos::ZERO] {
        let folder = folder.path().join(flush_after.get().to_string());
        fs::create_dir(&folder).expect("room");
        let (outcome, frames) = held_back(&stream, StreamFraming::Mjpeg, flush_after, &folder);
        assert!(frames == expected, "{:?}", frames.iter().map(|frame| frame.1.len()).collect::<Vec<usize>>());
        assert_eq!((outcome.tally, outcome.at_end.dropped), (expected_tally, 0));
    }
}

#[test]
fn pictures_that_find_no_room_are_dropped_and_every_byte_is_counted_once() {
    let folder = folder();
    // One in the middle is longer than the ring.
    let length = |number: u8| if number == 25 { 400_000 } else { 3_000 + usize::from(number) * 1_000 };
    let all: Vec<Vec<u8>> = (0..60).map(|number| picture(number, length(number))).collect();
    let stream: Vec<u8> = all.iter().flat_map(|one| [&one[..], &[1, 2, 3]].concat()).collect();
    let (outcome, frames) = held_back(&stream, StreamFraming::Mjpeg, LONG, folder.path());
    let tally = outcome.tally;
    assert_eq!((tally.produced, tally.unfinished, tally.damaged), (60, 0, 0), "{tally:?}");
    assert_eq!(outcome.at_end.dropped + outcome.at_end.kept.frames, 60, "{tally:?}");
    // As many as fit before the ring is full for the first time.
    let fitting = (0..60_u8).map(length).scan(0, |sum, one| (*sum += one + 3, Some(*sum)).1);
    let fitting = fitting.take_while(|sum| *sum < 4 * (65_536 - 4_096)).count();
    assert!(frames.len() >= fitting, "{} of {fitting}", frames.len());
    assert!(frames.iter().zip(0..).take(fitting).all(|(frame, number)| frame.0 == number));
    for (number, bytes) in &frames {
        assert!(*bytes == all[usize::try_from(*number).expect("few")], "picture {number}");
    }
    let counted = tally.placed_bytes + outcome.at_end.dropped_bytes + tally.skipped_bytes;
    assert_eq!(counted, stream.len() as u64, "{tally:?}");
    assert_eq!(tally.placed_bytes, outcome.at_end.kept.bytes);
    assert!(tally.longest_wait > Nanos::ZERO);
}

/// A ring that pictures fill to its last byte takes no byte more: what comes then is read past it.
#[test]
fn pictures_are_read_past_a_ring_without_a_byte_of_room() {
    let folder = folder();
    let all: Vec<Vec<u8>> = (0..10).map(|number| picture(number, PLACE - 4_096)).collect();
    let (outcome, frames) = held_back(&all.concat(), StreamFraming::Mjpeg, LONG, folder.path());
    let expected: Vec<(u64, Vec<u8>)> = (0..).zip(all).take(4).collect();
    assert!(frames == expected, "{:?}", frames.iter().map(|frame| frame.0).collect::<Vec<u64>>());
    let tally = SourceTally { longest_wait: Nanos::ZERO, ..outcome.tally };
    let length = BLOCK - 4_096;
    let expected = SourceTally { produced: 10, placed_bytes: 4 * length, ..SourceTally::default() };
    assert_eq!(tally, expected);
    assert_eq!((outcome.at_end.dropped, outcome.at_end.dropped_bytes), (6, 6 * length));
}

/// Looks after which a recording ends.
const LOOKS: u32 = 20;

/// Ends a recording some looks after it began.
struct Looks(Rc<Cell<u32>>);

impl Observer for Looks {
    fn kept(&mut self, _: usize, _: u64) {}

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        // Long enough for the source to fill its ring.
        std::thread::park_timeout(Duration::from_millis(20));
        self.0.set(self.0.get() + 1);
        self.0.get() >= LOOKS
    }
}

/// The frame that a source was about to make when the recording ended was never there.
#[test]
fn a_frame_that_waits_for_room_at_the_end_is_not_counted() {
    let folder = folder();
    let looks = Rc::new(Cell::new(0));
    let (seen, mut left) = (Rc::clone(&looks), 6);
    // Some time more after the recording has ended: the source looks for that twenty times a second.
    let holds = move |token| {
        left -= i32::from(seen.get() >= LOOKS);
        if seen.get() >= LOOKS {
            std::thread::park_timeout(Duration::from_millis(40));
        }
        token < FLUSH && left > 0
    };
    let plan = plan(synthetic(&[(50_000, 60_000)]), StreamMode::Linear, u64::MAX);
    let disk = Counting::around(&Rc::default(), None, holds);
    let outcome = run_through(disk, &folder.path().join("target"), 200 * BLOCK, &plan, &mut Looks(looks));
    let channel = &outcome.channels[0];
    assert_eq!((channel.tally.produced, channel.at_end.dropped), (channel.at_end.kept.frames, 0));
}

/// The headers of blocks have places for 165 frames.
#[test]
fn small_pictures_fill_the_headers_of_blocks_and_none_is_dropped() {
    let folder = folder();
    let all: Vec<Vec<u8>> = (0..250).chain(0..250).map(|number| picture(number, 130)).collect();
    let (outcome, frames) = held_back(&all.concat(), StreamFraming::Mjpeg, LONG, folder.path());
    let expected: Vec<(u64, Vec<u8>)> = (0..).zip(all).collect();
    assert!(frames == expected, "{}", frames.len());
    let tally = SourceTally { longest_wait: Nanos::ZERO, ..outcome.tally };
    assert_eq!(tally, SourceTally { produced: 500, placed_bytes: 500 * 130, ..SourceTally::default() });
    assert_eq!((outcome.at_end.dropped, outcome.at_end.dropped_bytes), (0, 0));
}

/// Behind 163 pictures, which no camera makes so short, one more has a place in the header, and the next one does not.
#[test]
fn a_picture_that_takes_the_last_place_of_a_header_is_whole() {
    let folder = folder();
    let mut all: Vec<Vec<u8>> = (0..163).map(|number| picture(number, 9)).collect();
    // Longer than is read at a time, with stuffed bytes at every end of a piece.
    let stuffed = [&picture(0, 9)[..7], &[0xff, 0].repeat(15_000), &[0xff, 0xd9]].concat();
    all.extend([stuffed, picture(1, 500), picture(2, 600)]);
    let (outcome, frames) = held_back(&all.concat(), StreamFraming::Mjpeg, LONG, folder.path());
    let expected: Vec<(u64, Vec<u8>)> = (0..).zip(all).collect();
    assert!(frames == expected, "{}", frames.len());
    assert_eq!((outcome.tally.produced, outcome.at_end.dropped, outcome.tally.unfinished), (166, 0, 0));
}

#[test]
fn pictures_that_have_no_place_in_a_header_are_dropped_and_counted_with_their_bytes() {
    let folder = folder();
    let mut all: Vec<Vec<u8>> = (0..200).map(|number| picture(number, 9)).collect();
    all.push(picture(7, 30_000));
    let (outcome, frames) = held_back(&all.concat(), StreamFraming::Mjpeg, LONG, folder.path());
    let tally = outcome.tally;
    let expected: Vec<(u64, Vec<u8>)> = (0..).zip(all).filter(|(number, _)| *number < 164).collect();
    assert!(frames == expected, "{:?} {tally:?}", frames.iter().map(|frame| frame.0).collect::<Vec<u64>>());
    assert_eq!((tally.produced, outcome.at_end.dropped, tally.unfit), (201, 37, 37));
    let dropped_bytes = outcome.at_end.dropped_bytes;
    assert_eq!((tally.placed_bytes, dropped_bytes, tally.skipped_bytes), (164 * 9, 36 * 9 + 30_000, 0));
}

#[test]
fn a_frame_that_is_longer_than_is_read_at_a_time_is_whole() {
    let folder = folder();
    let (source, target) = (folder.path().join("source"), folder.path().join("target"));
    let long: Vec<u8> = (0..3_000_000_u32).map(|at| at.to_le_bytes()[usize::from(at % 7 == 0)]).collect();
    fs::write(&source, [framed(&long), framed(b"next")].concat()).expect("room");
    let file = File::open(&source).expect("a file");
    let mut plan = channel(&file, StreamFraming::Length, OnFull::Wait);
    plan.channels[0].ring = ByteCount::new(64 * BLOCK);
    run(&target, 200 * BLOCK, &plan, &mut Silent);
    assert!(whole_frames(&target) == [(0, long), (1, b"next".to_vec())]);
}

/// A wait for room ends with the first frame that finds some, however long nothing comes behind it.
#[test]
fn the_silence_of_a_source_is_not_told_as_a_wait_for_room() {
    let folder = folder();
    let (source, mut camera) = std::io::pipe().expect("a pipe");
    let is_let_go = Arc::new(AtomicBool::new(false));
    let is_held = Arc::clone(&is_let_go);
    let holds = move |token| token < FLUSH && !is_held.load(Ordering::Acquire);
    let channel = ChannelPlan {
        name: "camera".to_owned(),
        source: SourceKind::Descriptor(source.as_raw_fd()),
        framing: StreamFraming::Length,
        ring: ByteCount::new(4 * BLOCK),
        on_full: OnFull::Wait,
    };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            // Twelve are in the ring, and two in the pipe.
            (0..14).for_each(|number| camera.write_all(&framed(&vec![number; 20_000])).expect("room"));
            std::thread::park_timeout(Duration::from_millis(100));
            is_let_go.store(true, Ordering::Release);
            while rustix::io::ioctl_fionread(&camera).expect("a pipe") > 0 {
                std::thread::park_timeout(Duration::from_millis(1));
            }
            std::thread::park_timeout(Duration::from_millis(500));
        });
        let disk = Counting::around(&Rc::default(), None, holds);
        let plan = plan(vec![channel], StreamMode::Linear, u64::MAX);
        run_through(disk, &folder.path().join("target"), 200 * BLOCK, &plan, &mut Silent)
    });
    let (waited, all) = (outcome.channels[0].tally.longest_wait, outcome.duration);
    assert!(waited + Nanos::from_millis(400) <= all, "{waited:?} of {all:?}");
}

/// A piece of the stream ends with the picture behind which a header has just enough places left for more.
#[test]
fn a_block_of_small_pictures_is_handed_on_only_where_it_is_full_or_may_wait_no_longer() {
    let folder = folder();
    let pictures = (0..160).map(|number| picture(number, if number < 90 { 131 } else { 130 }));
    let source = folder.path().join("source");
    fs::write(&source, pictures.flatten().collect::<Vec<u8>>()).expect("room");
    // Beside the index that ends the log.
    for (flush_after, blocks) in [(LONG, 1), (Nanos::ZERO, 2)] {
        let file = File::open(&source).expect("a file");
        let plan = Plan { flush_after, ..channel(&file, StreamFraming::Mjpeg, OnFull::Wait) };
        let target = folder.path().join(blocks.to_string());
        let outcome = run(&target, 200 * BLOCK, &plan, &mut Silent);
        assert_eq!((outcome.channels[0].at_end.kept.frames, outcome.figures.blocks), (160, blocks + 1));
    }
}
