//! What may be said to be kept: the one place that decides it.
//!
//! A frame is kept when every block that holds a part of it, and every earlier block of its channel, is written; and
//! where durability was asked for, when a flush that began after these writes has ended too. Blocks end in any
//! order; a channel's frontier only moves over blocks that have no unwritten one before them.

use std::collections::VecDeque;

use crate::ring::FrameTally;

/// How far a block is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BlockStage {
    /// Being written.
    Sent,
    /// Written.
    Written,
    /// Written before the flush began that is under way.
    Flushing,
    /// On the medium.
    Flushed,
}

#[derive(Clone, Copy, Debug)]
struct KeptBlock {
    sequence: u64,
    /// None for an index.
    channel: Option<u16>,
    ended: FrameTally,
    stage: BlockStage,
}

/// Follows every block from its submission until its frames are kept.
#[derive(Debug)]
pub struct KeptTracker {
    durable: bool,
    /// In the order of the log.
    blocks: VecDeque<KeptBlock>,
    frontiers: Vec<FrameTally>,
    moved: Vec<u16>,
    next: u64,
}

impl KeptTracker {
    /// Nothing is kept yet.
    pub fn new(channels: usize, durable: bool) -> KeptTracker {
        KeptTracker {
            durable,
            blocks: VecDeque::new(),
            frontiers: vec![FrameTally::default(); channels],
            moved: Vec::new(),
            next: 0,
        }
    }

    /// The next block of the log goes to the drive; an index has no channel.
    pub fn sent(&mut self, channel: Option<u16>, ended: FrameTally) {
        self.blocks.push_back(KeptBlock { sequence: self.next, channel, ended, stage: BlockStage::Sent });
        self.next += 1;
    }

    /// A block is written, wholly and without an error.
    pub fn written(&mut self, sequence: u64) {
        let first = self.blocks.front().map_or(0, |block| block.sequence);
        let index = sequence.checked_sub(first).and_then(|index| usize::try_from(index).ok());
        if let Some(block) = index.and_then(|index| self.blocks.get_mut(index)) {
            block.stage = BlockStage::Written;
        }
        self.advance();
    }

    /// A flush begins: it covers what is written by now.
    pub fn flush_begins(&mut self) {
        let written = self.blocks.iter_mut().filter(|block| block.stage == BlockStage::Written);
        written.for_each(|block| block.stage = BlockStage::Flushing);
    }

    /// The flush that began last has ended.
    pub fn flush_ends(&mut self) {
        let flushed = self.blocks.iter_mut().filter(|block| block.stage == BlockStage::Flushing);
        flushed.for_each(|block| block.stage = BlockStage::Flushed);
        self.advance();
    }

    /// Whether there is something written that no flush has covered or is about to cover.
    pub fn needs_flush(&self) -> bool {
        self.durable && self.blocks.iter().any(|block| block.stage == BlockStage::Written)
    }

    /// The first block that is not written yet; the next one to come where all are.
    pub fn first_unwritten(&self) -> u64 {
        self.blocks
            .iter()
            .find(|block| block.stage == BlockStage::Sent)
            .map_or(self.next, |block| block.sequence)
    }

    /// What a channel has kept.
    pub fn frontier(&self, channel: usize) -> FrameTally {
        self.frontiers.get(channel).copied().unwrap_or_default()
    }

    /// Bytes of frames that all channels together have kept.
    pub fn bytes(&self) -> u64 {
        self.frontiers.iter().map(|frontier| frontier.bytes).sum()
    }

    /// The channels whose frontier has moved since this was last asked.
    pub fn take_moved(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.moved)
    }

    /// Moves the frontiers over what is complete. The log's order is every channel's order, and a channel only waits
    /// for its own blocks; but blocks behind an unwritten one stay, and are looked at again.
    fn advance(&mut self) {
        let complete = if self.durable { BlockStage::Flushed } else { BlockStage::Written };
        let mut is_waiting = vec![false; self.frontiers.len()];
        for block in &mut self.blocks {
            let Some(channel) = block.channel else { continue };
            let (number, ended) = (usize::from(channel), block.ended);
            if block.stage < complete {
                is_waiting[number] = true;
            } else if !is_waiting[number] && ended.frames > 0 {
                let frontier = &mut self.frontiers[number];
                frontier.last = ended.last;
                frontier.frames += ended.frames;
                frontier.bytes += ended.bytes;
                block.ended = FrameTally::default();
                if !self.moved.contains(&channel) {
                    self.moved.push(channel);
                }
            }
        }
        while self.blocks.front().is_some_and(|block| block.stage >= complete) {
            self.blocks.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(last: u64) -> FrameTally {
        FrameTally { frames: 1, bytes: 10, last: Some(last) }
    }

    #[test]
    fn a_frame_waits_for_every_earlier_block_of_its_channel_and_for_no_other() {
        let mut kept = KeptTracker::new(2, false);
        kept.sent(Some(0), ends(0));
        kept.sent(Some(1), ends(0));
        kept.sent(Some(0), FrameTally::default());
        kept.sent(Some(0), ends(1));
        kept.written(3);
        kept.written(1);
        assert_eq!((kept.frontier(0).last, kept.frontier(1).last), (None, Some(0)));
        assert_eq!(kept.take_moved(), [1]);
        kept.written(0);
        assert_eq!(kept.frontier(0), FrameTally { last: Some(0), frames: 1, bytes: 10 });
        assert_eq!(kept.first_unwritten(), 2);
        kept.written(2);
        assert_eq!(kept.frontier(0).last, Some(1));
        assert_eq!(kept.first_unwritten(), 4);
        assert_eq!(kept.take_moved(), [0]);
        assert_eq!(kept.bytes(), 30, "of both channels");
        assert_eq!(kept.blocks.len(), 0, "what is complete takes no memory");
    }

    #[test]
    fn a_durable_frame_waits_for_a_flush_that_began_after_its_write() {
        let mut kept = KeptTracker::new(1, true);
        kept.sent(Some(0), ends(0));
        kept.sent(Some(0), ends(1));
        kept.written(0);
        assert_eq!(kept.frontier(0).last, None);
        kept.flush_begins();
        kept.written(1);
        kept.flush_ends();
        assert_eq!(kept.frontier(0).last, Some(0));
        assert!(kept.needs_flush());
        kept.flush_begins();
        assert!(!kept.needs_flush());
        kept.flush_ends();
        assert_eq!((kept.frontier(0).last, kept.frontier(0).frames), (Some(1), 2));
        assert_eq!(kept.blocks.len(), 0, "what is complete takes no memory");
    }
}
