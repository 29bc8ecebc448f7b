//! The checksum of everything on the drive.

use crc_fast::CrcAlgorithm::Crc32Iscsi;

/// CRC32C (Castagnoli; RFC 3720, appendix B.4) of some bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    // The library gives every sum in 64 bits; the upper half of this one is zero.
    u32::try_from(crc_fast::checksum(Crc32Iscsi, bytes)).unwrap_or_default()
}

/// The sum of a structure whose own sum lies in four bytes at `at`, which count as zeros.
pub fn sum_without(bytes: &mut [u8], at: usize) -> u32 {
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
