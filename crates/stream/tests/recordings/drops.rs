//! Rings that are full: whole frames are dropped, each is counted, and the others are as they were.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{BLOCK, Draws, folder, plan, run, whole_frames};
use drivelab_block::ByteCount;
use drivelab_stream::layout::{StreamFraming, StreamMode};
use drivelab_stream::plan::{ChannelPlan, OnFull};
use drivelab_stream::source::SourceKind;
use drivelab_stream::{ChannelOutcome, Observer, RecordingNow, RecordingOutcome};

/// Keeps the writer busy with something else after every report.
struct Slow(PathBuf);

impl Observer for Slow {
    fn kept(&mut self, _: usize, _: u64) {
        let held = std::fs::read(&self.0).expect("the target");
        assert!(!held.is_empty());
    }

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        false
    }
}

/// A frame whose bytes follow from its number.
fn frame(framing: StreamFraming, number: u64, length: usize) -> Vec<u8> {
    let mut draws = Draws(number);
    let mut bytes: Vec<u8> = (0..length).map(|_| u8::try_from(draws.below(255)).expect("no FF")).collect();
    if framing == StreamFraming::Mjpeg {
        bytes.splice(0..0, [0xff, 0xd8, 0xff, 0xda, 0, 3, 7]);
        bytes.extend([0xff, 0xd9]);
    }
    bytes
}

/// Many lengths, some far too short and a few too long for a ring of four blocks.
fn lengths() -> Vec<usize> {
    let mut draws = Draws(5);
    let length = |number: usize| match number % 40 {
        7 => 300_000,
        9..=20 => draws.below(400),
        _ => 3_000 + draws.below(120_000),
    };
    (0..200).map(length).collect()
}

/// Records the frames of a file and gives back what came out, by number.
fn recorded(
    framing: StreamFraming,
    on_full: OnFull,
    folder: &Path,
) -> (RecordingOutcome, Vec<(u64, Vec<u8>)>) {
    let (source, target) = (folder.join("source"), folder.join("target"));
    let mut file = File::create(&source).expect("a file");
    for (number, length) in (0..).zip(lengths()) {
        let frame = frame(framing, number, length);
        if framing == StreamFraming::Length {
            file.write_all(&u32::try_from(frame.len()).expect("short").to_le_bytes()).expect("room");
        }
        file.write_all(&frame).expect("room");
    }
    let channel = ChannelPlan {
        name: "camera".to_owned(),
        source: SourceKind::File(source),
        framing,
        ring: ByteCount::new(4 * BLOCK),
        on_full,
    };
    let plan = plan(vec![channel], StreamMode::Linear, u64::MAX);
    let outcome = run(&target, 400 * BLOCK, &plan, &mut Slow(target.clone()));
    let frames = whole_frames(&target);
    (outcome, frames)
}

#[track_caller]
fn assert_counted(framing: StreamFraming, on_full: OnFull) -> ChannelOutcome {
    let folder = folder();
    let (outcome, frames) = recorded(framing, on_full, folder.path());
    let channel = outcome.channels.into_iter().next().expect("a channel");
    assert!(channel.failure.is_none(), "{:?}", channel.failure);
    let tally = channel.tally;
    assert_eq!((tally.produced, tally.unfinished), (200, 0), "{tally:?}");
    assert_eq!(tally.produced, channel.at_end.kept.frames + channel.at_end.dropped, "{tally:?}");
    assert_eq!(frames.len() as u64, channel.at_end.kept.frames);
    let lengths = lengths();
    for (number, bytes) in frames {
        let length = lengths[usize::try_from(number).expect("few")];
        assert!(bytes == frame(framing, number, length), "frame {number} of {length} bytes");
    }
    channel
}

#[test]
fn a_source_that_waits_loses_only_what_can_never_fit() {
    for framing in [StreamFraming::Length, StreamFraming::Mjpeg] {
        let channel = assert_counted(framing, OnFull::Wait);
        assert_eq!((channel.at_end.dropped, channel.tally.unfit), (5, 5), "{framing:?}");
    }
}

#[test]
fn what_finds_no_room_is_dropped_as_a_whole() {
    for framing in [StreamFraming::Length, StreamFraming::Mjpeg] {
        let ChannelOutcome { tally, at_end, .. } = assert_counted(framing, OnFull::Drop);
        assert!(at_end.dropped > tally.unfit, "{framing:?}: {tally:?} {at_end:?}");
        assert!(tally.longest_wait.get() > 0);
    }
}
