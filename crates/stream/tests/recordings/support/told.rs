//! A drive that counts what it is told, and can fail a write or hold back what has ended.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

use drivelab_block::{EngineError, Nanos};
use drivelab_stream::writer::TargetDisk;
use drivelab_uring::{BlockWrite, BlockWriter, EndedOperation};

/// The token of a flush; that of a superblock is the next one. Those of blocks are their numbers in the log.
pub const FLUSH: u64 = 1 << 63;
pub const SUPERBLOCK: u64 = FLUSH + 1;

/// What a drive was told.
#[derive(Default)]
pub struct Told {
    /// The tokens of all writes and flushes, in order.
    pub begun: Vec<u64>,
    /// Those that have not come back.
    pub under_way: BTreeSet<u64>,
    /// The most blocks that were under way at a time.
    pub blocks_at_a_time: usize,
    /// How far the newest block was ahead of the oldest that was under way, at most.
    pub ahead: u64,
    /// What was begun after the write that failed came back.
    pub after_failure: Vec<u64>,
}

/// Counts, and fails or holds back what it is made to.
pub struct Counting<H> {
    ring: BlockWriter,
    told: Rc<RefCell<Told>>,
    fails: Option<u64>,
    has_failed: bool,
    /// Whether an operation stays under way for now, asked with its token.
    holds: H,
    held: Vec<EndedOperation>,
}

impl<H: FnMut(u64) -> bool> Counting<H> {
    /// What makes such a drive of a target's ring.
    pub fn around(
        told: &Rc<RefCell<Told>>,
        fails: Option<u64>,
        holds: H,
    ) -> impl FnOnce(BlockWriter) -> Counting<H> + use<H> {
        let told = Rc::clone(told);
        move |ring| Counting { ring, told, fails, has_failed: false, holds, held: Vec::new() }
    }

    fn begin(&self, token: u64) {
        let mut told = self.told.borrow_mut();
        told.begun.push(token);
        assert!(told.under_way.insert(token), "{token} twice at a time");
        let blocks = told.under_way.iter().filter(|token| **token < FLUSH).count();
        told.blocks_at_a_time = told.blocks_at_a_time.max(blocks);
        if let Some(oldest) = told.under_way.first().filter(|_| token < FLUSH) {
            told.ahead = told.ahead.max(token - oldest);
        }
        if self.has_failed {
            told.after_failure.push(token);
        }
    }
}

impl<H: FnMut(u64) -> bool> TargetDisk for Counting<H> {
    fn ring(&mut self) -> &mut BlockWriter {
        &mut self.ring
    }

    fn write(&mut self, write: BlockWrite) -> Result<(), EngineError> {
        self.begin(write.token);
        self.ring.write(write)
    }

    fn flush(&mut self, token: u64) -> Result<(), EngineError> {
        self.begin(token);
        self.ring.flush(token)
    }

    fn wait(&mut self, patience: Nanos, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError> {
        self.ring.wait(patience, &mut self.held)?;
        let ended_now = std::mem::take(&mut self.held);
        let (held, mut out): (Vec<EndedOperation>, Vec<EndedOperation>) =
            ended_now.into_iter().partition(|one| (self.holds)(one.token));
        self.held = held;
        for one in &mut out {
            self.told.borrow_mut().under_way.remove(&one.token);
            if self.fails == Some(one.token) {
                one.result = Err(io::Error::from_raw_os_error(28));
                self.has_failed = true;
            }
        }
        ended.append(&mut out);
        Ok(())
    }

    fn in_flight(&mut self) -> usize {
        self.ring.in_flight() + self.held.len()
    }

    fn give_up(&mut self) {
        panic!("this drive answers everything");
    }
}
