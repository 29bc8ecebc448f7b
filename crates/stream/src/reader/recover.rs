//! Opening a recording: superblocks, the last index, and the blocks behind it that no index tells of yet.

use std::cell::{Cell, RefCell};

use super::image::Image;
use crate::StreamError;
use crate::layout::{
    BlockHeader, Damage, Expected, HEADER_BYTES, Index, IndexEntry, SUPERBLOCKS_AT, Shape, Superblock,
};

/// How a recording was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Blocks that were read to find the end of the log.
    pub blocks_read: u64,
    /// Whether the last index was not where the superblock says, so that the log had to be gone through.
    pub index_lost: bool,
    /// Whether one of the two superblocks is unusable.
    pub superblock_lost: bool,
}

/// What a place of the log holds.
#[derive(Clone, Debug)]
pub enum Found {
    /// A block of frames.
    Block(Box<BlockHeader>),
    /// An index.
    Index(Box<Index>),
}

/// A recording that was found on an image.
pub struct Recording<'a> {
    image: &'a dyn Image,
    superblock: Superblock,
    recovery: Recovery,
    /// The number behind the last block that was found.
    end: u64,
    /// What the blocks behind the last index hold: none for one that is missing.
    tail: Vec<Option<IndexEntry>>,
    tail_start: u64,
    /// The index that the log's older part is told by.
    last_index: Option<u64>,
    block: RefCell<Vec<u8>>,
    /// What a recording that goes on has overwritten since it was opened ends here.
    overwritten: Cell<u64>,
}

impl<'a> Recording<'a> {
    /// Finds the recording on an image.
    ///
    /// # Errors
    /// [`StreamError::NoRecording`] where there is none; where the image cannot be read.
    pub fn open(image: &'a dyn Image) -> Result<Recording<'a>, StreamError> {
        let (superblock, superblock_lost) = superblocks(image)?;
        let block = RefCell::new(vec![0; superblock.block_bytes as usize]);
        let start = superblock.unindexed().start;
        let mut recording = Recording {
            image,
            last_index: superblock.last_index,
            superblock,
            recovery: Recovery { superblock_lost, ..Recovery::default() },
            end: start,
            tail: Vec::new(),
            tail_start: start,
            block,
            overwritten: Cell::new(0),
        };
        recording.recover()?;
        Ok(recording)
    }

    /// The generation of the newest superblock on an image; zero where there is none.
    ///
    /// # Errors
    /// Where the image cannot be read.
    pub fn generation(image: &dyn Image) -> Result<u64, StreamError> {
        match superblocks(image) {
            Ok((superblock, _)) => Ok(superblock.generation),
            Err(StreamError::NoRecording | StreamError::Superblocks(_)) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Where the image ends, in bytes, where that is before the end of the log: it was cut, and nobody knows what lay behind.
    pub fn cut_at(&self) -> Option<u64> {
        let superblock = &self.superblock;
        let is_known = superblock.is_closed && superblock.shape == Shape::Linear;
        let blocks =
            if is_known { self.end.max(superblock.unindexed().start) } else { superblock.log_blocks };
        let end = superblock.log_start + blocks * u64::from(superblock.block_bytes);
        Some(self.image.length()).filter(|length| *length < end)
    }

    /// What the recording is.
    pub fn superblock(&self) -> &Superblock {
        &self.superblock
    }

    /// How it was found.
    pub fn recovery(&self) -> Recovery {
        self.recovery
    }

    /// The numbers of the blocks that may be there: in a cyclic log those that were not overwritten.
    pub fn blocks(&self) -> std::ops::Range<u64> {
        let kept = match self.superblock.shape {
            Shape::Linear => 0,
            Shape::Cyclic => self.end.saturating_sub(self.superblock.log_blocks),
        };
        kept..self.end
    }

    /// The first block that nothing can be wrong with by right: blocks behind it were in flight when the recording was
    /// killed, and may be missing.
    pub fn settled_end(&self) -> u64 {
        if self.superblock.is_closed {
            return self.end;
        }
        self.end.saturating_sub(u64::from(self.superblock.window)).max(self.superblock.unindexed().start)
    }

    /// The first block that is not overwritten by what was in flight at the end.
    pub fn settled_start(&self) -> u64 {
        let start = self.blocks().start;
        let is_settled = start == 0 || self.superblock.is_closed;
        let settled = if is_settled { start } else { start + u64::from(self.superblock.window) };
        settled.max(self.overwritten.get())
    }

    /// Looks how far a cyclic recording that goes on has come meanwhile: what it has overwritten is not missing.
    ///
    /// # Errors
    /// Where the image cannot be read.
    pub fn look_again(&self) -> Result<(), StreamError> {
        if self.superblock.is_closed || self.superblock.shape == Shape::Linear {
            return Ok(());
        }
        let now = Recording::open(self.image)?;
        if now.superblock.run == self.superblock.run {
            let reach = if now.superblock.is_closed { 0 } else { u64::from(now.superblock.window) };
            self.overwritten.set(now.blocks().start + reach);
        }
        Ok(())
    }

    pub(super) fn last_index(&self) -> Option<u64> {
        self.last_index
    }

    /// What is told of the blocks behind the last index, and the number of the first of them.
    pub(super) fn tail(&self) -> (u64, &[Option<IndexEntry>]) {
        (self.tail_start, &self.tail)
    }

    fn expected(&self, sequence: u64) -> Expected {
        Expected { run: self.superblock.run, sequence, payload_bytes: self.superblock.payload_bytes() }
    }

    /// Reads what a block says of itself; its payload is not looked at.
    pub(super) fn found(&self, sequence: u64) -> Result<Result<Found, Damage>, StreamError> {
        let expected = self.expected(sequence);
        let mut block = self.block.borrow_mut();
        let offset = self.superblock.offset(sequence);
        let count = self.image.read_at(offset, &mut block[..HEADER_BYTES])?;
        if Index::is_one(&block[..count]) {
            let count = self.image.read_at(offset, &mut block)?;
            return Ok(Index::decode(&block[..count], &expected).map(|index| Found::Index(Box::new(index))));
        }
        let header = BlockHeader::decode(&block[..count], &expected);
        let is_ours = |header: &BlockHeader| usize::from(header.channel) < self.superblock.channels.len();
        let header = header.and_then(|header| {
            if is_ours(&header) { Ok(header) } else { Err(Damage::Impossible("a block of no channel")) }
        });
        Ok(header.map(|header| Found::Block(Box::new(header))))
    }

    /// Reads a block with its payload, and proves it.
    pub(super) fn proved(
        &self,
        sequence: u64,
        payload: &mut Vec<u8>,
    ) -> Result<Result<BlockHeader, Damage>, StreamError> {
        payload.resize(self.superblock.block_bytes as usize, 0);
        let count = self.image.read_at(self.superblock.offset(sequence), payload)?;
        let decoded = BlockHeader::decode(&payload[..count], &self.expected(sequence));
        Ok(decoded.and_then(|header| {
            let used = header.used as usize;
            let whole =
                payload.get(HEADER_BYTES..HEADER_BYTES + used).filter(|_| HEADER_BYTES + used <= count);
            match whole.map(crate::layout::crc32c) {
                Some(sum) if sum == header.payload_sum => {
                    payload.copy_within(HEADER_BYTES..HEADER_BYTES + used, 0);
                    payload.truncate(used);
                    Ok(header)
                }
                _ => Err(Damage::Checksum),
            }
        }))
    }

    /// Follows the log from the last index on. Blocks in flight end in any order, so the end is only where a whole
    /// window holds none.
    fn recover(&mut self) -> Result<(), StreamError> {
        if let Some(index) = self.superblock.last_index {
            self.recovery.blocks_read += 1;
            if !matches!(self.found(index)?, Ok(Found::Index(_))) {
                return self.go_through();
            }
            self.end = index + 1;
        }
        let mut unindexed = self.superblock.unindexed();
        let reach = unindexed.end - unindexed.start;
        while let Some(sequence) = unindexed.next() {
            let missing = self.tail.iter().rev().take_while(|entry| entry.is_none()).count();
            if self.superblock.is_closed || missing >= self.superblock.window.max(1) as usize {
                break;
            }
            self.recovery.blocks_read += 1;
            if self.note(sequence)? && self.recovery.superblock_lost && self.ends_with_index() {
                // The superblock that knew of this index is the lost one.
                unindexed.end = sequence + 1 + reach;
            }
        }
        self.tail.truncate(usize::try_from(self.end - self.tail_start).unwrap_or(usize::MAX));
        Ok(())
    }

    /// Notes what a block behind the last index holds.
    fn note(&mut self, sequence: u64) -> Result<bool, StreamError> {
        let entry = match self.found(sequence)? {
            Ok(Found::Block(header)) => Some(IndexEntry::of(&header)),
            // An index that did not get into a superblock is told of by an entry of no channel.
            Ok(Found::Index(_)) => Some(IndexEntry { channel: u16::MAX, ..IndexEntry::default() }),
            Err(_) => None,
        };
        self.tail.push(entry);
        if entry.is_some() {
            self.end = sequence + 1;
        }
        Ok(entry.is_some())
    }

    fn ends_with_index(&self) -> bool {
        self.tail.last().copied().flatten().is_some_and(|entry| entry.channel == u16::MAX)
    }

    /// Goes through the whole log where the last index is lost: every place is asked which block it holds.
    fn go_through(&mut self) -> Result<(), StreamError> {
        self.recovery.index_lost = true;
        let (mut newest, log_blocks) = (None, self.superblock.log_blocks);
        for place in 0..log_blocks {
            self.recovery.blocks_read += 1;
            let sequence = self.sequence_at(place)?;
            newest = newest.max(sequence);
            if sequence.is_none() && self.is_past_the_end(place)? {
                break;
            }
        }
        let first = match (newest, self.superblock.shape) {
            (Some(newest), Shape::Cyclic) => (newest + 1).saturating_sub(log_blocks),
            _ => 0,
        };
        (self.tail_start, self.end, self.last_index) = (first, first, None);
        for sequence in first..newest.map_or(first, |newest| newest + 1) {
            self.note(sequence)?;
        }
        Ok(())
    }

    /// Whether an image ends before a place of the log.
    fn is_past_the_end(&self, place: u64) -> Result<bool, StreamError> {
        Ok(self.image.read_at(self.superblock.offset(place), &mut self.block.borrow_mut()[..1])? == 0)
    }

    /// The number of the block that lies in a place of the log, where it is one of this recording.
    fn sequence_at(&self, place: u64) -> Result<Option<u64>, StreamError> {
        let found = match self.found(place)? {
            Ok(_) => Some(place),
            Err(Damage::OtherSequence(sequence)) => Some(sequence),
            Err(_) => None,
        };
        let is_here =
            |sequence: &u64| sequence % self.superblock.log_blocks == place && *sequence < u64::MAX / 2;
        Ok(found.filter(is_here))
    }
}

/// The newer of the two superblocks, and whether the other is unusable.
fn superblocks(image: &dyn Image) -> Result<(Superblock, bool), StreamError> {
    let mut bytes = vec![0; HEADER_BYTES];
    let (mut found, mut damages) = (Vec::new(), Vec::new());
    for at in SUPERBLOCKS_AT {
        let count = image.read_at(at, &mut bytes)?;
        match Superblock::decode(&bytes[..count]) {
            Ok(superblock) => found.push(superblock),
            Err(damage) => damages.push(damage),
        }
    }
    let is_lost = !damages.is_empty();
    if let Some(newest) = found.into_iter().max_by_key(|superblock| superblock.generation) {
        return Ok((newest, is_lost));
    }
    match damages.into_iter().find(|damage| *damage != Damage::Nothing) {
        Some(damage) => Err(StreamError::Superblocks(damage.to_string())),
        None => Err(StreamError::NoRecording),
    }
}
