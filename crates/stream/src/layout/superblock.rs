//! The superblocks: what the recording is, and where its last index is. Two take turns, so that one is always whole.

use drivelab_block::{StreamFraming, StreamMode};

use super::fields::{Fields, optional, put, seal};
use super::{BLOCK_BYTES, Damage, HEADER_BYTES, RunId};

const MAGIC: &[u8; 8] = b"DLSTREAM";
const VERSION: u32 = 1;
const SUM_AT: usize = 12;
const CHANNELS_AT: usize = 128;
const CHANNEL_BYTES: usize = 64;
/// The most channels of a recording.
pub const CHANNELS_MAX: usize = 32;
/// The longest name of a channel, in bytes of UTF-8.
pub const NAME_BYTES_MAX: usize = CHANNEL_BYTES - 2;

/// More than any recording has: a recovery is not sent further by a damaged superblock.
const INTERVAL_MAX: u32 = 1 << 22;
const IN_FLIGHT_MAX: u32 = 1 << 12;
const WINDOW_MAX: u32 = 1 << 14;

/// A channel as the recording knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelEntry {
    /// Its name, 1 to [`NAME_BYTES_MAX`] bytes.
    pub name: String,
    /// How its frames were told apart.
    pub framing: StreamFraming,
}

/// What a recording is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superblock {
    /// Counts the superblocks written to this target, over all recordings: the greatest is valid.
    pub generation: u64,
    /// The recording.
    pub run: RunId,
    /// The length of a block and of its place, in bytes.
    pub block_bytes: u32,
    /// Where the log begins on the target, in bytes.
    pub log_start: u64,
    /// How many places the log has.
    pub log_blocks: u64,
    /// What happens at its end.
    pub shape: StreamMode,
    /// Whether the recording was ended cleanly.
    pub is_closed: bool,
    /// At most this many blocks are read to find the end of the log: the last index, and those behind it.
    pub index_interval: u32,
    /// The most blocks that were being written at a time.
    pub in_flight: u32,
    /// The most numbers between the oldest block being written and the newest.
    pub window: u32,
    /// When the recording began, in nanoseconds of Unix time.
    pub started_unix_ns: u64,
    /// The block with the last index; none before the first.
    pub last_index: Option<u64>,
    /// The channels in the order of their numbers.
    pub channels: Vec<ChannelEntry>,
}

impl Superblock {
    /// The bytes of a superblock.
    ///
    /// # Panics
    /// Where there are more than [`CHANNELS_MAX`] channels, or a name is too long: the recorder checks both.
    pub fn encode(&self, target: &mut [u8]) {
        let target = &mut target[..HEADER_BYTES];
        target.fill(0);
        put(target, 0, MAGIC);
        put(target, 8, &VERSION.to_le_bytes());
        put(target, 16, &self.generation.to_le_bytes());
        put(target, 24, &self.run.0);
        put(target, 40, &self.block_bytes.to_le_bytes());
        put(target, 44, &self.index_interval.to_le_bytes());
        put(target, 48, &self.log_start.to_le_bytes());
        put(target, 56, &self.log_blocks.to_le_bytes());
        put(target, 64, &[u8::from(self.shape == StreamMode::Cyclic), u8::from(self.is_closed)]);
        #[expect(clippy::cast_possible_truncation, reason = "at most CHANNELS_MAX")]
        put(target, 66, &(self.channels.len() as u16).to_le_bytes());
        put(target, 68, &self.in_flight.to_le_bytes());
        put(target, 72, &self.started_unix_ns.to_le_bytes());
        put(target, 80, &self.last_index.unwrap_or(u64::MAX).to_le_bytes());
        put(target, 88, &self.window.to_le_bytes());
        assert!(self.channels.len() <= CHANNELS_MAX, "more channels than a superblock holds");
        for (number, channel) in self.channels.iter().enumerate() {
            let at = CHANNELS_AT + number * CHANNEL_BYTES;
            let name = channel.name.as_bytes();
            assert!(name.len() <= NAME_BYTES_MAX, "a name longer than its place");
            #[expect(clippy::cast_possible_truncation, reason = "at most NAME_BYTES_MAX")]
            put(target, at, &[u8::from(channel.framing == StreamFraming::Mjpeg), name.len() as u8]);
            put(target, at + 2, name);
        }
        seal(target, SUM_AT);
    }

    /// Reads a superblock.
    ///
    /// # Errors
    /// Where the bytes are none, or say what cannot be.
    pub fn decode(bytes: &[u8]) -> Result<Superblock, Damage> {
        let fields = Fields::of_structure(bytes, MAGIC, SUM_AT)?;
        if fields.u32(8) != VERSION {
            return Err(Damage::Impossible("the recording is of a later version of drivelab"));
        }
        let channels =
            (0..usize::from(fields.u16(66)).min(CHANNELS_MAX)).map(|number| channel(&fields, number));
        let superblock = Superblock {
            generation: fields.u64(16),
            run: RunId(fields.bytes(24)),
            block_bytes: fields.u32(40),
            index_interval: fields.u32(44),
            log_start: fields.u64(48),
            log_blocks: fields.u64(56),
            shape: if fields.u8(64) == 1 { StreamMode::Cyclic } else { StreamMode::Linear },
            is_closed: fields.u8(65) == 1,
            in_flight: fields.u32(68),
            window: fields.u32(88),
            started_unix_ns: fields.u64(72),
            last_index: optional(fields.u64(80)),
            channels: channels
                .collect::<Option<_>>()
                .ok_or(Damage::Impossible("a channel has an impossible name"))?,
        };
        superblock
            .is_possible()
            .then_some(superblock)
            .ok_or(Damage::Impossible("a superblock of impossible sizes"))
    }

    fn is_possible(&self) -> bool {
        let block = u64::from(self.block_bytes);
        let end = self.log_blocks.checked_mul(block).and_then(|bytes| bytes.checked_add(self.log_start));
        BLOCK_BYTES.contains(&self.block_bytes)
            && block.is_multiple_of(HEADER_BYTES as u64)
            && end.is_some()
            && self.log_blocks > 0
            && !self.channels.is_empty()
            && (1..=INTERVAL_MAX).contains(&self.index_interval)
            && self.in_flight <= IN_FLIGHT_MAX
            && self.window <= WINDOW_MAX
            && self.last_index.is_none_or(|last| self.may_hold(last))
    }

    /// Whether the log can have a block of this number: a linear one ends with its last place.
    pub fn may_hold(&self, sequence: u64) -> bool {
        match self.shape {
            StreamMode::Linear => sequence < self.log_blocks,
            StreamMode::Cyclic => sequence < u64::MAX / 2,
        }
    }

    /// The length of a block's payload area, in bytes.
    pub fn payload_bytes(&self) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "a constant")]
        let header = HEADER_BYTES as u32;
        self.block_bytes - header
    }

    /// Where a block of the log lies on the target, in bytes.
    pub fn offset(&self, sequence: u64) -> u64 {
        self.log_start + sequence % self.log_blocks * u64::from(self.block_bytes)
    }

    /// How often the log had been filled before this block: its generation.
    pub fn pass(&self, sequence: u64) -> u64 {
        sequence / self.log_blocks
    }

    /// The first block behind the last index, and the first one that cannot have been written yet.
    pub fn unindexed(&self) -> std::ops::Range<u64> {
        let start = self.last_index.map_or(0, |last| last + 1);
        start..start + u64::from(self.index_interval) - 1
    }
}

/// Whether a channel can be called this: names become those of folders, so an image may not lead out of one.
pub fn is_channel_name(name: &str) -> bool {
    let is_plain = |sign: char| sign.is_alphanumeric() || "-_.".contains(sign);
    (1..=NAME_BYTES_MAX).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_plain)
}

fn channel(fields: &Fields<'_>, number: usize) -> Option<ChannelEntry> {
    let at = CHANNELS_AT + number * CHANNEL_BYTES;
    let length = usize::from(fields.u8(at + 1));
    let name = fields.0.get(at + 2..at + 2 + length.min(NAME_BYTES_MAX))?;
    let name = std::str::from_utf8(name).ok().filter(|name| is_channel_name(name))?;
    let framing = if fields.u8(at) == 1 { StreamFraming::Mjpeg } else { StreamFraming::Length };
    Some(ChannelEntry { name: name.to_owned(), framing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn possible() -> Superblock {
        Superblock {
            generation: 3,
            run: RunId([7; 16]),
            block_bytes: 1 << 20,
            log_start: 1 << 20,
            log_blocks: 100,
            shape: StreamMode::Linear,
            is_closed: false,
            index_interval: 16,
            in_flight: 4,
            window: 8,
            started_unix_ns: 5,
            last_index: Some(99),
            channels: vec![ChannelEntry { name: "camera".to_owned(), framing: StreamFraming::Length }],
        }
    }

    /// A superblock as it is written, with a right checksum whatever it says.
    fn decoded(superblock: &Superblock) -> Result<Superblock, Damage> {
        let mut bytes = vec![0; HEADER_BYTES];
        superblock.encode(&mut bytes);
        Superblock::decode(&bytes)
    }

    #[test]
    fn sizes_that_cannot_be_are_refused_each_by_itself_and_those_at_the_limits_are_not() {
        let of = possible;
        let right = [
            of(),
            Superblock { block_bytes: 64 << 10, ..of() },
            Superblock { index_interval: 1, in_flight: IN_FLIGHT_MAX, window: WINDOW_MAX, ..of() },
            Superblock { index_interval: INTERVAL_MAX, ..of() },
            Superblock { log_blocks: 1, last_index: Some(0), ..of() },
            Superblock { last_index: None, ..of() },
            Superblock { shape: StreamMode::Cyclic, last_index: Some(1_000_000), ..of() },
        ];
        for superblock in right {
            assert_eq!(decoded(&superblock).as_ref(), Ok(&superblock));
        }
        let wrong = [
            Superblock { block_bytes: 32 << 10, ..of() },
            Superblock { block_bytes: 128 << 20, ..of() },
            Superblock { block_bytes: (1 << 20) + 512, ..of() },
            Superblock { log_blocks: 0, last_index: None, ..of() },
            Superblock { log_blocks: u64::MAX / 2, last_index: None, ..of() },
            Superblock { log_start: u64::MAX, ..of() },
            Superblock { index_interval: 0, ..of() },
            Superblock { index_interval: INTERVAL_MAX + 1, ..of() },
            Superblock { in_flight: IN_FLIGHT_MAX + 1, ..of() },
            Superblock { window: WINDOW_MAX + 1, ..of() },
            Superblock { last_index: Some(100), ..of() },
            Superblock { shape: StreamMode::Cyclic, last_index: Some(u64::MAX / 2), ..of() },
            Superblock { channels: Vec::new(), ..of() },
        ];
        for superblock in wrong {
            assert_eq!(
                decoded(&superblock),
                Err(Damage::Impossible("a superblock of impossible sizes")),
                "{superblock:?}"
            );
        }
    }

    #[test]
    fn a_block_lies_in_its_place_of_its_pass() {
        let superblock = Superblock { shape: StreamMode::Cyclic, log_blocks: 10, ..possible() };
        for (sequence, pass, place) in [(0, 0, 0), (9, 0, 9), (10, 1, 0), (35, 3, 5)] {
            assert_eq!(superblock.pass(sequence), pass);
            assert_eq!(superblock.offset(sequence), (1 + place) << 20);
        }
        assert_eq!(superblock.unindexed(), 100..115);
        assert_eq!(Superblock { last_index: None, ..superblock }.unindexed(), 0..15);
    }
}
