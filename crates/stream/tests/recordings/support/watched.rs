//! A drive between a recording and its target that notes what it is told.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use drivelab_block::{EngineError, Nanos};
use drivelab_stream::layout::BlockHeader;
use drivelab_stream::writer::TargetDisk;
use drivelab_uring::{BlockWrite, BlockWriter, EndedOperation};

use super::{Draws, Name};

/// What a drive saw, in order.
pub enum Event {
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

pub type Log = Rc<RefCell<Vec<Event>>>;

/// The number of an operation among the writes, and whether it is to be on the medium; no number for a flush.
#[derive(Clone, Copy)]
struct Asked {
    token: u64,
    number: Option<usize>,
    is_durable: bool,
}

/// A drive that notes what it is told, and lets operations end in any order where there is something to draw it from.
pub struct Watched {
    ring: BlockWriter,
    log: Log,
    writes: usize,
    asked: Vec<Asked>,
    held: Vec<EndedOperation>,
    order: Option<Draws>,
}

impl Watched {
    /// What makes such a drive of a target's ring.
    pub fn around(log: &Log, order: Option<Draws>) -> impl FnOnce(BlockWriter) -> Watched + use<> {
        let log = Rc::clone(log);
        |ring| Watched { ring, log, writes: 0, asked: Vec::new(), held: Vec::new(), order }
    }

    fn let_go(&mut self, one: EndedOperation, ended: &mut Vec<EndedOperation>) {
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

impl TargetDisk for Watched {
    fn ring(&mut self) -> &mut BlockWriter {
        &mut self.ring
    }

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

    fn wait(&mut self, patience: Nanos, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError> {
        let patience = if self.held.is_empty() { patience } else { Nanos::ZERO };
        self.ring.wait(patience, &mut self.held)?;
        let least = usize::from(self.ring.in_flight() == 0);
        let held = self.held.len();
        let count = self.order.as_mut().map_or(held, |draws| least.max(draws.below(held + 1)).min(held));
        for _ in 0..count {
            let place = self.order.as_mut().map_or(0, |draws| draws.below(self.held.len()));
            let one = self.held.remove(place);
            self.let_go(one, ended);
        }
        Ok(())
    }

    fn in_flight(&mut self) -> usize {
        self.ring.in_flight() + self.held.len()
    }

    fn give_up(&mut self) {
        panic!("this drive answers everything");
    }
}

/// The block that each frame of a recording begins in, whatever was written over it since.
pub fn begins(events: &[Event]) -> BTreeMap<Name, u64> {
    let blocks = events.iter().filter_map(|event| match event {
        Event::Write { bytes, .. } => BlockHeader::parse(bytes).ok(),
        _ => None,
    });
    let frames = |block: BlockHeader| {
        let name = move |sequence| (usize::from(block.channel), sequence);
        block.frames.into_iter().map(move |frame| (name(frame.sequence), block.sequence))
    };
    blocks.flat_map(frames).collect()
}
