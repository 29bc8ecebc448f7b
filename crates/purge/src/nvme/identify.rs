//! Identify Controller, Identify Namespace, and lists of namespaces.

use drivelab_decode::{byte, dword, word};

/// What a controller says of purges (NVM Express Base Specification 2.0, figure 275).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of the specification")]
pub struct Controller {
    /// Format NVM is there (OACS, bytes 257:256, bit 1).
    pub formats: bool,
    /// Namespaces can be managed (OACS bit 3), and all of them listed.
    pub manages_namespaces: bool,
    /// The subsystem may have several controllers (CMIC, byte 76, bit 1), to which other namespaces are attached.
    pub may_be_one_of_several: bool,
    /// A format with an erase reaches all namespaces (FNA, byte 524, bit 0 or bit 1).
    pub format_reaches_all: bool,
    /// A format can erase by the key (FNA bit 2).
    pub formats_by_key: bool,
    /// Sanitize with a crypto erase is there (SANICAP, bytes 331:328, bit 0).
    pub sanitizes_by_key: bool,
    /// Sanitize with a block erase is there (SANICAP bit 1).
    pub sanitizes_blocks: bool,
}

impl Controller {
    /// Reads the data of Identify Controller.
    pub fn parse(data: &[u8]) -> Controller {
        let (commands, sanitize) = (word(data, 256), dword(data, 328));
        Controller {
            formats: commands & 1 << 1 != 0,
            manages_namespaces: commands & 1 << 3 != 0,
            may_be_one_of_several: byte(data, 76) & 1 << 1 != 0,
            // Bit 0 is said of formats, bit 1 of their erase: the command that is sent is both.
            format_reaches_all: byte(data, 524) & 0b11 != 0,
            formats_by_key: byte(data, 524) & 1 << 2 != 0,
            sanitizes_by_key: sanitize & 1 != 0,
            sanitizes_blocks: sanitize & 1 << 1 != 0,
        }
    }
}

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
    fn every_bit_is_where_the_specification_has_it() {
        let of = |at: usize, value: u8| {
            let mut data = vec![0; 4096];
            data[at] = value;
            Controller::parse(&data)
        };
        let none = Controller::default();
        assert_eq!(of(256, 0x02), Controller { formats: true, ..none });
        assert_eq!(of(256, 0x08), Controller { manages_namespaces: true, ..none });
        assert_eq!(of(76, 0x02), Controller { may_be_one_of_several: true, ..none });
        assert_eq!(of(524, 0x01), Controller { format_reaches_all: true, ..none });
        assert_eq!(of(524, 0x02), Controller { format_reaches_all: true, ..none });
        assert_eq!(of(524, 0x04), Controller { formats_by_key: true, ..none });
        assert_eq!(of(328, 0x01), Controller { sanitizes_by_key: true, ..none });
        assert_eq!(of(328, 0x02), Controller { sanitizes_blocks: true, ..none });
        // Overwrite, which wears the flash and is not taken.
        assert_eq!(of(328, 0x04), none);
    }

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
