//! Requests that are made by system calls on the engine's own thread.
//!
//! That is the next best where the ring does not take an operation, and the best where the target serves a request
//! in the call that brings it: a ring could only hand such a call to a kernel worker.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;

use drivelab_block::{Instant, Op, Request, Status};
use rustix::fs::fdatasync;
use rustix::io::{pread, pwrite, retry_on_intr};

use crate::discard;

/// So many bytes are copied in the time that it takes to wake a kernel worker: no more are asked for by calls where the
/// ring could have them served on another processor.
const SHORT: u64 = 32 << 10;

/// Which requests are made by system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmissionMode {
    /// None: the ring takes all.
    ByRing,
    /// Discards, which this ring does not take.
    DiscardsByCall,
    /// Short requests of a schedule that come while the ring has none in flight: the target serves them in the call,
    /// before a worker on another processor would be awake. Without a schedule it is the rate that counts, and all
    /// processors make it.
    ShortByCall,
    /// All: the target serves them in the call, and no other processor could serve two at a time.
    ByCall,
}

/// The slots of the requests that wait for their system call, in the order in which they came.
#[derive(Debug)]
pub struct SyncCalls {
    mode: SubmissionMode,
    waiting: VecDeque<u32>,
    /// Of all that came since nothing waited.
    bytes: u64,
}

impl SyncCalls {
    /// A queue for as many requests as may be in flight.
    pub fn new(mode: SubmissionMode, depth: u32) -> SyncCalls {
        let room = if mode == SubmissionMode::ByRing { 0 } else { depth as usize };
        SyncCalls { mode, waiting: VecDeque::with_capacity(room), bytes: 0 }
    }

    /// Whether this request is made by a call; `ring_is_idle` where the ring has none in flight.
    #[inline]
    pub fn take(&self, request: &Request, ring_is_idle: bool) -> bool {
        match self.mode {
            SubmissionMode::ByRing => false,
            SubmissionMode::DiscardsByCall => request.op == Op::Discard,
            SubmissionMode::ShortByCall => {
                let is_scheduled = request.intended_at != Instant::ORIGIN;
                is_scheduled && ring_is_idle && self.bytes + request.extent.length.bytes().get() <= SHORT
            }
            SubmissionMode::ByCall => true,
        }
    }

    /// How many requests wait.
    #[inline]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    pub fn push(&mut self, slot: u32, request: &Request) {
        self.waiting.push_back(slot);
        self.bytes += request.extent.length.bytes().get();
    }

    /// The slots of the two requests that have waited longest; they stay in the queue.
    #[inline]
    pub fn first_two(&self) -> [Option<u32>; 2] {
        [self.waiting.front(), self.waiting.get(1)].map(Option::<&u32>::copied)
    }

    /// Takes back one that was popped, as the one that has waited longest.
    pub fn put_back(&mut self, slot: u32) {
        self.waiting.push_front(slot);
    }

    /// The slot whose request has waited longest, taken from the queue.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        let slot = self.waiting.pop_front();
        if self.waiting.is_empty() {
            self.bytes = 0;
        }
        slot
    }
}

/// Makes a request and waits for its end; `buffer` is what a read fills and a write takes.
pub fn make(target: BorrowedFd<'_>, is_file: bool, request: &Request, buffer: &mut [u8]) -> Status {
    let length = usize::try_from(request.extent.length.bytes().get()).unwrap_or(usize::MAX);
    let at = request.extent.start.byte_offset();
    let ended = match request.op {
        Op::Read => retry_on_intr(|| pread(target, &mut buffer[..length], at)),
        Op::Write => retry_on_intr(|| pwrite(target, &buffer[..length], at)),
        Op::Discard if is_file => discard::hole(target, at, length as u64).map(|()| length),
        Op::Discard => return discard::by_system_call(target, request),
        Op::Flush => retry_on_intr(|| fdatasync(target)).map(|()| length),
    };
    match ended {
        Ok(done) if done == length => Status::OK,
        Ok(_) => Status::SHORT,
        Err(error) => Status::errno(error.raw_os_error()),
    }
}
