//! An index: what the blocks since the index before hold, so that a reader need not ask each of them.

use super::fields::{Fields, crc32c, optional, put, seal};
use super::{BlockHeader, Damage, ExpectedBlock, FrameEntry, HEADER_BYTES, RunId};

const MAGIC: &[u8; 8] = b"DLINDEX1";
const SUM_AT: usize = 8;
const ENTRY_BYTES: usize = 48;

/// The first and the last one of several numbers or times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstLast {
    /// The first one.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl FirstLast {
    /// From the first to the last one, both included.
    pub const fn new(first: u64, last: u64) -> FirstLast {
        FirstLast { first, last }
    }

    /// Whether this one is among them.
    pub fn contains(self, one: u64) -> bool {
        (self.first..=self.last).contains(&one)
    }

    /// Whether any is in both.
    pub fn overlaps(self, other: FirstLast) -> bool {
        self.first <= other.last && self.last >= other.first
    }
}

/// What an index says of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexEntry {
    /// The number of its channel.
    pub channel: u16,
    /// How many frames begin in it.
    pub frames: u16,
    /// Bytes of its payload area that are in use.
    pub used: u32,
    /// The block's number among those of its channel.
    pub channel_sequence: u64,
    /// The numbers of the first and the last frame that begin in it; of the carried one where none does.
    pub frame_sequences: FirstLast,
    /// The times of these frames, in nanoseconds of Unix time; zero where none begins in it.
    pub times_unix_ns: FirstLast,
}

impl IndexEntry {
    /// What an index says of a block with this header.
    pub fn from_header(header: &BlockHeader) -> IndexEntry {
        let carried = FrameEntry { sequence: header.carried_sequence, ..FrameEntry::default() };
        let first = header.frames.first().unwrap_or(&carried);
        let last = header.frames.last().unwrap_or(&carried);
        #[expect(clippy::cast_possible_truncation, reason = "at most FRAMES_MAX")]
        let frames = header.frames.len() as u16;
        IndexEntry {
            channel: header.channel,
            frames,
            used: header.used,
            channel_sequence: header.channel_sequence,
            frame_sequences: FirstLast::new(first.sequence, last.sequence),
            times_unix_ns: FirstLast::new(first.time_unix_ns, last.time_unix_ns),
        }
    }
}

/// An index, which takes a place in the log as any other block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The recording.
    pub run: RunId,
    /// The block's number in the log.
    pub sequence: u64,
    /// The index before; none before the first.
    pub previous: Option<u64>,
    /// The blocks since then, in the order of the log.
    pub entries: Vec<IndexEntry>,
}

impl Index {
    /// How many blocks the index of a block of this length can tell of.
    pub fn capacity(block_bytes: usize) -> usize {
        block_bytes.saturating_sub(HEADER_BYTES) / ENTRY_BYTES
    }

    /// The first block that it tells of.
    pub fn first(&self) -> u64 {
        self.previous.map_or(0, |previous| previous + 1)
    }

    /// Writes the index into the first bytes of a block; how many.
    ///
    /// # Panics
    /// Where it tells of more blocks than [`Index::capacity`].
    pub fn encode(&self, target: &mut [u8]) -> usize {
        let used = self.entries.len() * ENTRY_BYTES;
        let (header, payload) = target.split_at_mut(HEADER_BYTES);
        header.fill(0);
        for (bytes, entry) in payload.chunks_exact_mut(ENTRY_BYTES).zip(&self.entries) {
            put(bytes, 0, &entry.channel.to_le_bytes());
            put(bytes, 2, &entry.frames.to_le_bytes());
            put(bytes, 4, &entry.used.to_le_bytes());
            put(bytes, 8, &entry.channel_sequence.to_le_bytes());
            put(bytes, 16, &entry.frame_sequences.first.to_le_bytes());
            put(bytes, 24, &entry.frame_sequences.last.to_le_bytes());
            put(bytes, 32, &entry.times_unix_ns.first.to_le_bytes());
            put(bytes, 40, &entry.times_unix_ns.last.to_le_bytes());
        }
        put(header, 0, MAGIC);
        put(header, 12, &crc32c(&payload[..used]).to_le_bytes());
        put(header, 16, &self.run.0);
        put(header, 32, &self.sequence.to_le_bytes());
        put(header, 40, &self.previous.unwrap_or(u64::MAX).to_le_bytes());
        #[expect(clippy::cast_possible_truncation, reason = "below a block's length")]
        put(header, 48, &(self.entries.len() as u32).to_le_bytes());
        seal(header, SUM_AT);
        HEADER_BYTES + used
    }

    /// How many bytes an index takes that begins with this header, in whole headers; nothing is checked.
    pub fn bytes(header: &[u8]) -> usize {
        let used = header.get(48..52).map_or(0, |_| Fields(header).u32(48) as usize * ENTRY_BYTES);
        HEADER_BYTES + used.next_multiple_of(HEADER_BYTES)
    }

    /// Whether bytes begin like an index.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads the index that is expected here.
    ///
    /// # Errors
    /// Where it is another, or none, or damaged.
    pub fn decode(bytes: &[u8], expected: &ExpectedBlock) -> Result<Index, Damage> {
        let fields = Fields::of_structure(bytes, MAGIC, SUM_AT)?;
        if RunId(fields.bytes(16)) != expected.run {
            return Err(Damage::OtherRun);
        }
        if fields.u64(32) != expected.sequence {
            return Err(Damage::OtherSequence(fields.u64(32)));
        }
        let (count, previous) = (fields.u32(48), optional(fields.u64(40)));
        let told = expected.sequence.checked_sub(previous.map_or(0, |previous| previous.saturating_add(1)));
        if told != Some(u64::from(count)) {
            return Err(Damage::Impossible("an index that does not reach back to the one before"));
        }
        let used = count as usize * ENTRY_BYTES;
        let payload = bytes.get(HEADER_BYTES..HEADER_BYTES + used).ok_or(Damage::Checksum)?;
        if crc32c(payload) != fields.u32(12) {
            return Err(Damage::Checksum);
        }
        let entries = payload.chunks_exact(ENTRY_BYTES).map(|bytes| entry(&Fields(bytes))).collect();
        Ok(Index { run: expected.run, sequence: expected.sequence, previous, entries })
    }
}

fn entry(fields: &Fields<'_>) -> IndexEntry {
    IndexEntry {
        channel: fields.u16(0),
        frames: fields.u16(2),
        used: fields.u32(4),
        channel_sequence: fields.u64(8),
        frame_sequences: FirstLast::new(fields.u64(16), fields.u64(24)),
        times_unix_ns: FirstLast::new(fields.u64(32), fields.u64(40)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_begins_behind_the_one_before_and_takes_whole_headers() {
        let entry = IndexEntry {
            channel: 1,
            frames: 2,
            used: 3,
            channel_sequence: 4,
            frame_sequences: FirstLast::new(5, 6),
            times_unix_ns: FirstLast::new(7, 8),
        };
        let index = |entries: usize, previous: Option<u64>| Index {
            run: RunId([1; 16]),
            sequence: 500,
            previous,
            entries: vec![entry; entries],
        };
        assert_eq!((index(1, None).first(), index(1, Some(9)).first()), (0, 10));
        // An entry takes 48 bytes.
        assert_eq!((Index::capacity(1 << 20), Index::capacity(4_096)), (21_760, 0));
        for (entries, bytes) in [(0, 4_096), (1, 8_192), (85, 8_192), (86, 12_288)] {
            let mut block = vec![0; 1 << 20];
            let used = index(entries, None).encode(&mut block);
            assert_eq!((used, Index::bytes(&block)), (4_096 + entries * 48, bytes));
        }
        assert_eq!(Index::bytes(&[0; 40]), 4_096, "a header that is cut off says nothing");
    }
}
