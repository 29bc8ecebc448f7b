//! The checksums of sectors: CRC-32C (Castagnoli) of all bytes before it.
//!
//! To go through a sector of 512 bytes takes longer than to make it. A CRC of messages of one length is affine: where
//! `l(x) = crc(x) ^ crc(zeros)`, `l(x ^ y) = l(x) ^ l(y)` (Warren, Hacker's Delight, 2nd edition, 2013, chapter 14). A sector
//! that is made is the sum of a header, a row of random bytes, its address and its key, so its checksum is the sum of theirs.

use crc_fast::CrcAlgorithm;

use crate::verify::layout::{ADDRESS, BODY, CHECKSUM};

/// What each value of each of eight bytes adds to a checksum.
pub(crate) type OfBytes = [[u32; 256]; 8];

/// What the parts of a sector add to its checksum.
#[derive(Clone, Debug)]
pub(crate) struct Checksums {
    pub address: Box<OfBytes>,
    /// By the key every word of the body differs from its row.
    pub key: Box<OfBytes>,
}

/// CRC-32C.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    // The algorithm has 32 bits.
    u32::try_from(crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, bytes)).unwrap_or(0)
}

/// What a part of a sector, which is zero elsewhere, adds to the checksum of the rest.
pub(crate) fn part(bytes: &[u8; CHECKSUM]) -> u32 {
    checksum(bytes) ^ checksum(&[0; CHECKSUM])
}

impl Checksums {
    pub fn new() -> Checksums {
        let mut checksums = Checksums { address: Box::new([[0; 256]; 8]), key: Box::new([[0; 256]; 8]) };
        for byte in 0..8 {
            for value in 0..=u8::MAX {
                let (mut address, mut key) = ([0; CHECKSUM], [0; CHECKSUM]);
                address[ADDRESS + byte] = value;
                key[BODY + byte..].iter_mut().step_by(8).for_each(|one| *one = value);
                checksums.address[byte][usize::from(value)] = part(&address);
                checksums.key[byte][usize::from(value)] = part(&key);
            }
        }
        checksums
    }
}

/// What a word adds, by what each of its bytes does.
#[inline]
pub(crate) fn sum(of_bytes: &OfBytes, word: u64) -> u32 {
    let bytes = word.to_le_bytes().into_iter().zip(of_bytes);
    bytes.fold(0, |sum, (byte, values)| sum ^ values[usize::from(byte)])
}
