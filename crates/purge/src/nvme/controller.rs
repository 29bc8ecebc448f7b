//! Identify Controller.

use super::bytes::{byte, dword, word};

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
}
