//! What becomes of a write or a flush that has ended.

use drivelab_block::{EngineError, Instant, Nanos};
use drivelab_uring::{Buffer, EndedOperation};

use super::{EndedWrite, FLUSH, Patience, SUPERBLOCK, TargetDisk, Writer};
use crate::layout::BlockHeader;

impl<D: TargetDisk> Writer<'_, D> {
    /// Waits for something to end, for `patience` at most, and notes what did. Where nothing does for too long, what is in flight
    /// is given up.
    pub(super) fn reap(&mut self, patience: Nanos, user: &mut dyn Patience) -> Result<(), EngineError> {
        let (mut ended, in_flight) = (Vec::new(), self.disk.in_flight());
        self.disk.wait(patience, &mut ended)?;
        let now = self.clock.now();
        self.has_waited(now, in_flight, !ended.is_empty());
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

    /// Notes the end of a block's write.
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
}
