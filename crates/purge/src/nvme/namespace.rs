//! Identify Namespace, and lists of namespaces.

use super::bytes::{byte, dword};

/// How the blocks of a namespace are formatted now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormattedAs {
    /// The index of the format (FLBAS, byte 26, bits 6:5 and 3:0), 0 to 63.
    index: u8,
    /// Whether metadata is part of the block (FLBAS bit 4).
    extended: bool,
    /// The type of protection information (DPS, byte 29, bits 2:0), 0 for none.
    protection: u8,
    /// Whether that comes first in the metadata (DPS bit 3).
    protection_first: bool,
}

impl FormattedAs {
    /// The first format, without metadata.
    #[cfg(test)]
    pub(crate) const PLAIN: FormattedAs =
        FormattedAs { index: 0, extended: false, protection: 0, protection_first: false };

    /// Reads the data of Identify Namespace.
    pub fn parse(data: &[u8]) -> FormattedAs {
        let (format, protection) = (byte(data, 26), byte(data, 29));
        FormattedAs {
            index: format & 0xf | (format >> 5 & 0b11) << 4,
            extended: format & 1 << 4 != 0,
            protection: protection & 0b111,
            protection_first: protection & 1 << 3 != 0,
        }
    }

    /// Command dword 10 of a Format NVM that erases nothing and leaves all this as it is (NVM Express Base Specification
    /// 2.0, figure 189).
    pub(crate) fn dword(self) -> u32 {
        let index = u32::from(self.index);
        index & 0xf
            | u32::from(self.extended) << 4
            | u32::from(self.protection) << 5
            | u32::from(self.protection_first) << 8
            | (index >> 4) << 12
    }
}

/// The identifiers of a list of namespaces, which a zero ends.
pub fn namespace_list(data: &[u8]) -> Vec<u32> {
    let each = (0..data.len() / 4).map(|place| dword(data, place * 4));
    each.take_while(|identifier| *identifier != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_keeps_the_blocks_as_they_are() {
        let mut data = vec![0; 4096];
        // Format 0x25 (upper bits 10, lower 0101), metadata in the block, type 3, first: 10 000 1 011 1 0101.
        (data[26], data[29]) = (0b0101_0101, 0b1011);
        assert_eq!(FormattedAs::parse(&data).dword(), 0x2175);
        assert_eq!(FormattedAs::parse(&[0; 4096]).dword(), 0);
    }

    #[test]
    fn a_list_ends_at_its_zero() {
        assert_eq!(namespace_list(&[1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0]), [1, 258]);
        assert_eq!(namespace_list(&[5, 0, 0]), [0; 0]);
    }
}
