//! The header of a block of frames.

use super::fields::{Fields, put, seal};
use super::{Damage, ExpectedBlock, HEADER_BYTES, RunId};

const MAGIC: &[u8; 8] = b"DLBLOCK1";
const SUM_AT: usize = 8;
const TABLE_AT: usize = 128;
const ENTRY_BYTES: usize = 24;
/// The most frames that can begin in one block.
pub const FRAMES_MAX: usize = (HEADER_BYTES - TABLE_AT) / ENTRY_BYTES;

/// A frame that begins in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameEntry {
    /// Where it begins in the block's payload, in bytes.
    pub offset: u32,
    /// Its whole length in bytes, however many blocks that takes.
    pub length: u32,
    /// Its number in its channel; numbers of dropped frames are missing.
    pub sequence: u64,
    /// When it was complete, or for synthetic ones due, in nanoseconds of Unix time.
    pub time_unix_ns: u64,
}

impl FrameEntry {
    /// Where it would end if the block had no end.
    pub fn end(&self) -> u64 {
        u64::from(self.offset) + u64::from(self.length)
    }
}

/// What a block says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockHeader {
    /// The recording.
    pub run: RunId,
    /// The block's number in the log.
    pub sequence: u64,
    /// How often the log had been filled before.
    pub pass: u64,
    /// The number of its channel.
    pub channel: u16,
    /// The block's number among those of its channel.
    pub channel_sequence: u64,
    /// Bytes of the payload area that are in use.
    pub used: u32,
    /// How many of them, from the first on, belong to a frame that began in an earlier block.
    pub carried: u32,
    /// That frame's number.
    pub carried_sequence: u64,
    /// How many of that frame's bytes lie in earlier blocks.
    pub carried_at: u32,
    /// CRC32C of the used payload.
    pub payload_sum: u32,
    /// The frames that begin here, in order.
    pub frames: Vec<FrameEntry>,
}

impl BlockHeader {
    /// Writes the header into the first bytes of a block.
    ///
    /// # Panics
    /// Where more than [`FRAMES_MAX`] frames begin in it: the ring closes a block before.
    pub fn encode(&self, target: &mut [u8]) {
        assert!(self.frames.len() <= FRAMES_MAX, "more frames than a header holds");
        let target = &mut target[..HEADER_BYTES];
        target.fill(0);
        put(target, 0, MAGIC);
        put(target, 12, &self.payload_sum.to_le_bytes());
        put(target, 16, &self.run.0);
        put(target, 32, &self.sequence.to_le_bytes());
        put(target, 40, &self.pass.to_le_bytes());
        put(target, 48, &self.channel_sequence.to_le_bytes());
        put(target, 56, &self.used.to_le_bytes());
        put(target, 60, &self.carried.to_le_bytes());
        put(target, 64, &self.carried_sequence.to_le_bytes());
        put(target, 72, &self.carried_at.to_le_bytes());
        put(target, 76, &self.channel.to_le_bytes());
        #[expect(clippy::cast_possible_truncation, reason = "at most FRAMES_MAX")]
        put(target, 78, &(self.frames.len() as u16).to_le_bytes());
        for (number, frame) in self.frames.iter().enumerate() {
            let at = TABLE_AT + number * ENTRY_BYTES;
            put(target, at, &frame.offset.to_le_bytes());
            put(target, at + 4, &frame.length.to_le_bytes());
            put(target, at + 8, &frame.sequence.to_le_bytes());
            put(target, at + 16, &frame.time_unix_ns.to_le_bytes());
        }
        seal(target, SUM_AT);
    }

    /// The channel of a block of frames that was encoded here; nothing is checked.
    pub fn channel_in(bytes: &[u8]) -> Option<u16> {
        BlockHeader::is_one(bytes).then(|| Fields(bytes).u16(76))
    }

    /// Whether bytes begin like a block of frames.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads the header of the block that is expected here.
    ///
    /// # Errors
    /// Where it is another, or none.
    pub fn decode(bytes: &[u8], expected: &ExpectedBlock) -> Result<BlockHeader, Damage> {
        let header = BlockHeader::parse(bytes)?;
        if header.run != expected.run {
            return Err(Damage::OtherRun);
        }
        if header.sequence != expected.sequence {
            return Err(Damage::OtherSequence(header.sequence));
        }
        if !header.is_possible(expected.payload_bytes) {
            return Err(Damage::Impossible("a block whose frames do not fit into it"));
        }
        Ok(header)
    }

    /// Reads a header, whichever block it is of.
    ///
    /// # Errors
    /// Where it is none, or damaged.
    pub fn parse(bytes: &[u8]) -> Result<BlockHeader, Damage> {
        let fields = Fields::of_structure(bytes, MAGIC, SUM_AT)?;
        let frame = |number: usize| {
            let at = TABLE_AT + number * ENTRY_BYTES;
            FrameEntry {
                offset: fields.u32(at),
                length: fields.u32(at + 4),
                sequence: fields.u64(at + 8),
                time_unix_ns: fields.u64(at + 16),
            }
        };
        Ok(BlockHeader {
            run: RunId(fields.bytes(16)),
            sequence: fields.u64(32),
            pass: fields.u64(40),
            channel: fields.u16(76),
            channel_sequence: fields.u64(48),
            used: fields.u32(56),
            carried: fields.u32(60),
            carried_sequence: fields.u64(64),
            carried_at: fields.u32(72),
            payload_sum: fields.u32(12),
            frames: (0..usize::from(fields.u16(78)).min(FRAMES_MAX)).map(frame).collect(),
        })
    }

    /// Frames lie one behind the other in the used bytes, and only the last one may go on behind a full block.
    fn is_possible(&self, payload_bytes: u32) -> bool {
        let mut free_from = u64::from(self.carried);
        for (number, frame) in self.frames.iter().enumerate() {
            let is_last = number + 1 == self.frames.len();
            let fits = frame.end() <= u64::from(self.used) || is_last && self.used == payload_bytes;
            if !fits || u64::from(frame.offset) < free_from || frame.offset > self.used {
                return false;
            }
            free_from = frame.end();
        }
        self.carried <= self.used && self.used <= payload_bytes
    }

    /// Whether the last frame goes on in the channel's next block.
    pub fn goes_on(&self) -> bool {
        self.frames.last().is_some_and(|last| last.end() > u64::from(self.used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_lie_behind_each_other_and_only_the_last_goes_on_behind_a_full_block() {
        let frame = |offset: u32, length: u32| FrameEntry { offset, length, sequence: 1, time_unix_ns: 1 };
        let header = |carried: u32, used: u32, frames: &[FrameEntry]| BlockHeader {
            carried,
            used,
            frames: frames.to_vec(),
            ..BlockHeader::default()
        };
        for possible in [
            header(0, 0, &[]),
            header(1_000, 1_000, &[]),
            header(100, 300, &[frame(100, 50), frame(150, 150)]),
            header(100, 300, &[frame(120, 50), frame(200, 90)]),
            header(0, 1_000, &[frame(0, 500), frame(500, 5_000)]),
            header(0, 1_000, &[frame(1_000, 10)]),
        ] {
            assert!(possible.is_possible(1_000), "{possible:?}");
        }
        for impossible in [
            header(301, 300, &[]),
            header(0, 1_001, &[]),
            header(100, 300, &[frame(99, 50)]),
            header(0, 300, &[frame(0, 51), frame(50, 10)]),
            header(0, 300, &[frame(200, 101)]),
            header(0, 1_000, &[frame(0, 5_000), frame(900, 10)]),
            header(0, 300, &[frame(301, 0)]),
        ] {
            assert!(!impossible.is_possible(1_000), "{impossible:?}");
        }
    }
}
