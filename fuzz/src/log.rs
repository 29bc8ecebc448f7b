//! A recording of a stream, made of an input: its superblocks, then a structure for each place of its log.

use drivelab_stream::layout::{BlockHeader, HEADER_BYTES, Index, Superblock, crc32c, superblocks_at};
use drivelab_stream::reader::{Chart, Image, Recording, check};

/// Blocks as long as this are as good as longer ones, and take less time; in bytes.
const LONGEST: u32 = 256 << 10;

/// What is read as a target: the structures where they belong, and zeros everywhere else.
pub struct Log {
    length: u64,
    structures: Vec<(u64, Vec<u8>)>,
}

impl Log {
    /// Lays an input out as its first structure says; `None` where that is no superblock that is worth it.
    pub fn of(mut data: &[u8]) -> Option<Log> {
        let first = next(&mut data)?;
        let superblock = Superblock::decode(&first).ok()?;
        if superblock.block_bytes > LONGEST || superblock.log_start > u64::from(LONGEST) {
            return None;
        }
        let second = next(&mut data);
        let mut structures = vec![(0, first)];
        let places = superblock.log_start..;
        structures.extend(
            places.step_by(superblock.block_bytes as usize).zip(std::iter::from_fn(|| next(&mut data))),
        );
        let (last, bytes) = structures.last()?;
        let length = last + (bytes.len() as u64).max(u64::from(superblock.block_bytes)) + HEADER_BYTES as u64;
        structures.extend(second.map(|second| (superblocks_at(length)[1], second)));
        Some(Log { length, structures })
    }

    /// Reads it as `stream check` does.
    pub fn read(&self) {
        let Ok(recording) = Recording::open(self) else { return };
        let chart = Chart::read(&recording);
        check(&recording, &chart).expect("an image in memory");
    }
}

impl Image for Log {
    fn read_at(&self, offset: u64, target: &mut [u8]) -> std::io::Result<usize> {
        let count =
            target.len().min(usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX));
        target[..count].fill(0);
        for (at, bytes) in &self.structures {
            let (start, end) = (offset.max(*at), (offset + count as u64).min(at + bytes.len() as u64));
            if start < end {
                let from = &bytes[(start - at) as usize..(end - at) as usize];
                target[(start - offset) as usize..(end - offset) as usize].copy_from_slice(from);
            }
        }
        Ok(count)
    }

    fn length(&self) -> u64 {
        self.length
    }
}

/// Takes the next structure from an input, and seals it: a wrong sum would be all that is ever looked at.
fn next(data: &mut &[u8]) -> Option<Vec<u8>> {
    let header = data.get(..HEADER_BYTES)?;
    let length = if Index::is_one(header) { Index::bytes(header).min(data.len()) } else { HEADER_BYTES };
    let mut bytes = data.split_off(..length)?.to_vec();
    if bytes.starts_with(b"DLSTREAM") {
        seal(&mut bytes, 12);
    } else if Index::is_one(&bytes) {
        // The sum of its entries, which lie behind its header; what is behind them is none of them.
        let used = u32::from_le_bytes(bytes[48..52].try_into().ok()?) as usize * 48;
        let sum = crc32c(bytes.get(HEADER_BYTES..HEADER_BYTES.saturating_add(used)).unwrap_or_default());
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
        seal(&mut bytes, 8);
    } else if BlockHeader::is_one(&bytes) {
        seal(&mut bytes, 8);
        let mut header = BlockHeader::parse(&bytes).ok()?;
        header.payload_sum = crc32c(&vec![0; header.used.min(LONGEST) as usize]);
        header.encode(&mut bytes);
    }
    Some(bytes)
}

/// Writes the right sum over a header; it lies at `at`, and counts as zeros.
fn seal(bytes: &mut [u8], at: usize) {
    bytes[at..at + 4].fill(0);
    let sum = crc32c(&bytes[..HEADER_BYTES]);
    bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
}
