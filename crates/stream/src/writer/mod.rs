//! From sealed blocks to the drive: one ring, several writes in flight, an index now and then.
//!
//! Blocks go to the places of the log in order, and their writes end in any order. At most a window of numbers lies
//! between the oldest block that is not written and the newest, and the log never runs further ahead of the last
//! superblock than a recovery is promised to read: so what was reported as kept is always found.

mod checkpoint;
mod disk;
mod ended;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use drivelab_block::{EngineError, Instant, Nanos, QueueId, SilenceLog, SilenceWatch, Unanswered};
use drivelab_uring::{BlockWrite, Buffer, Clock};

use crate::kept::KeptTracker;
use crate::layout::{ChannelEntry, HEADER_BYTES, Index, IndexEntry, StreamMode, Superblock};
use crate::plan::{ChannelPlan, Plan, RecordingPlaces, RecordingStart};
use crate::program_watch::LongestTimes;
use crate::ring::{FrameTally, Pool, RingBlock};
use checkpoint::Checkpoint;

pub use disk::TargetDisk;
pub use ended::Patience;

/// Operations of the ring beside the blocks: two indexes, a superblock, a flush.
pub const BESIDE_BLOCKS: u32 = 4;
/// Numbers of blocks between the oldest in flight and the newest, for each that may be in flight: so that one write
/// that takes long does not keep the others waiting.
const WINDOW: u32 = 4;

/// Between two flushes of a durable recording lies at least this.
const FLUSH_EVERY: Nanos = Nanos::from_millis(100);
/// The token of a flush and of a superblock; blocks have their number in the log.
const FLUSH: u64 = 1 << 63;
const SUPERBLOCK: u64 = FLUSH + 1;

/// What the writer did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Blocks of frames and of indexes that were written.
    pub blocks: u64,
    /// All bytes that were written, headers and indexes included.
    pub written_bytes: u64,
    /// Bytes of these that the kernel took out of registered memory.
    pub fixed_bytes: u64,
    /// Payload in them.
    pub payload_bytes: u64,
    /// The longest time from a write's submission to its end, less what the program stood still in it.
    pub longest_write: Nanos,
    /// From the first submission to the last end.
    pub busy: Nanos,
}

/// Writes the log.
pub struct Writer<'a, D> {
    pub(crate) disk: D,
    clock: Clock,
    longest_write: LongestTimes<'a>,
    /// The recording, as its superblocks say.
    pub(crate) superblock: Superblock,
    superblocks_at: [u64; 2],
    checkpoint: Checkpoint,
    /// What is kept.
    pub(crate) kept: KeptTracker,
    pools: Vec<Arc<Pool>>,
    /// Buffers for indexes, and the one for superblocks.
    index_buffers: Vec<Buffer>,
    superblock_buffer: Option<Buffer>,
    entries: Vec<IndexEntry>,
    previous_index: Option<u64>,
    /// The block that an index goes before, while there is no room behind that.
    waiting: Option<RingBlock>,
    /// How many blocks of the log were begun.
    pub(crate) next: u64,
    /// The blocks in flight.
    sent: VecDeque<Sent>,
    flushed_at: Instant,
    flush_in_flight: bool,
    first_sent: Option<Instant>,
    /// The write that failed.
    pub(crate) failure: Option<io::Error>,
    silence: SilenceWatch,
    /// What the drive had not answered when it was given up: the log ends there.
    pub(crate) unanswered: Option<Unanswered>,
    is_closing: bool,
    /// Whether a linear log has reached its end.
    pub(crate) is_full: bool,
    figures: Figures,
    /// The writes of blocks that have ended well and were not yet reported.
    pub(crate) ended: Vec<EndedWrite>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    sequence: u64,
    at: Instant,
    bytes: u64,
}

/// A write of a block that has ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedWrite {
    /// Its bytes.
    pub bytes: u64,
    /// From its submission to its end.
    pub took: Nanos,
}

impl<'a, D: TargetDisk> Writer<'a, D> {
    /// A writer that has written nothing.
    ///
    /// `buffers` are [`INDEX_BUFFERS`](crate::plan::INDEX_BUFFERS) and one more, each of a block's length or, the last, of a
    /// superblock's. In `silences` a drive that answers nothing is told of.
    pub(crate) fn new(
        disk: D,
        plan: &Plan,
        places: &RecordingPlaces,
        begin: &RecordingStart<'a>,
        pools: Vec<Arc<Pool>>,
        mut buffers: Vec<Buffer>,
        silences: SilenceLog,
    ) -> Writer<'a, D> {
        let (clock, superblock_buffer) = (begin.clock, buffers.pop());
        Writer {
            disk,
            clock,
            longest_write: LongestTimes::new(begin.program),
            checkpoint: Checkpoint::default(),
            kept: KeptTracker::new(plan.channels.len(), plan.durable),
            superblock: superblock(plan, places, begin),
            superblocks_at: places.superblocks_at,
            pools,
            index_buffers: buffers,
            superblock_buffer,
            entries: Vec::new(),
            previous_index: None,
            waiting: None,
            next: 0,
            sent: VecDeque::new(),
            flushed_at: Instant::ORIGIN,
            flush_in_flight: false,
            first_sent: None,
            failure: None,
            silence: SilenceWatch::new(QueueId(0), silences, clock.now()),
            unanswered: None,
            is_closing: false,
            is_full: false,
            figures: Figures::default(),
            ended: Vec::new(),
        }
    }

    /// What was done, at the end.
    pub fn figures(&mut self) -> Figures {
        let longest_write = self.longest_write.at_the_end();
        Figures { fixed_bytes: self.disk.ring().fixed_bytes, longest_write, ..self.figures }
    }

    /// Whether nothing more can be written: the target is full, a write failed, or the drive hangs.
    pub fn is_over(&self) -> bool {
        self.is_full || self.is_broken()
    }

    /// Whether the target takes nothing more.
    fn is_broken(&self) -> bool {
        self.failure.is_some() || self.unanswered.is_some()
    }

    /// Writes both superblocks, so that none of an earlier recording is left, unless the drive hangs.
    ///
    /// # Errors
    /// Where the target refuses.
    pub fn begin(&mut self, user: &mut dyn Patience) -> Result<(), EngineError> {
        for _ in self.superblocks_at {
            if !self.is_broken() {
                self.write_superblock(self.previous_index, false)?;
                self.drain(user)?;
            }
        }
        match self.failure.take() {
            Some(error) => Err(EngineError::from_io("the superblocks cannot be written", error)),
            None => Ok(()),
        }
    }

    /// Sends what there is to send, and waits for something to end, for `patience` at most. Whether there may be more
    /// to come.
    ///
    /// # Errors
    /// Where the ring itself fails; a write that fails ends the log instead.
    pub fn step(
        &mut self,
        queue: &Receiver<RingBlock>,
        patience: Nanos,
        user: &mut dyn Patience,
    ) -> Result<bool, EngineError> {
        let mut is_open = true;
        while is_open && self.has_room() {
            match self.waiting.take().map_or_else(|| queue.try_recv(), Ok) {
                Ok(sealed) => self.take(sealed)?,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => is_open = false,
            }
        }
        self.maintain()?;
        if self.unanswered.is_some() {
            return Ok(is_open && self.wait_for_sources(queue, patience));
        }
        if is_open || self.disk.in_flight() > 0 {
            self.reap(patience, user)?;
        }
        Ok(is_open || self.disk.in_flight() > 0)
    }

    /// Ends the log: what is missing in the index, and superblocks that say that the recording was closed.
    ///
    /// # Errors
    /// Where the ring itself fails.
    pub fn finish(&mut self, user: &mut dyn Patience) -> Result<(), EngineError> {
        self.drain(user)?;
        self.is_closing = true;
        if !self.is_broken() && !self.entries.is_empty() && self.next < self.last_place() {
            self.write_index()?;
        }
        self.drain(user)?;
        while !self.is_broken() && !self.checkpoint.is_idle() {
            self.maintain()?;
            self.drain(user)?;
        }
        if !self.is_broken() {
            self.begin_flush()?;
            self.drain(user)?;
        }
        // Both, so that either of them tells that nothing is missing.
        for _ in self.superblocks_at {
            if !self.is_broken() {
                self.write_superblock(self.superblock.last_index, true)?;
                self.drain(user)?;
            }
        }
        Ok(())
    }

    /// The first number that has no place any more.
    fn last_place(&self) -> u64 {
        match self.superblock.shape {
            StreamMode::Linear => self.superblock.log_blocks,
            StreamMode::Cyclic => u64::MAX,
        }
    }

    /// Whether a block can be taken now: it can be sent, or else nothing can be sent any more.
    fn has_room(&self) -> bool {
        // An index may have to go before it.
        self.is_over() || self.can_send() && (!self.is_index_due() || !self.index_buffers.is_empty())
    }

    fn can_send(&self) -> bool {
        let superblock = &self.superblock;
        self.next < self.last_place()
            && self.sent.len() < superblock.in_flight as usize
            && self.next < self.kept.first_unwritten() + u64::from(superblock.window)
            && self.next < superblock.unindexed().end
    }

    /// Indexes come twice as often as is promised: so the last one is in the superblock long before the log would
    /// have to wait for that.
    fn is_index_due(&self) -> bool {
        let every = (self.superblock.index_interval / 2).max(1) as usize;
        self.entries.len() >= every || self.next + 1 == self.last_place()
    }

    /// Sends a block, or an index where one is due, which the block waits behind; or gives its buffer back where nothing can be
    /// sent any more.
    fn take(&mut self, sealed: RingBlock) -> Result<(), EngineError> {
        if self.is_over() {
            self.give_back(usize::from(sealed.header.channel), sealed.buffer);
        } else if self.is_index_due() {
            self.waiting = Some(sealed);
            self.write_index()?;
            // Behind one index there may be room for nothing but another: the last place is always one's.
            self.is_full = self.next == self.last_place();
        } else {
            self.send(sealed)?;
        }
        Ok(())
    }

    /// Writes a block of frames in place.
    fn send(&mut self, sealed: RingBlock) -> Result<(), EngineError> {
        let RingBlock { mut header, mut buffer, ended } = sealed;
        (header.run, header.sequence) = (self.superblock.run, self.next);
        header.pass = self.superblock.pass(self.next);
        header.encode(buffer.bytes_mut());
        self.entries.push(IndexEntry::from_header(&header));
        self.figures.payload_bytes += u64::from(header.used);
        self.write_block(Some(header.channel), ended, buffer, HEADER_BYTES + header.used as usize)
    }

    fn write_index(&mut self) -> Result<(), EngineError> {
        let index = Index {
            run: self.superblock.run,
            sequence: self.next,
            previous: self.previous_index,
            entries: std::mem::take(&mut self.entries),
        };
        let mut buffer =
            self.index_buffers.pop().ok_or_else(|| EngineError::new("no buffer for an index"))?;
        let length = index.encode(buffer.bytes_mut());
        self.previous_index = Some(self.next);
        self.checkpoint.want(self.next);
        self.write_block(None, FrameTally::default(), buffer, length)
    }

    fn write_block(
        &mut self,
        channel: Option<u16>,
        ended: FrameTally,
        buffer: Buffer,
        length: usize,
    ) -> Result<(), EngineError> {
        let (sequence, now) = (self.next, self.clock.now());
        let length = length.next_multiple_of(HEADER_BYTES);
        let offset = self.superblock.offset(sequence);
        self.sends();
        self.disk.write(BlockWrite { token: sequence, buffer, length, offset, durable: false })?;
        self.kept.sent(channel, ended);
        self.sent.push_back(Sent { sequence, at: now, bytes: length as u64 });
        self.first_sent.get_or_insert(now);
        self.figures.blocks += 1;
        self.figures.written_bytes += length as u64;
        self.next += 1;
        Ok(())
    }

    /// Flushes and superblocks, where they are due.
    fn maintain(&mut self) -> Result<(), EngineError> {
        if self.flush_in_flight || self.is_broken() {
            return Ok(());
        }
        let is_rested = self.clock.now().since(self.flushed_at) >= FLUSH_EVERY;
        if self.checkpoint.begins(self.kept.first_unwritten()) || is_rested && self.kept.needs_flush() {
            self.begin_flush()?;
        }
        Ok(())
    }

    fn begin_flush(&mut self) -> Result<(), EngineError> {
        self.kept.flush_begins();
        self.flush_in_flight = true;
        self.sends();
        self.disk.flush(FLUSH)
    }

    /// Writes the superblock into the place of the older one.
    fn write_superblock(&mut self, last_index: Option<u64>, is_closed: bool) -> Result<(), EngineError> {
        self.superblock.generation += 1;
        let next = Superblock { is_closed, last_index, ..self.superblock.clone() };
        let buffer = self.superblock_buffer.take();
        let mut buffer = buffer.ok_or_else(|| EngineError::new("two superblocks at once"))?;
        next.encode(buffer.bytes_mut());
        let offset = self.superblocks_at[usize::from(next.generation % 2 == 1)];
        let token = SUPERBLOCK;
        self.sends();
        self.disk.write(BlockWrite { token, buffer, length: HEADER_BYTES, offset, durable: true })
    }

    fn drain(&mut self, user: &mut dyn Patience) -> Result<(), EngineError> {
        while self.disk.in_flight() > 0 {
            self.reap(FLUSH_EVERY, user)?;
        }
        Ok(())
    }
}

/// What the first superblock is to say.
fn superblock(plan: &Plan, places: &RecordingPlaces, begin: &RecordingStart<'_>) -> Superblock {
    let entry = |channel: &ChannelPlan| ChannelEntry { name: channel.name.clone(), framing: channel.framing };
    Superblock {
        generation: begin.generation,
        run: begin.run,
        block_bytes: places.block_bytes,
        log_start: places.log_start,
        log_blocks: places.log_blocks,
        shape: plan.shape,
        is_closed: false,
        index_interval: places.index_interval,
        in_flight: plan.in_flight,
        // Wider it would never get, and a wider one would make more of a killed log unsettled than is.
        window: (plan.in_flight * WINDOW).min(places.index_interval),
        started_unix_ns: begin.started_unix_ns,
        last_index: None,
        channels: plan.channels.iter().map(entry).collect(),
    }
}
