//! A drive that has a cache loses on a power cut what was not flushed: any of it, and parts of blocks. A durable recording
//! keeps all that it reported.

use std::rc::Rc;

use crate::support::watched::{Event, Log, Watched, begins};
use crate::support::{BLOCK, Draws, assert_gives_kept, folder, plan, run_through, synthetic};
use drivelab_stream::layout::{BlockHeader, StreamMode};
use drivelab_stream::reader::Recording;
use drivelab_stream::{Observer, RecordingNow};

const LENGTHS: [(u32, u32); 3] = [(100, 9_000), (40_000, 90_000), (150_000, 400_000)];
/// The target's length, in blocks.
const BLOCKS: u64 = 200;

/// Notes what is reported as kept.
struct Reports(Log);

impl Observer for Reports {
    fn kept(&mut self, channel: usize, sequence: u64) {
        self.0.borrow_mut().push(Event::Kept(channel, sequence));
    }

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        false
    }
}

/// What a recording told a drive, and what it reported meanwhile.
fn recorded(shape: StreamMode, bytes: u64, seed: u64) -> Vec<Event> {
    let folder = folder();
    let mut plan = plan(synthetic(&LENGTHS), shape, bytes);
    plan.durable = true;
    let log = Log::default();
    let watched = Watched::around(&log, Some(Draws(seed)));
    run_through(watched, &folder.path().join("target"), BLOCKS * BLOCK, &plan, &mut Reports(Rc::clone(&log)));
    log.take()
}

/// A write that has begun before the power went.
struct Begun<'a> {
    offset: usize,
    bytes: &'a [u8],
    has_ended: bool,
    is_durable: bool,
    /// Whether the flush that goes on covers it.
    is_flushing: bool,
}

/// The drive before a power cut behind so many events.
#[derive(Default)]
struct Drive<'a> {
    writes: Vec<Begun<'a>>,
    kept: Vec<Option<u64>>,
}

impl<'a> Drive<'a> {
    fn after(events: &'a [Event]) -> Drive<'a> {
        let mut drive = Drive { writes: Vec::new(), kept: vec![None; LENGTHS.len()] };
        events.iter().for_each(|event| drive.see(event));
        drive
    }

    fn see(&mut self, event: &'a Event) {
        match event {
            Event::Write { number, offset, bytes } => {
                assert_eq!(*number, self.writes.len());
                let fresh =
                    Begun { offset: *offset, bytes, has_ended: false, is_durable: false, is_flushing: false };
                self.writes.push(fresh);
            }
            Event::Written { number, is_durable } => {
                let write = &mut self.writes[*number];
                (write.has_ended, write.is_durable) = (true, *is_durable);
            }
            Event::FlushBegins => {
                self.writes.iter_mut().for_each(|write| write.is_flushing = write.has_ended);
            }
            Event::FlushEnds => {
                self.writes.iter_mut().for_each(|write| write.is_durable |= write.is_flushing);
            }
            Event::Kept(channel, sequence) => self.kept[*channel] = Some(*sequence),
        }
    }

    /// The number behind the last block of frames that was begun, whatever the medium has of it.
    fn end_of_log(&self) -> u64 {
        let headers = self.writes.iter().filter_map(|write| BlockHeader::parse(write.bytes).ok());
        headers.map(|header| header.sequence + 1).max().unwrap_or(0)
    }

    /// What the medium holds after the cut: what is durable, and any sectors of the rest.
    fn medium(&self, draws: &mut Draws) -> Vec<u8> {
        let mut medium = vec![0; usize::try_from(BLOCKS * BLOCK).expect("a small target")];
        for write in &self.writes {
            let fate = if write.is_durable { 0 } else { draws.below(3) };
            for (number, sector) in write.bytes.chunks(512).enumerate() {
                let is_there = fate == 0 || fate == 1 && draws.below(2) == 0;
                if is_there {
                    medium[write.offset + number * 512..][..sector.len()].copy_from_slice(sector);
                }
            }
        }
        medium
    }
}

fn cut(shape: StreamMode, bytes: u64) {
    let mut draws = Draws(bytes);
    let mut lost = 0;
    for seed in 1..=3 {
        let events = recorded(shape, bytes, seed);
        let begins = begins(&events);
        // Before its first superblocks are there, there is no recording yet.
        let begun =
            events.iter().position(|event| matches!(event, Event::Kept(..))).expect("frames are kept");
        for _ in 0..60 {
            let drive = Drive::after(&events[..=begun + draws.below(events.len() - begun)]);
            lost += drive.writes.iter().filter(|write| write.has_ended && !write.is_durable).count();
            let medium = &*drive.medium(&mut draws);
            let recording = Recording::open(&medium).expect("a recording");
            let untouched = drive.end_of_log().saturating_sub(recording.superblock.log_blocks);
            let (settled, interval) =
                (recording.settled_start(), u64::from(recording.superblock.index_interval));
            // Behind the last block of frames there may be an index.
            assert!(shape == StreamMode::Linear || (untouched..=untouched + 1 + interval).contains(&settled));
            assert_gives_kept(&recording, &drive.kept, &begins, shape);
        }
    }
    assert!(lost > 100, "a cut takes what had ended: {lost} writes could have been lost");
}

#[test]
fn a_power_cut_takes_nothing_that_a_linear_recording_reported() {
    cut(StreamMode::Linear, 9_000_000);
}

#[test]
fn a_power_cut_takes_nothing_that_a_cyclic_recording_reported() {
    cut(StreamMode::Cyclic, 40_000_000);
}
