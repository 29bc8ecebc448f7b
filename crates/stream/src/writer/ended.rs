//! What becomes of a write or a flush that has ended, and of what a drive does not answer: when it is given up.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use drivelab_block::{EngineError, Instant, Nanos, RunLimit};
use drivelab_uring::{Buffer, EndedOperation};

use super::{EndedWrite, FLUSH, SUPERBLOCK, TargetDisk, Writer};
use crate::kept::KeptTracker;
use crate::layout::BlockHeader;
use crate::ring::RingBlock;

/// Who is asked whenever a drive was waited for.
pub trait Patience {
    /// What ends the recording, of which this is kept now.
    fn limit(&mut self, now: Instant, kept: &KeptTracker) -> RunLimit;
}

impl<D: TargetDisk> Writer<'_, D> {
    /// Waits for something to end, for `patience` at most, and notes what did. Where nothing does for too long, what is in flight
    /// is given up.
    pub(super) fn reap(&mut self, patience: Nanos, user: &mut dyn Patience) -> Result<(), EngineError> {
        let (mut ended, in_flight) = (Vec::new(), self.disk.in_flight());
        self.disk.wait(patience, &mut ended)?;
        let now = self.clock.now();
        if ended.is_empty() {
            self.silence.look(now, in_flight);
        } else {
            self.silence.answered(now, in_flight);
        }
        for one in ended {
            self.note(one, now)?;
        }
        let limit = user.limit(now, &self.kept);
        self.give_up_when_over(now, limit);
        Ok(())
    }

    fn note(&mut self, ended: EndedOperation, now: Instant) -> Result<(), EngineError> {
        let is_well = ended.result.is_ok();
        if let Err(error) = ended.result {
            self.failure.get_or_insert(error);
        }
        match ended.token {
            FLUSH => {
                (self.flush_in_flight, self.flushed_at) = (false, now);
                if is_well {
                    self.kept.flush_ends();
                    if let Some(index) = self.checkpoint.flushed() {
                        self.write_superblock(Some(index), false)?;
                    }
                }
            }
            SUPERBLOCK => {
                self.superblock_buffer = ended.buffer;
                if let (true, Some(index)) = (is_well, self.checkpoint.written()) {
                    self.superblock.last_index = Some(index);
                }
            }
            sequence => {
                let write = self.block_ended(sequence, now);
                if is_well {
                    self.kept.written(sequence);
                    self.ended.extend(write);
                }
                if let Some(buffer) = ended.buffer {
                    self.recycle(buffer);
                }
            }
        }
        Ok(())
    }

    fn block_ended(&mut self, sequence: u64, now: Instant) -> Option<EndedWrite> {
        self.figures.busy = self.first_sent.map_or(Nanos::ZERO, |first| now.since(first));
        let place = self.sent.iter().position(|sent| sent.sequence == sequence)?;
        let sent = self.sent.remove(place)?;
        self.longest_write.note(sent.at, now);
        Some(EndedWrite { bytes: sent.bytes, took: now.since(sent.at) })
    }

    /// Gives a buffer back to where it came from: its header says which.
    fn recycle(&mut self, buffer: Buffer) {
        match BlockHeader::channel_in(buffer.bytes()) {
            Some(channel) => self.give_back(usize::from(channel), buffer),
            None => self.index_buffers.push(buffer),
        }
    }

    pub(super) fn give_back(&self, channel: usize, buffer: Buffer) {
        if let Some(pool) = self.pools.get(channel) {
            pool.put(buffer);
        }
    }

    /// Something is about to be sent.
    pub(super) fn sends(&mut self) {
        if self.disk.in_flight() == 0 {
            self.silence.begin(self.clock.now());
        }
    }

    /// Waits for what the sources still deliver, which is not written any more; whether there may be more to come.
    pub(super) fn wait_for_sources(&mut self, queue: &Receiver<RingBlock>, patience: Nanos) -> bool {
        match queue.recv_timeout(Duration::from_nanos(patience.get())) {
            Ok(RingBlock { header, buffer, .. }) => self.give_back(usize::from(header.channel), buffer),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        true
    }

    /// Gives up what is in flight, where the drive is waited for no longer.
    pub(super) fn give_up_when_over(&mut self, now: Instant, limit: RunLimit) {
        let limit = match limit {
            // All that was in flight at the end is answered. What closes the log, a flush foremost, may take a drive long that is
            // well, and no time ends it.
            RunLimit::Reached(_) | RunLimit::User(_) if self.is_closing => RunLimit::NoTime,
            limit => limit,
        };
        let in_flight = self.disk.in_flight();
        if in_flight == 0 || !self.silence.is_over(now, limit, Nanos::ZERO) {
            return;
        }
        self.unanswered = Some(self.silence.give_up(now, in_flight));
        self.disk.give_up();
        self.figures.busy = self.first_sent.map_or(Nanos::ZERO, |first| now.since(first));
        for sent in self.sent.drain(..) {
            self.longest_write.note(sent.at, now);
            self.figures.blocks -= 1;
            self.figures.written_bytes -= sent.bytes;
        }
    }
}
