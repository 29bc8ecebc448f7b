//! Logs that are put together block by block: small, of one channel, and left as a recorder may have left them.

use drivelab_stream::layout::{
    BlockHeader, ChannelEntry, FrameEntry, Index, IndexEntry, RunId, StreamFraming, StreamMode, Superblock,
    crc32c,
};
use drivelab_stream::reader::{Chart, Recording};

pub const BLOCK: u64 = 64 << 10;
pub const PLACE: usize = 64 << 10;
pub const PLACES: u64 = 20;
pub const INTERVAL: u64 = 8;
pub const WINDOW: u64 = 3;
/// The blocks behind the last index that may have been written, and that a reader has to ask.
pub const REACH: u64 = INTERVAL - 1;

/// Every fourth block is an index, as a recorder writes two of them in an interval.
pub fn is_index(sequence: u64) -> bool {
    sequence % 4 == 3
}

pub fn superblock(shape: StreamMode, generation: u64, last_index: Option<u64>) -> Superblock {
    Superblock {
        generation,
        run: RunId([5; 16]),
        block_bytes: 64 << 10,
        log_start: BLOCK,
        log_blocks: PLACES,
        shape,
        is_closed: false,
        index_interval: 8,
        in_flight: 2,
        window: 3,
        started_unix_ns: 1,
        last_index,
        channels: vec![ChannelEntry { name: "camera".to_owned(), framing: StreamFraming::Length }],
    }
}

/// A block with one frame of eight bytes.
pub fn header(sequence: u64) -> BlockHeader {
    BlockHeader {
        run: RunId([5; 16]),
        sequence,
        channel_sequence: sequence - sequence / 4,
        used: 8,
        payload_sum: crc32c(&[7; 8]),
        frames: vec![FrameEntry { offset: 0, length: 8, sequence, time_unix_ns: sequence }],
        ..BlockHeader::default()
    }
}

/// An image of a log, or of what is left of one.
#[derive(Clone)]
pub struct Left(pub Vec<u8>);

impl Left {
    /// A log whose superblocks, the newer one first, name these indexes.
    pub fn new(shape: StreamMode, named: [Option<u64>; 2]) -> Left {
        let mut left = Left(vec![0; PLACE * 22]);
        left.name(&superblock(shape, 2, named[0]));
        superblock(shape, 1, named[1]).encode(&mut left.0[PLACE * 22 - 4096..]);
        left
    }

    pub fn name(&mut self, newest: &Superblock) {
        newest.encode(&mut self.0);
    }

    pub fn place(&mut self, sequence: u64) -> &mut [u8] {
        let place = 1 + usize::try_from(sequence % PLACES).expect("few");
        &mut self.0[place * PLACE..][..PLACE]
    }

    pub fn write(&mut self, sequence: u64) {
        let place = self.place(sequence);
        if !is_index(sequence) {
            header(sequence).encode(place);
            place[4096..4104].fill(7);
            return;
        }
        let previous = sequence.checked_sub(4);
        let entries =
            (sequence - 3..sequence).map(|told| IndexEntry::from_header(&header(told))).collect::<Vec<_>>();
        Index { run: RunId([5; 16]), sequence, previous, entries }.encode(place);
    }

    pub fn written(mut self, sequences: impl IntoIterator<Item = u64>) -> Left {
        sequences.into_iter().for_each(|sequence| self.write(sequence));
        self
    }

    pub fn spoiled(mut self, sequences: impl IntoIterator<Item = u64>) -> Left {
        sequences.into_iter().for_each(|sequence| self.place(sequence).fill(0));
        self
    }
}

/// The blocks of frames that a reader comes to know of.
pub fn known(recording: &Recording<'_>) -> Vec<u64> {
    let chart = Chart::read(recording);
    chart.places.iter().map(|place| place.sequence).collect()
}

pub fn of_frames(sequences: std::ops::Range<u64>) -> Vec<u64> {
    sequences.filter(|sequence| !is_index(*sequence)).collect()
}
