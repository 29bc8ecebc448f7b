//! Opening a recording: superblocks, the last index, and the blocks behind it that no index tells of yet.

use std::cell::{Cell, RefCell};

use super::image::Image;
use crate::StreamError;
use crate::layout::{
    BlockHeader, Damage, ExpectedBlock, HEADER_BYTES, Index, IndexEntry, StreamMode, Superblock,
    superblocks_at,
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
pub enum FoundBlock {
    /// A block of frames.
    Block(Box<BlockHeader>),
    /// An index.
    Index(Box<Index>),
}

/// A recording that was found on an image.
pub struct Recording<'a> {
    image: &'a dyn Image,
    /// What the recording is.
    pub superblock: Superblock,
    /// How it was found.
    pub recovery: Recovery,
    /// The number behind the last block that was found.
    end: u64,
    /// What the blocks behind the last index hold, in the order of their numbers: none for one that is missing.
    pub(super) tail: Vec<(u64, Option<IndexEntry>)>,
    /// The index that the log's older part is told by.
    pub(super) last_index: Option<u64>,
    /// The other superblock, where that is whole and of this recording: it may name the index before the last one.
    older: Option<Superblock>,
    block: RefCell<Vec<u8>>,
    /// What a recording that goes on has overwritten since it was opened ends here.
    overwritten: Cell<u64>,
}

impl<'a> Recording<'a> {
    /// Finds the recording on an image.
    ///
    /// # Errors
    /// [`StreamError::NoRecording`] where there is none; where there was one that is damaged.
    pub fn open(image: &'a dyn Image) -> Result<Recording<'a>, StreamError> {
        let Superblocks { newest: superblock, other, is_lost: superblock_lost } = superblocks(image)?;
        let block = RefCell::new(vec![0; superblock.block_bytes as usize]);
        let older = other.filter(|other| other.run == superblock.run);
        let mut recording = Recording {
            image,
            last_index: superblock.last_index,
            superblock,
            recovery: Recovery { superblock_lost, ..Recovery::default() },
            end: 0,
            tail: Vec::new(),
            older,
            block,
            overwritten: Cell::new(0),
        };
        recording.recover();
        Ok(recording)
    }

    /// The generation of the newest superblock on an image; zero where there is none.
    pub fn generation(image: &dyn Image) -> u64 {
        superblocks(image).map_or(0, |found| found.newest.generation)
    }

    /// The newest superblock on an image; the log is not looked at.
    ///
    /// # Errors
    /// [`StreamError::NoRecording`] where there is none; where there was one that is damaged.
    pub fn newest_superblock(image: &dyn Image) -> Result<Superblock, StreamError> {
        Ok(superblocks(image)?.newest)
    }

    /// Where the image ends, in bytes, where that is before the end of the log: it was cut, and nobody knows what lay behind.
    pub fn cut_at(&self) -> Option<u64> {
        let superblock = &self.superblock;
        let is_known = superblock.is_closed && superblock.shape == StreamMode::Linear;
        let blocks =
            if is_known { self.end.max(superblock.unindexed().start) } else { superblock.log_blocks };
        let bytes = blocks.saturating_mul(u64::from(superblock.block_bytes));
        let end = superblock.log_start.saturating_add(bytes);
        Some(self.image.length()).filter(|length| *length < end)
    }

    /// The numbers of the blocks that may be there: in a cyclic log those that were not overwritten.
    pub fn blocks(&self) -> std::ops::Range<u64> {
        let kept = match self.superblock.shape {
            StreamMode::Linear => 0,
            StreamMode::Cyclic => self.end.saturating_sub(self.superblock.log_blocks),
        };
        kept..self.end
    }

    /// The first block that may be missing by right: it and those behind it were in flight when the recording was killed.
    pub fn settled_end(&self) -> u64 {
        if self.superblock.is_closed {
            return self.end;
        }
        self.end.saturating_sub(u64::from(self.superblock.window)).max(self.superblock.unindexed().start)
    }

    /// The first block that nothing overwrote which is not there itself: writes that were in flight at the end, or that a
    /// drive's cache lost on a power cut. The log never runs further ahead than its superblock promises.
    pub fn settled_start(&self) -> u64 {
        let (start, superblock) = (self.blocks().start, &self.superblock);
        if superblock.is_closed || superblock.shape == StreamMode::Linear {
            return start.max(self.overwritten.get());
        }
        let in_flight = if start == 0 { 0 } else { start + u64::from(superblock.window) };
        let ahead = superblock.unindexed().end.saturating_sub(superblock.log_blocks);
        in_flight.max(ahead).max(self.overwritten.get())
    }

    /// Looks how far a cyclic recording that goes on has come meanwhile: what it has overwritten is not missing.
    ///
    /// # Errors
    /// Where there is no recording any more, as from [`Recording::open`].
    pub fn look_again(&self) -> Result<(), StreamError> {
        if self.superblock.is_closed || self.superblock.shape == StreamMode::Linear {
            return Ok(());
        }
        let now = Recording::open(self.image)?;
        if now.superblock.run == self.superblock.run {
            let reach = if now.superblock.is_closed { 0 } else { u64::from(now.superblock.window) };
            self.overwritten.set(now.blocks().start + reach);
        }
        Ok(())
    }

    /// Those numbers of a range, which is no longer than the log, whose places the image has, in order.
    pub(super) fn on_image(&self, range: std::ops::Range<u64>) -> Vec<u64> {
        let superblock = &self.superblock;
        let room = self.image.length().saturating_sub(superblock.log_start);
        let places = room.div_ceil(u64::from(superblock.block_bytes)).min(superblock.log_blocks);
        let Some(last) = range.end.checked_sub(1) else { return Vec::new() };
        let back = |place: u64| {
            (last % superblock.log_blocks + superblock.log_blocks - place) % superblock.log_blocks
        };
        let mut numbers: Vec<u64> = (0..places).filter_map(|place| last.checked_sub(back(place))).collect();
        numbers.retain(|number| range.contains(number));
        numbers.sort_unstable();
        numbers
    }

    fn read_at(&self, offset: u64, target: &mut [u8]) -> Result<usize, Damage> {
        self.image.read_at(offset, target).map_err(|_| Damage::Unreadable)
    }

    fn expected(&self, sequence: u64) -> ExpectedBlock {
        ExpectedBlock { run: self.superblock.run, sequence, payload_bytes: self.superblock.payload_bytes() }
    }

    /// Reads what a block says of itself; its payload is not looked at.
    pub(super) fn found(&self, sequence: u64) -> Result<FoundBlock, Damage> {
        let expected = self.expected(sequence);
        let mut block = self.block.borrow_mut();
        let offset = self.superblock.offset(sequence);
        let count = self.read_at(offset, &mut block[..HEADER_BYTES])?;
        if Index::is_one(&block[..count]) {
            let length = Index::bytes(&block[..count]).min(block.len());
            let count = self.read_at(offset, &mut block[..length])?;
            return Ok(FoundBlock::Index(Box::new(Index::decode(&block[..count], &expected)?)));
        }
        Ok(FoundBlock::Block(Box::new(self.header(&block[..count], &expected)?)))
    }

    /// Reads the header of a block of one of the channels.
    fn header(&self, bytes: &[u8], expected: &ExpectedBlock) -> Result<BlockHeader, Damage> {
        let header = BlockHeader::decode(bytes, expected)?;
        let is_ours = usize::from(header.channel) < self.superblock.channels.len();
        if is_ours { Ok(header) } else { Err(Damage::Impossible("a block of no channel")) }
    }

    /// Reads a block with its payload, and proves it.
    pub(super) fn proved(&self, sequence: u64, payload: &mut Vec<u8>) -> Result<BlockHeader, Damage> {
        payload.resize(self.superblock.block_bytes as usize, 0);
        let count = self.read_at(self.superblock.offset(sequence), payload)?;
        let header = self.header(&payload[..count], &self.expected(sequence))?;
        let used = header.used as usize;
        let whole = payload[..count].get(HEADER_BYTES..HEADER_BYTES + used);
        if whole.map(crate::layout::crc32c) != Some(header.payload_sum) {
            return Err(Damage::Checksum);
        }
        payload.copy_within(HEADER_BYTES..HEADER_BYTES + used, 0);
        payload.truncate(used);
        Ok(header)
    }

    /// Finds the end of the log from the last index on, or from the one before where the last one is lost.
    fn recover(&mut self) {
        let named = self.superblock.last_index;
        if let Some(index) = named
            && !self.holds_index(index)
        {
            self.recovery.index_lost = true;
            let older = self.older.as_ref().map(|older| older.last_index);
            // No recorder lets two superblocks lie further apart.
            let near = |first: u64| index - first <= 2 * u64::from(self.superblock.index_interval);
            self.last_index = match older {
                Some(None) if near(0) => None,
                Some(Some(older)) if older < index && near(older) && self.holds_index(older) => Some(older),
                _ => return self.go_through(),
            };
        }
        self.follow(named.map_or(0, |named| named + 1));
        self.look_for_holes();
    }

    fn holds_index(&mut self, sequence: u64) -> bool {
        self.recovery.blocks_read += 1;
        matches!(self.found(sequence), Ok(FoundBlock::Index(_)))
    }

    /// Follows the log from the last index that is there. All blocks before `known` were written: one that is missing there
    /// is damaged, and says nothing of the end. Behind it blocks in flight end in any order, so the end is only where a
    /// whole window holds none.
    fn follow(&mut self, known: u64) {
        let reach = u64::from(self.superblock.index_interval) - 1;
        let start = self.last_index.map_or(0, |last| last + 1);
        self.end = start;
        let mut until = if self.superblock.is_closed { known } else { known + reach };
        let mut sequence = start;
        while sequence < until && self.superblock.may_hold(sequence) {
            let in_flight =
                |(sequence, entry): &&(u64, Option<IndexEntry>)| *sequence >= known && entry.is_none();
            let missing = self.tail.iter().rev().take_while(in_flight).count();
            if missing >= self.superblock.window.max(1) as usize {
                break;
            }
            self.recovery.blocks_read += 1;
            if self.note(sequence) && self.recovery.superblock_lost && self.ends_with_index() {
                // The superblock that knew of this index is the lost one.
                until = until.max(sequence + 1 + reach);
            }
            sequence += 1;
        }
        let end = self.end;
        self.tail.retain(|(sequence, _)| *sequence < end);
    }

    /// Asks once more for blocks that were missing: one that was in flight may have been written while those behind it
    /// were read.
    fn look_for_holes(&mut self) {
        let settled = self.settled_end();
        for number in 0..self.tail.len() {
            let (sequence, entry) = self.tail[number];
            if entry.is_none() && sequence < settled {
                self.tail[number].1 = self.entry(sequence);
            }
        }
    }

    /// What a block behind the last index holds.
    fn entry(&self, sequence: u64) -> Option<IndexEntry> {
        match self.found(sequence).ok()? {
            FoundBlock::Block(header) => Some(IndexEntry::from_header(&header)),
            // An index that did not get into a superblock is told of by an entry of no channel.
            FoundBlock::Index(_) => Some(IndexEntry { channel: u16::MAX, ..IndexEntry::default() }),
        }
    }

    /// Notes what a block behind the last index holds; whether it holds anything.
    fn note(&mut self, sequence: u64) -> bool {
        let entry = self.entry(sequence);
        self.tail.push((sequence, entry));
        if entry.is_some() {
            self.end = sequence + 1;
        }
        entry.is_some()
    }

    fn ends_with_index(&self) -> bool {
        self.tail.last().and_then(|(_, entry)| *entry).is_some_and(|entry| entry.channel == u16::MAX)
    }

    /// Goes through the whole log where no index is known: every place is asked which block it holds.
    fn go_through(&mut self) {
        let mut newest = None;
        for place in 0..self.superblock.log_blocks {
            self.recovery.blocks_read += 1;
            let sequence = self.sequence_at(place);
            newest = newest.max(sequence);
            if sequence.is_none() && self.superblock.offset(place) >= self.image.length() {
                break;
            }
        }
        let until = newest.map_or(0, |newest| newest + 1);
        let first = match self.superblock.shape {
            StreamMode::Linear => 0,
            StreamMode::Cyclic => until.saturating_sub(self.superblock.log_blocks),
        };
        (self.end, self.last_index) = (first, None);
        for sequence in self.on_image(first..until) {
            self.note(sequence);
        }
    }

    /// The number of the block that lies in a place of the log, where it is one of this recording.
    fn sequence_at(&self, place: u64) -> Option<u64> {
        let found = match self.found(place) {
            Ok(_) => Some(place),
            Err(Damage::OtherSequence(sequence)) => Some(sequence),
            Err(_) => None,
        };
        found.filter(|sequence| {
            sequence % self.superblock.log_blocks == place && self.superblock.may_hold(*sequence)
        })
    }
}

struct Superblocks {
    /// The one of the higher generation.
    newest: Superblock,
    /// The other one, where it can be used.
    other: Option<Superblock>,
    /// Whether one of the two is unusable.
    is_lost: bool,
}

fn superblocks(image: &dyn Image) -> Result<Superblocks, StreamError> {
    let mut bytes = vec![0; HEADER_BYTES];
    let (mut found, mut damages) = (Vec::new(), Vec::new());
    for at in superblocks_at(image.length()) {
        let read = image.read_at(at, &mut bytes).map_err(|_| Damage::Unreadable);
        match read.and_then(|count| Superblock::decode(&bytes[..count])) {
            Ok(superblock) => found.push(superblock),
            Err(damage) => damages.push(damage),
        }
    }
    let is_lost = !damages.is_empty();
    found.sort_by_key(|superblock| superblock.generation);
    if let Some(newest) = found.pop() {
        return Ok(Superblocks { newest, other: found.pop(), is_lost });
    }
    match damages.into_iter().find(|damage| *damage != Damage::Nothing) {
        Some(damage) => Err(StreamError::Superblocks(damage.to_string())),
        None => Err(StreamError::NoRecording),
    }
}
