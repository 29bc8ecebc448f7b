//! Numbers at fixed places in bytes, and the checksum of every structure that has them.

use crc_fast::CrcAlgorithm::Crc32Iscsi;

use super::{Damage, HEADER_BYTES};

/// Fields of a structure. Places are constants of the layout, inside the 4 KiB that every structure has.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    /// Those of a structure that begins with `magic` and whose own sum lies at `sum_at`, where the bytes are one and whole.
    pub fn of_structure(bytes: &'a [u8], magic: &[u8], sum_at: usize) -> Result<Fields<'a>, Damage> {
        let structure = bytes.get(..HEADER_BYTES).filter(|bytes| bytes.starts_with(magic));
        let fields = Fields(structure.ok_or(Damage::Nothing)?);
        let is_whole = sum_without(&mut fields.0.to_vec(), sum_at) == fields.u32(sum_at);
        if is_whole { Ok(fields) } else { Err(Damage::Checksum) }
    }

    pub fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        let found = self.0.get(at..at + N).and_then(|bytes| bytes.try_into().ok());
        found.unwrap_or([0; N])
    }

    pub fn u8(&self, at: usize) -> u8 {
        self.bytes::<1>(at)[0]
    }

    pub fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    pub fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    pub fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }
}

/// Writes bytes at a place of a structure.
pub fn put(target: &mut [u8], at: usize, bytes: &[u8]) {
    target[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Writes the sum of a structure into its place.
pub fn seal(target: &mut [u8], sum_at: usize) {
    let sum = sum_without(target, sum_at);
    put(target, sum_at, &sum.to_le_bytes());
}

/// A number that may be missing: the greatest one says so.
pub fn optional(number: u64) -> Option<u64> {
    (number != u64::MAX).then_some(number)
}

/// CRC32C (Castagnoli; RFC 3720, appendix B.4) of some bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    // The library gives every sum in 64 bits; the upper half of this one is zero.
    u32::try_from(crc_fast::checksum(Crc32Iscsi, bytes)).unwrap_or_default()
}

/// The sum of a structure whose own sum lies in four bytes at `at`, which count as zeros.
fn sum_without(bytes: &mut [u8], at: usize) -> u32 {
    bytes[at..at + 4].fill(0);
    crc32c(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_standard() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
    }
}
