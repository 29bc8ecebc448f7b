//! Filling a ring: where the next bytes go, which frames they are, and which blocks are ready to be written.

use std::collections::VecDeque;
use std::io::IoSliceMut;
use std::sync::Arc;

use drivelab_uring::Buffer;

use super::Pool;
use crate::layout::{FRAMES_MAX, FrameEntry, HEADER_BYTES, crc32c};

/// There is no room in the ring now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingFull;

/// A block that is ready to be written: its payload is in place, and its header is not yet.
#[derive(Debug)]
pub struct Sealed {
    /// Its channel.
    pub channel: u16,
    /// Its number among those of its channel.
    pub channel_sequence: u64,
    /// The memory that it lies in.
    pub buffer: Buffer,
    /// Bytes of the payload area in use.
    pub used: u32,
    /// How many of these belong to a frame that began earlier.
    pub carried: u32,
    /// That frame's number.
    pub carried_sequence: u64,
    /// How many bytes of that frame lie in earlier blocks.
    pub carried_at: u32,
    /// CRC32C of the used payload.
    pub payload_sum: u32,
    /// The frames that begin here.
    pub frames: Vec<FrameEntry>,
    /// The frames that end here: how many, how many bytes they have, and the last one's number.
    pub ended: EndedFrames,
}

/// Frames that end in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndedFrames {
    /// How many.
    pub count: u64,
    /// Their bytes, those in earlier blocks included.
    pub bytes: u64,
    /// The last one's number.
    pub last: Option<u64>,
}

/// A block that is being filled.
#[derive(Debug)]
struct OpenBlock {
    buffer: Buffer,
    used: usize,
    carried: usize,
    carried_sequence: u64,
    carried_at: usize,
    frames: Vec<FrameEntry>,
    ended: EndedFrames,
}

impl OpenBlock {
    fn new(buffer: Buffer) -> OpenBlock {
        OpenBlock {
            buffer,
            used: 0,
            carried: 0,
            carried_sequence: 0,
            carried_at: 0,
            frames: Vec::new(),
            ended: EndedFrames::default(),
        }
    }
}

/// The frame that is being filled in.
#[derive(Clone, Copy, Debug)]
struct BegunFrame {
    block: usize,
    mark: usize,
    sequence: u64,
    bytes: usize,
}

/// What fills a channel's ring. It has some blocks in hand: the first of them may have frames in them already, the
/// others are room.
#[derive(Debug)]
pub struct Filler {
    channel: u16,
    pool: Arc<Pool>,
    capacity: usize,
    held: VecDeque<OpenBlock>,
    /// The block among them that is being filled.
    at: usize,
    begun: Option<BegunFrame>,
    ready: Vec<Sealed>,
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
        (self.pool.total() - 1) * self.capacity
    }

    /// The ring behind this.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Whether all of the ring is in hand, so that waiting for more is in vain.
    pub fn has_all(&self) -> bool {
        self.held.len() + self.ready.len() >= self.pool.total()
    }

    /// Bytes that can be filled in without another buffer.
    pub fn room(&self) -> usize {
        let Some(current) = self.held.get(self.at) else { return 0 };
        let behind = (self.held.len() - self.at - 1) * self.capacity;
        let is_open = self.begun.is_some() || current.frames.len() < FRAMES_MAX;
        if is_open { behind + self.capacity - current.used } else { behind }
    }

    /// How many more frames the block that is being filled can begin.
    pub fn table_room(&self) -> usize {
        self.held.get(self.at).map_or(FRAMES_MAX, |current| FRAMES_MAX - current.frames.len())
    }

    /// Takes free buffers until there is room for `bytes`.
    ///
    /// # Errors
    /// [`RingFull`] where there are not enough now; what was taken stays in hand.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), RingFull> {
        while self.room() < bytes {
            let mut buffer = self.pool.take().ok_or(RingFull)?;
            if let Some(dress) = self.dress {
                dress(buffer.bytes_mut(), self.key);
            }
            self.held.push_back(OpenBlock::new(buffer));
        }
        Ok(())
    }

    /// Begins a frame, `length` long where that is known. There has to be room for a byte.
    pub fn begin(&mut self, sequence: u64, length: u32, time_unix_ns: u64) {
        self.pass_full_blocks();
        let Some(current) = self.held.get_mut(self.at) else { return };
        let (block, mark) = (self.at, current.used);
        #[expect(clippy::cast_possible_truncation, reason = "within a block")]
        let offset = mark as u32;
        current.frames.push(FrameEntry { offset, length, sequence, time_unix_ns });
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
        self.held.get(self.at).map_or(0, |current| current.used)
    }

    /// The memory for the next bytes, `limit` of them at most, in order.
    pub fn areas(&mut self, limit: usize) -> Vec<IoSliceMut<'_>> {
        self.pass_full_blocks();
        let (mut left, capacity) = (limit, self.capacity);
        let mut areas = Vec::new();
        for open in self.held.iter_mut().skip(self.at) {
            let length = (capacity - open.used).min(left);
            if length == 0 {
                break;
            }
            left -= length;
            let start = HEADER_BYTES + open.used;
            areas.push(IoSliceMut::new(&mut open.buffer.bytes_mut()[start..start + length]));
        }
        areas
    }

    /// The bytes that were put into [`Filler::areas`] and not yet counted in, `count` of them, in order.
    pub fn pending(&self, count: usize) -> Vec<&[u8]> {
        let mut left = count;
        let mut pieces = Vec::new();
        for open in self.held.iter().skip(self.at) {
            let length = (self.capacity - open.used).min(left);
            left -= length;
            let start = HEADER_BYTES + open.used;
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
            if self.held.get(self.at).is_some_and(|current| current.used == self.capacity) {
                self.at += 1;
            }
            let (at, capacity) = (self.at, self.capacity);
            let Some(current) = self.held.get_mut(at) else { return };
            let part = (capacity - current.used).min(left);
            if let Some(begun) = &mut self.begun {
                if begun.block != at {
                    if current.carried == 0 {
                        (current.carried_sequence, current.carried_at) = (begun.sequence, begun.bytes);
                    }
                    current.carried += part;
                }
                begun.bytes += part;
            }
            current.used += part;
            left -= part;
        }
    }

    /// Ends the frame: its length is what was counted in, its time is `time_unix_ns`.
    pub fn end(&mut self, time_unix_ns: u64) {
        let Some(begun) = self.begun.take() else { return };
        #[expect(clippy::cast_possible_truncation, reason = "a frame is shorter than 4 GiB")]
        let length = begun.bytes as u32;
        if let Some(entry) = self.held.get_mut(begun.block).and_then(|block| block.frames.last_mut()) {
            (entry.length, entry.time_unix_ns) = (length, time_unix_ns);
        }
        if let Some(current) = self.held.get_mut(self.at) {
            current.ended.count += 1;
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
            block.used = begun.mark;
            block.frames.retain(|frame| frame.sequence != begun.sequence);
        }
        for open in self.held.iter_mut().skip(begun.block + 1) {
            (open.used, open.carried) = (0, 0);
            open.frames.clear();
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
        let holds = |open: &OpenBlock| open.used > 0 || !open.frames.is_empty();
        if let Some(last) = self.held.iter().take(self.at + 1).rposition(holds) {
            self.seal(last + 1);
        }
        true
    }

    /// Whether frames wait in a block that is not full.
    pub fn holds_frames(&self) -> bool {
        self.held.iter().any(|open| open.ended.count > 0 || open.used > 0)
    }

    /// The blocks that are ready, in order.
    pub fn take_ready(&mut self) -> Vec<Sealed> {
        std::mem::take(&mut self.ready)
    }

    fn is_passed(&self, open: &OpenBlock) -> bool {
        open.used == self.capacity || open.frames.len() == FRAMES_MAX
    }

    /// Goes on to the next block where no further frame can begin in this one, or not one byte more.
    fn pass_full_blocks(&mut self) {
        while let Some(current) = self.held.get(self.at) {
            let is_full = current.used == self.capacity;
            let has_no_entry = self.begun.is_none() && current.frames.len() == FRAMES_MAX;
            if !(is_full || has_no_entry) || self.at + 1 >= self.held.len() {
                return;
            }
            self.at += 1;
        }
    }

    /// Seals the first `count` blocks in hand.
    fn seal(&mut self, count: usize) {
        for open in self.held.drain(..count.min(self.held.len())) {
            let payload = &open.buffer.bytes()[HEADER_BYTES..HEADER_BYTES + open.used];
            let payload_sum = crc32c(payload);
            #[expect(clippy::cast_possible_truncation, reason = "within a block, and a frame below 4 GiB")]
            let sealed = Sealed {
                channel: self.channel,
                channel_sequence: self.next_block,
                used: open.used as u32,
                carried: open.carried as u32,
                carried_sequence: open.carried_sequence,
                carried_at: open.carried_at as u32,
                payload_sum,
                frames: open.frames,
                ended: open.ended,
                buffer: open.buffer,
            };
            self.next_block += 1;
            self.ready.push(sealed);
        }
        self.at = 0;
    }
}

#[cfg(test)]
mod tests;
