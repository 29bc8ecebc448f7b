//! A look at places spread over a drive: is there anything on it but zeros?

use std::os::fd::BorrowedFd;

use drivelab_block::{ByteCount, SECTOR_BYTES};

/// What the sampled places showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sampled {
    /// Nothing but zeros.
    Zeros,
    /// Something else, first seen at this byte.
    NonZero(ByteCount),
    /// A place that could not be read.
    Unreadable(ByteCount, String),
}

/// Places between start and end, one in each of as many equal parts of the drive.
const PLACES: u64 = 96;
/// Bytes read at each place, and the alignment of those in between: enough for the direct I/O of all drives but those of
/// longer blocks.
const PLACE_BYTES: u64 = 4096;
/// Bytes read at the start and at the end, where file systems and partition tables keep their tables.
const EDGE_BYTES: u64 = 1 << 20;
/// The alignment of memory.
const MEMORY_ALIGNMENT: usize = 4096;

/// Reads the start, the end, and places between that `seed` chooses, in whole blocks of the drive.
pub(crate) fn sample(drive: BorrowedFd<'_>, size: ByteCount, logical_block: u32, seed: u64) -> Sampled {
    let mut buffer = AlignedBuffer::new();
    for (offset, length) in places(size.get(), u64::from(logical_block), seed) {
        match first_nonzero(drive, &mut buffer, offset, length) {
            Ok(None) => {}
            Ok(Some(at)) => return Sampled::NonZero(ByteCount::new(at)),
            Err(error) => return Sampled::Unreadable(ByteCount::new(offset), error.to_string()),
        }
    }
    Sampled::Zeros
}

/// Offset and length of every place, each of whole blocks.
fn places(size: u64, block: u64, seed: u64) -> Vec<(u64, u64)> {
    let block = block.max(SECTOR_BYTES);
    let size = size - size % block;
    let (edge, place) = (EDGE_BYTES.max(block).min(size), PLACE_BYTES.max(block));
    let mut places = vec![(0, edge), (size - edge, edge)];
    let part = size / PLACES;
    if part >= place {
        let mut state = seed;
        places.extend((0..PLACES).map(|index| {
            let within = next_random(&mut state) % (part - place + 1);
            let offset = index * part + within;
            (offset - offset % place, place)
        }));
    }
    places
}

/// `SplitMix64`: the places only have to be spread out and repeatable.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn first_nonzero(
    drive: BorrowedFd<'_>,
    buffer: &mut AlignedBuffer,
    offset: u64,
    length: u64,
) -> Result<Option<u64>, rustix::io::Errno> {
    let mut at = offset;
    while at < offset + length {
        let wanted = usize::try_from(offset + length - at).unwrap_or(usize::MAX);
        let room = buffer.room();
        let wanted = wanted.min(room.len());
        let got = match rustix::io::pread(drive, &mut room[..wanted], at) {
            Ok(0) => return Ok(None),
            Ok(got) => got,
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error),
        };
        if let Some(place) = room[..got].iter().position(|byte| *byte != 0) {
            return Ok(Some(at + place as u64));
        }
        at += got as u64;
    }
    Ok(None)
}

/// Memory that direct I/O accepts.
struct AlignedBuffer {
    memory: Vec<u8>,
    start: usize,
}

impl AlignedBuffer {
    const ROOM: usize = 256 << 10;

    fn new() -> AlignedBuffer {
        let memory = vec![0; AlignedBuffer::ROOM + MEMORY_ALIGNMENT];
        let start = memory.as_ptr().align_offset(MEMORY_ALIGNMENT).min(MEMORY_ALIGNMENT);
        AlignedBuffer { memory, start }
    }

    fn room(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + AlignedBuffer::ROOM]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_place_is_aligned_and_on_the_drive(size in 0_u64..1 << 50, shift in 9_u32..18, seed: u64) {
            let block = 1 << shift;
            let places = places(size, block, seed);
            for (offset, length) in &places {
                prop_assert!(offset % block == 0 && length % block == 0);
                prop_assert!(offset + length <= size);
            }
            prop_assert_eq!(places[0].0, 0);
            prop_assert_eq!(places[1].0 + places[1].1, size - size % block);
        }
    }

    #[test]
    fn a_large_drive_is_sampled_in_every_part() {
        assert_eq!(places(1 << 40, 512, 7).len() as u64, PLACES + 2);
        assert_ne!(places(1 << 40, 512, 7), places(1 << 40, 512, 8));
    }
}
