//! Filling a ring: where the next bytes go, which frames they are, and which blocks are ready to be written.

use std::collections::VecDeque;
use std::io::IoSliceMut;
use std::sync::Arc;

use drivelab_uring::Buffer;

use super::Pool;
use crate::layout::{BlockHeader, FRAMES_MAX, FrameEntry, HEADER_BYTES, crc32c};

/// A block that is being filled, or is ready to be written: then its payload is in place, and its header is not yet.
#[derive(Debug)]
pub struct RingBlock {
    /// What the header will say, but for the recording and the place in its log.
    pub header: BlockHeader,
    /// The memory that it lies in.
    pub buffer: Buffer,
    /// The frames that end here: how many, how many bytes they have, and the last one's number.
    pub ended: FrameTally,
}

impl RingBlock {
    /// Bytes of the payload area in use.
    fn used(&self) -> usize {
        self.header.used as usize
    }
}

/// Frames of a channel, but for those that were dropped: the ones that end in a block, or all that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameTally {
    /// How many.
    pub frames: u64,
    /// Their bytes, those in earlier blocks included.
    pub bytes: u64,
    /// The last one's number.
    pub last: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct BegunFrame {
    block: usize,
    mark: u32,
    sequence: u64,
    bytes: usize,
}

/// What fills a channel's ring. It has some blocks in hand: the first of them may have frames in them already, the
/// others are room.
#[derive(Debug)]
pub struct Filler {
    channel: u16,
    /// The ring behind this.
    pub pool: Arc<Pool>,
    capacity: usize,
    held: VecDeque<RingBlock>,
    /// The block among them that is being filled.
    at: usize,
    begun: Option<BegunFrame>,
    ready: Vec<RingBlock>,
    next_block: u64,
    /// What is done to a buffer before it is filled.
    dress: Option<fn(&mut [u8], u64)>,
    key: u64,
}

impl Filler {
    /// A filler for a channel whose ring is `pool`.
    pub fn new(channel: u16, pool: Arc<Pool>, block_bytes: usize) -> Filler {
        Filler {
            channel,
            pool,
            capacity: block_bytes - HEADER_BYTES,
            held: VecDeque::new(),
            at: 0,
            begun: None,
            ready: Vec::new(),
            next_block: 0,
            dress: None,
            key: 0,
        }
    }

    /// Has every buffer passed to `dress` with `key` before it is filled.
    #[must_use]
    pub fn dressed(self, dress: fn(&mut [u8], u64), key: u64) -> Filler {
        Filler { dress: Some(dress), key, ..self }
    }

    /// The longest frame that fits into the ring at all, in bytes. One block is left for what is before it.
    pub fn frame_bytes_max(&self) -> usize {
        (self.pool.total - 1) * self.capacity
    }

    /// Whether all of the ring is in hand, so that waiting for more is in vain.
    pub fn has_all(&self) -> bool {
        self.held.len() + self.ready.len() >= self.pool.total
    }

    /// Bytes that can be filled in without another buffer.
    pub fn room(&self) -> usize {
        let Some(current) = self.held.get(self.at) else { return 0 };
        let behind = (self.held.len() - self.at - 1) * self.capacity;
        let is_open = self.begun.is_some() || current.header.frames.len() < FRAMES_MAX;
        if is_open { behind + self.capacity - current.used() } else { behind }
    }

    /// How many more frames the block that is being filled can begin.
    pub fn table_room(&self) -> usize {
        self.held.get(self.at).map_or(FRAMES_MAX, |current| FRAMES_MAX - current.header.frames.len())
    }

    /// Takes free buffers until there is room for `bytes`; whether there is. What was taken stays in hand where there are not
    /// enough now.
    #[must_use]
    pub fn reserve(&mut self, bytes: usize) -> bool {
        while self.room() < bytes {
            let Some(mut buffer) = self.pool.take() else { return false };
            if let Some(dress) = self.dress {
                dress(buffer.bytes_mut(), self.key);
            }
            let (header, ended) = (BlockHeader::default(), FrameTally::default());
            self.held.push_back(RingBlock { header, buffer, ended });
        }
        true
    }

    /// Begins a frame, `length` long where that is known. There has to be room for a byte.
    pub fn begin(&mut self, sequence: u64, length: u32, time_unix_ns: u64) {
        self.pass_full_blocks();
        let Some(current) = self.held.get_mut(self.at) else { return };
        let (block, mark) = (self.at, current.header.used);
        current.header.frames.push(FrameEntry { offset: mark, length, sequence, time_unix_ns });
        self.begun = Some(BegunFrame { block, mark, sequence, bytes: 0 });
    }

    /// Whether a frame was begun and not ended.
    pub fn is_in_frame(&self) -> bool {
        self.begun.is_some()
    }

    /// Bytes of the frame that was begun.
    pub fn frame_bytes(&self) -> usize {
        self.begun.map_or(0, |begun| begun.bytes)
    }

    /// Where the next bytes of the frame that was begun lie in their block's payload.
    pub fn position(&self) -> usize {
        self.held.get(self.at).map_or(0, RingBlock::used)
    }

    /// The memory for the next bytes, `limit` of them at most, in order.
    pub fn areas(&mut self, limit: usize) -> Vec<IoSliceMut<'_>> {
        self.pass_full_blocks();
        let (mut left, capacity) = (limit, self.capacity);
        let mut areas = Vec::new();
        for open in self.held.iter_mut().skip(self.at) {
            let length = (capacity - open.used()).min(left);
            if length == 0 {
                break;
            }
            left -= length;
            let start = HEADER_BYTES + open.used();
            areas.push(IoSliceMut::new(&mut open.buffer.bytes_mut()[start..start + length]));
        }
        areas
    }

    /// The bytes that were put into [`Filler::areas`] and not yet counted in, `count` of them, in order.
    pub fn pending(&self, count: usize) -> Vec<&[u8]> {
        let mut left = count;
        let mut pieces = Vec::new();
        for open in self.held.iter().skip(self.at) {
            let length = (self.capacity - open.used()).min(left);
            left -= length;
            let start = HEADER_BYTES + open.used();
            pieces.push(&open.buffer.bytes()[start..start + length]);
            if left == 0 {
                break;
            }
        }
        pieces
    }

    /// Counts bytes in that were put into the areas: they belong to the frame that was begun, or else to none.
    pub fn advance(&mut self, count: usize) {
        let mut left = count;
        while left > 0 {
            if self.held.get(self.at).is_some_and(|current| current.used() == self.capacity) {
                self.at += 1;
            }
            let (at, capacity) = (self.at, self.capacity);
            let Some(current) = self.held.get(at) else { return };
            let part = (capacity - current.used()).min(left);
            #[expect(clippy::cast_possible_truncation, reason = "within a block, and a frame below 4 GiB")]
            let (bytes, carried_at) = (part as u32, self.frame_bytes() as u32);
            let header = &mut self.held[at].header;
            if let Some(begun) = &mut self.begun {
                if begun.block != at {
                    if header.carried == 0 {
                        (header.carried_sequence, header.carried_at) = (begun.sequence, carried_at);
                    }
                    header.carried += bytes;
                }
                begun.bytes += part;
            }
            header.used += bytes;
            left -= part;
        }
    }

    /// Ends the frame: its length is what was counted in, its time is `time_unix_ns`.
    pub fn end(&mut self, time_unix_ns: u64) {
        let Some(begun) = self.begun.take() else { return };
        #[expect(clippy::cast_possible_truncation, reason = "a frame is shorter than 4 GiB")]
        let length = begun.bytes as u32;
        if let Some(entry) = self.held.get_mut(begun.block).and_then(|block| block.header.frames.last_mut()) {
            (entry.length, entry.time_unix_ns) = (length, time_unix_ns);
        }
        if let Some(current) = self.held.get_mut(self.at) {
            current.ended.frames += 1;
            current.ended.bytes += u64::from(length);
            current.ended.last = Some(begun.sequence);
        }
        let is_full = self.held.get(self.at).is_some_and(|current| self.is_passed(current));
        let whole = if is_full { self.at + 1 } else { self.at };
        self.seal(whole);
    }

    /// Forgets the frame that was begun, as if it had never been.
    pub fn abandon(&mut self) {
        let Some(begun) = self.begun.take() else { return };
        if let Some(block) = self.held.get_mut(begun.block) {
            block.header.used = begun.mark;
            block.header.frames.retain(|frame| frame.sequence != begun.sequence);
        }
        for open in self.held.iter_mut().skip(begun.block + 1) {
            (open.header.used, open.header.carried) = (0, 0);
            open.header.frames.clear();
        }
        self.at = begun.block;
    }

    /// Makes what is there ready to be written, except where a frame is under way: it would be torn from what is
    /// before it. Whether everything is ready.
    pub fn flush(&mut self) -> bool {
        if self.begun.is_some() {
            return false;
        }
        // An empty frame takes no byte; and the block that is being filled may be empty again behind a full one.
        let holds = |open: &RingBlock| open.used() > 0 || !open.header.frames.is_empty();
        if let Some(last) = self.held.iter().take(self.at + 1).rposition(holds) {
            self.seal(last + 1);
        }
        true
    }

    /// Whether frames wait in a block that is not full.
    pub fn holds_frames(&self) -> bool {
        self.held.iter().any(|open| open.ended.frames > 0 || open.used() > 0)
    }

    /// The blocks that are ready, in order.
    pub fn take_ready(&mut self) -> Vec<RingBlock> {
        std::mem::take(&mut self.ready)
    }

    fn is_passed(&self, open: &RingBlock) -> bool {
        open.used() == self.capacity || open.header.frames.len() == FRAMES_MAX
    }

    /// Goes on to the next block where no further frame can begin in this one, or not one byte more.
    fn pass_full_blocks(&mut self) {
        while let Some(current) = self.held.get(self.at) {
            let is_full = current.used() == self.capacity;
            let has_no_entry = self.begun.is_none() && current.header.frames.len() == FRAMES_MAX;
            if !(is_full || has_no_entry) || self.at + 1 >= self.held.len() {
                return;
            }
            self.at += 1;
        }
    }

    fn seal(&mut self, count: usize) {
        for mut block in self.held.drain(..count.min(self.held.len())) {
            let payload = &block.buffer.bytes()[HEADER_BYTES..HEADER_BYTES + block.used()];
            block.header.payload_sum = crc32c(payload);
            (block.header.channel, block.header.channel_sequence) = (self.channel, self.next_block);
            self.next_block += 1;
            self.ready.push(block);
        }
        self.at = 0;
    }
}

#[cfg(test)]
mod tests;
