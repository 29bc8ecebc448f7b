//! A drive that has a cache loses on a power cut what was not flushed: any of it, and parts of blocks. A durable recording
//! keeps all that it reported.

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use drivelab_block::{EngineError, Nanos};
use drivelab_stream::Observer;
use drivelab_stream::layout::{BlockHeader, Shape};
use drivelab_stream::reader::Recording;
use drivelab_stream::writer::Disk;
use drivelab_uring::{BlockWrite, BlockWriter, Ended, Obtained, Waker};
use support::{BLOCK, Draws, assert_gives_kept, folder, plan, run_through, synthetic};

const LENGTHS: [(u32, u32); 3] = [(100, 9_000), (40_000, 90_000), (150_000, 400_000)];
/// The target's length, in blocks.
const BLOCKS: u64 = 200;

/// What a drive saw, in order.
enum Event {
    Write {
        number: usize,
        offset: usize,
        bytes: Vec<u8>,
    },
    /// A write ended, which by itself says nothing of the medium, or says that it is there.
    Written {
        number: usize,
        is_durable: bool,
    },
    FlushBegins,
    FlushEnds,
    /// The recorder reported this frame of a channel.
    Kept(usize, u64),
}

type Log = Rc<RefCell<Vec<Event>>>;

/// The number of an operation among the writes, and whether it is to be on the medium; no number for a flush.
#[derive(Clone, Copy)]
struct Asked {
    token: u64,
    number: Option<usize>,
    is_durable: bool,
}

/// A drive that notes what it is told, and lets operations end in any order.
struct Watched {
    ring: BlockWriter,
    log: Log,
    writes: usize,
    asked: Vec<Asked>,
    held: Vec<Ended>,
    draws: Draws,
}

impl Watched {
    fn let_go(&mut self, one: Ended, ended: &mut Vec<Ended>) {
        assert!(one.result.is_ok(), "{:?}", one.result);
        let place = self.asked.iter().position(|asked| asked.token == one.token).expect("it was begun");
        let Asked { number, is_durable, .. } = self.asked.remove(place);
        self.log.borrow_mut().push(match number {
            Some(number) => Event::Written { number, is_durable },
            None => Event::FlushEnds,
        });
        ended.push(one);
    }
}

impl Disk for Watched {
    fn write(&mut self, write: BlockWrite) -> Result<(), EngineError> {
        let event = Event::Write {
            number: self.writes,
            offset: usize::try_from(write.offset).expect("a small target"),
            bytes: write.buffer.bytes()[..write.length].to_vec(),
        };
        self.log.borrow_mut().push(event);
        self.asked.push(Asked { token: write.token, number: Some(self.writes), is_durable: write.durable });
        self.writes += 1;
        self.ring.write(write)
    }

    fn flush(&mut self, token: u64) -> Result<(), EngineError> {
        self.log.borrow_mut().push(Event::FlushBegins);
        self.asked.push(Asked { token, number: None, is_durable: true });
        self.ring.flush(token)
    }

    fn wait(&mut self, patience: Nanos, ended: &mut Vec<Ended>) -> Result<(), EngineError> {
        let patience = if self.held.is_empty() { patience } else { Nanos::ZERO };
        self.ring.wait(patience, &mut self.held)?;
        let least = usize::from(self.ring.in_flight() == 0);
        let count = least.max(self.draws.below(self.held.len() + 1)).min(self.held.len());
        for _ in 0..count {
            let one = self.held.swap_remove(self.draws.below(self.held.len()));
            self.let_go(one, ended);
        }
        Ok(())
    }

    fn in_flight(&self) -> usize {
        self.ring.in_flight() + self.held.len()
    }

    fn waker(&self) -> Waker {
        self.ring.waker()
    }

    fn obtained(&self) -> &Obtained {
        self.ring.obtained()
    }

    fn fixed_bytes(&self) -> u64 {
        self.ring.fixed_bytes()
    }
}

/// Notes what is reported as kept.
struct Reports(Log);

impl Observer for Reports {
    fn kept(&mut self, channel: usize, sequence: u64) {
        self.0.borrow_mut().push(Event::Kept(channel, sequence));
    }

    fn is_to_end(&mut self, _: u64) -> bool {
        false
    }
}

/// What a recording told a drive, and what it reported meanwhile.
fn recorded(shape: Shape, bytes: u64, seed: u64) -> Vec<Event> {
    let folder = folder();
    let mut plan = plan(synthetic(&LENGTHS), shape, bytes);
    plan.durable = true;
    let log = Log::default();
    let watched = |ring| Watched {
        ring,
        log: Rc::clone(&log),
        writes: 0,
        asked: Vec::new(),
        held: Vec::new(),
        draws: Draws(seed),
    };
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

fn cut(shape: Shape, bytes: u64) {
    let mut draws = Draws(bytes);
    let mut lost = 0;
    for seed in 1..=3 {
        let events = recorded(shape, bytes, seed);
        // Before its first superblocks are there, there is no recording yet.
        let begun =
            events.iter().position(|event| matches!(event, Event::Kept(..))).expect("frames are kept");
        for _ in 0..60 {
            let drive = Drive::after(&events[..=begun + draws.below(events.len() - begun)]);
            lost += drive.writes.iter().filter(|write| write.has_ended && !write.is_durable).count();
            let medium = &*drive.medium(&mut draws);
            let recording = Recording::open(&medium).expect("a recording");
            let untouched = drive.end_of_log().saturating_sub(recording.superblock().log_blocks);
            let (settled, interval) =
                (recording.settled_start(), u64::from(recording.superblock().index_interval));
            // Behind the last block of frames there may be an index.
            assert!(shape == Shape::Linear || (untouched..=untouched + 1 + interval).contains(&settled));
            assert_gives_kept(&recording, &drive.kept, shape, recording.settled_start());
        }
    }
    assert!(lost > 100, "a cut takes what had ended: {lost} writes could have been lost");
}

#[test]
fn a_power_cut_takes_nothing_that_a_linear_recording_reported() {
    cut(Shape::Linear, 9_000_000);
}

#[test]
fn a_power_cut_takes_nothing_that_a_cyclic_recording_reported() {
    cut(Shape::Cyclic, 40_000_000);
}
