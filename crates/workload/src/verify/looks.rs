//! What blocks hold at several looks, without knowing what was written: whether they came back as zeros, as before, or
//! otherwise, and whether they stay as they are.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crc_fast::CrcAlgorithm;
use drivelab_block::{Payload, Request};

/// What a block held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockContents {
    /// Zeros, and nothing else.
    Zeros,
    /// Something else; two contents with the same number are taken for the same.
    Bytes(u64),
}

impl BlockContents {
    /// What these bytes are.
    pub fn from_bytes(bytes: &[u8]) -> BlockContents {
        if bytes.iter().all(|byte| *byte == 0) {
            BlockContents::Zeros
        } else {
            BlockContents::Bytes(crc_fast::checksum(CrcAlgorithm::Crc64Nvme, bytes))
        }
    }
}

/// The looks of a run, one after the other.
#[derive(Clone, Debug, Default)]
pub struct ReadbackLog(Arc<Mutex<Vec<BTreeMap<u64, BlockContents>>>>);

/// What blocks returned after something was done to them, compared with what they held before. Each block counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Returned {
    /// Zeros, at every look.
    pub zeros: u64,
    /// What they held before, at every look.
    pub old: u64,
    /// Something else, the same at every look.
    pub other: u64,
    /// Not the same at every look.
    pub varying: u64,
}

impl Returned {
    /// Blocks that were looked at.
    pub fn blocks(&self) -> u64 {
        self.zeros + self.old + self.other + self.varying
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, more: Returned) -> Returned {
        Returned {
            zeros: self.zeros + more.zeros,
            old: self.old + more.old,
            other: self.other + more.other,
            varying: self.varying + more.varying,
        }
    }
}

impl ReadbackLog {
    /// Begins the next look.
    pub fn begin(&self) {
        self.all().push(BTreeMap::new());
    }

    /// Notes what the block at this sector held. Before the first look nothing is noted.
    pub fn note(&self, sector: u64, held: BlockContents) {
        if let Some(look) = self.all().last_mut() {
            look.insert(sector, held);
        }
    }

    /// Forgets all looks.
    pub fn forget(&self) {
        self.all().clear();
    }

    /// Forgets all looks, and says what the blocks of the first one returned in those after it. A block that was not read at
    /// each of them does not count.
    pub fn judge(&self) -> Returned {
        let looks = std::mem::take(&mut *self.all());
        let mut returned = Returned::default();
        let Some((before, after)) = looks.split_first().filter(|(_, after)| !after.is_empty()) else {
            return returned;
        };
        for (sector, old) in before {
            let found: Option<Vec<BlockContents>> =
                after.iter().map(|look| look.get(sector).copied()).collect();
            let Some(found) = found else { continue };
            let count = match found.iter().all(|held| *held == found[0]) {
                false => &mut returned.varying,
                // Zeros are no old data, even where there were zeros before.
                true if found[0] == BlockContents::Zeros => &mut returned.zeros,
                true if found[0] == *old => &mut returned.old,
                true => &mut returned.other,
            };
            *count += 1;
        }
        returned
    }

    fn all(&self) -> MutexGuard<'_, Vec<BTreeMap<u64, BlockContents>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A payload whose reads are looked at.
#[derive(Debug)]
pub struct ReadbackPayload<P> {
    payload: P,
    looks: ReadbackLog,
}

impl<P> ReadbackPayload<P> {
    /// Notes in `looks` what every read brings back.
    pub fn new(payload: P, looks: ReadbackLog) -> ReadbackPayload<P> {
        ReadbackPayload { payload, looks }
    }
}

impl<P: Payload> Payload for ReadbackPayload<P> {
    fn fill(&mut self, buffer: &mut [u8]) {
        self.payload.fill(buffer);
    }

    fn stamp(&mut self, request: &Request, buffer: &mut [u8]) {
        self.payload.stamp(request, buffer);
    }

    fn looks(&self) -> bool {
        true
    }

    fn returned(&mut self, request: &Request, buffer: &[u8]) {
        let bytes = usize::try_from(request.extent.length.bytes().get()).unwrap_or(0).min(buffer.len());
        self.looks.note(request.extent.start.get(), BlockContents::from_bytes(&buffer[..bytes]));
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount};

    use super::*;

    #[test]
    fn every_block_is_judged_by_what_it_held_before() {
        let looks = ReadbackLog::default();
        looks.note(7, BlockContents::Zeros);
        let [a, b] = [[1_u8; 512], [2; 512]].map(|bytes| BlockContents::from_bytes(&bytes));
        assert_ne!(a, b);
        assert_eq!(BlockContents::from_bytes(&[0; 4096]), BlockContents::Zeros);
        let all = [
            // Zeros, as before, another content, no two alike, and one that is read only once.
            vec![(0, a), (8, a), (16, a), (24, a), (32, a)],
            vec![(0, BlockContents::Zeros), (8, a), (16, b), (24, b), (32, a)],
            vec![(0, BlockContents::Zeros), (8, a), (16, b), (24, BlockContents::Zeros)],
        ];
        for look in all {
            looks.begin();
            look.into_iter().for_each(|(sector, held)| looks.note(sector, held));
        }
        assert_eq!(looks.judge(), Returned { zeros: 1, old: 1, other: 1, varying: 1 });
        assert_eq!(looks.judge(), Returned::default());
    }

    #[test]
    fn blocks_of_several_places_are_added_by_what_they_returned() {
        let one = Returned { zeros: 1, old: 20, other: 300, varying: 4_000 };
        assert_eq!(one.blocks(), 4_321);
        let five = one.plus(Returned { zeros: 4, old: 3, other: 2, varying: 1 });
        assert_eq!(five, Returned { zeros: 5, old: 23, other: 302, varying: 4_001 });
    }

    /// Writes ones.
    struct Ones;

    impl Payload for Ones {
        fn fill(&mut self, buffer: &mut [u8]) {
            buffer.fill(1);
        }

        fn stamp(&mut self, _: &Request, buffer: &mut [u8]) {
            buffer[0] = 2;
        }
    }

    #[test]
    fn reads_are_looked_at_and_what_is_written_stays_as_it_was_to_be() {
        let looks = ReadbackLog::default();
        let mut payload = ReadbackPayload::new(Ones, looks.clone());
        let extent = Extent { start: Sector::new(8), length: SectorCount::new(1) };
        let (intended_at, phase, queue) = (Instant::ORIGIN, PhaseId(0), QueueId(0));
        let request = Request { intended_at, extent, op: Op::Read, phase, queue };
        let mut buffer = [0; 1024];
        payload.fill(&mut buffer);
        payload.stamp(&request, &mut buffer);
        assert_eq!(buffer[..2], [2, 1]);
        for rest in [3, 4] {
            // What lies behind the request in the buffer is no part of it.
            buffer[512..].fill(rest);
            looks.begin();
            payload.returned(&request, &buffer);
        }
        assert_eq!(looks.judge(), Returned { old: 1, ..Returned::default() });
        looks.begin();
        looks.note(8, BlockContents::Zeros);
        looks.forget();
        looks.begin();
        looks.note(8, BlockContents::Zeros);
        assert_eq!(looks.judge(), Returned::default(), "there is only one look left");
    }
}
