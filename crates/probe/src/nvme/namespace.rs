//! Identify Namespace: how blocks are formatted, and how they could be.

use drivelab_decode::{byte, word};

/// Bytes of the structure.
const LENGTH: usize = 4096;
/// Where the formats begin, and bytes of one.
const FORMATS: (usize, usize) = (128, 4);
const FORMATS_MAX: usize = 64;

/// A format that the blocks of a namespace may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockFormat {
    /// Its number.
    pub index: u8,
    /// Bytes of data in a block (2 to the power of LBADS).
    pub data_bytes: u64,
    /// Bytes of metadata in a block (MS).
    pub metadata_bytes: u16,
    /// Its performance compared with the other formats (RP, bits 25:24): 0 is best, 3 is degraded.
    pub relative_performance: u8,
}

/// The formats of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceFormats {
    /// The one that it has (FLBAS, byte 26).
    pub current: BlockFormat,
    /// The other ones that it could have, in their order.
    pub others: Vec<BlockFormat>,
}

impl NamespaceFormats {
    /// Reads the 4,096 bytes of Identify Namespace; `None` for any other length, and where the format in use is not in the
    /// table.
    pub fn parse(data: &[u8]) -> Option<NamespaceFormats> {
        if data.len() != LENGTH {
            return None;
        }
        let in_use = byte(data, 26);
        let count = usize::from(byte(data, 25)) + 1;
        // The upper bits are reserved where there are no more than 16 formats.
        let upper = if count > 16 { in_use >> 5 & 0b11 } else { 0 };
        let index = in_use & 0xf | upper << 4;
        let formats = (0..count.min(FORMATS_MAX)).filter_map(|place| format(data, place));
        let (current, others): (Vec<_>, Vec<_>) = formats.partition(|format| format.index == index);
        Some(NamespaceFormats { current: *current.first()?, others })
    }
}

/// A format of the table; `None` where it is not available.
fn format(data: &[u8], place: usize) -> Option<BlockFormat> {
    let at = FORMATS.0 + place * FORMATS.1;
    let shift = byte(data, at + 2);
    // Fewer bytes than 512 are not supported, and 0 stands for a format that is not available.
    let data_bytes = (shift >= 9).then(|| 1_u64.checked_shl(shift.into())).flatten()?;
    Some(BlockFormat {
        index: u8::try_from(place).ok()?,
        data_bytes,
        metadata_bytes: word(data, at),
        relative_performance: byte(data, at + 3) & 0b11,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_in_use_stands_apart_from_its_alternatives() {
        let mut data = vec![0; LENGTH];
        (data[25], data[26]) = (2, 0x61);
        data[128..132].copy_from_slice(&[0, 0, 9, 0b10]);
        data[132..136].copy_from_slice(&[0, 0, 12, 0]);
        data[136..140].copy_from_slice(&[8, 0, 12, 0b01]);
        let found = NamespaceFormats::parse(&data).expect("formats");
        let of = |index, data_bytes, metadata_bytes, relative_performance| BlockFormat {
            index,
            data_bytes,
            metadata_bytes,
            relative_performance,
        };
        assert_eq!(found.current, of(1, 4096, 0, 0), "the upper bits are reserved with three formats");
        assert_eq!(found.others, [of(0, 512, 0, 2), of(2, 4096, 8, 1)]);
    }

    #[test]
    fn a_format_that_is_not_there_and_another_length_are_none() {
        let mut data = vec![0; LENGTH];
        data[130] = 9;
        assert!(NamespaceFormats::parse(&data).is_some());
        data[26] = 5;
        assert_eq!(NamespaceFormats::parse(&data), None);
        assert_eq!(NamespaceFormats::parse(&data[..512]), None);
        assert_eq!(NamespaceFormats::parse(&[0xff; LENGTH]), None, "2 to the power of 255 bytes");
    }
}
