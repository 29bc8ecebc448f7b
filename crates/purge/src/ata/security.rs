//! What IDENTIFY DEVICE says of the security feature set, and the two erases.

/// The state of a drive's security, and what its erases are estimated to take (ACS-4, words 89, 90 and 128).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of the specification")]
pub struct Security {
    /// The drive has the security feature set (bit 0).
    pub is_supported: bool,
    /// A user password is set (bit 1): the drive is locked at each start until it is told the password.
    pub is_enabled: bool,
    /// It is locked (bit 2), and reads and writes nothing.
    pub is_locked: bool,
    /// It takes no command of the feature set until its next power cycle (bit 3).
    pub is_frozen: bool,
    /// It was told too many wrong passwords, and takes none until its next power cycle (bit 4).
    pub takes_no_password: bool,
    /// It has the enhanced erase (bit 5).
    pub has_enhanced: bool,
    /// Minutes that the normal erase is estimated to take, at most 65,532; none where the drive does not say.
    pub normal_min: Option<u32>,
    /// The same of the enhanced erase.
    pub enhanced_min: Option<u32>,
}

impl Security {
    /// Reads the 512 bytes of IDENTIFY DEVICE. Words past the end of shorter data are taken for zero.
    pub fn parse(identify: &[u8]) -> Security {
        let word = |number: usize| match identify.get(number * 2..number * 2 + 2) {
            Some(&[low, high]) => u16::from_le_bytes([low, high]),
            _ => 0,
        };
        let has = |bit: u16| word(128) & 1 << bit != 0;
        Security {
            is_supported: has(0),
            is_enabled: has(1),
            is_locked: has(2),
            is_frozen: has(3),
            takes_no_password: has(4),
            has_enhanced: has(5),
            normal_min: minutes(word(89)),
            enhanced_min: minutes(word(90)),
        }
    }

    /// The most thorough erase that the drive has.
    pub fn mode(&self) -> EraseMode {
        if self.has_enhanced { EraseMode::Enhanced } else { EraseMode::Normal }
    }

    /// Minutes that this erase is estimated to take; none where the drive does not say.
    pub fn estimate_min(&self, mode: EraseMode) -> Option<u32> {
        match mode {
            EraseMode::Normal => self.normal_min,
            EraseMode::Enhanced => self.enhanced_min,
        }
    }
}

/// An estimate counts in units of two minutes: in 15 bits where bit 15 is set, in 8 bits otherwise.
fn minutes(word: u16) -> Option<u32> {
    let units = if word & 1 << 15 == 0 { word & 0xff } else { word & 0x7fff };
    (units > 0).then_some(u32::from(units) * 2)
}

/// How thoroughly SECURITY ERASE UNIT erases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EraseMode {
    /// All user data.
    #[error("normal")]
    Normal,
    /// All user data, with a pattern of the vendor's, and what was reallocated too.
    #[error("enhanced")]
    Enhanced,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(words: &[(usize, u16)]) -> Security {
        let mut data = vec![0; 512];
        for (number, value) in words {
            data[number * 2..number * 2 + 2].copy_from_slice(&value.to_le_bytes());
        }
        Security::parse(&data)
    }

    #[test]
    fn every_bit_is_where_the_specification_has_it() {
        let none = Security::default();
        assert_eq!(with(&[]), none);
        assert_eq!(with(&[(128, 0x01)]), Security { is_supported: true, ..none });
        assert_eq!(with(&[(128, 0x02)]), Security { is_enabled: true, ..none });
        assert_eq!(with(&[(128, 0x04)]), Security { is_locked: true, ..none });
        assert_eq!(with(&[(128, 0x08)]), Security { is_frozen: true, ..none });
        assert_eq!(with(&[(128, 0x10)]), Security { takes_no_password: true, ..none });
        assert_eq!(with(&[(128, 0x20)]), Security { has_enhanced: true, ..none });
        assert_eq!(Security::parse(&[0xff; 100]), none);
    }

    #[test]
    fn an_estimate_is_read_in_both_of_its_forms() {
        assert_eq!(with(&[(89, 1)]).normal_min, Some(2));
        assert_eq!(with(&[(89, 0x00ff), (90, 0x7f01)]).normal_min, Some(510));
        assert_eq!(with(&[(90, 0x7f01)]).enhanced_min, Some(2));
        assert_eq!(with(&[(90, 0x8000 | 0x12c)]).enhanced_min, Some(600));
        assert_eq!(with(&[(89, 0x8000)]).normal_min, None);
    }
}
