//! What the exit status of smartctl says (its manual page, "EXIT STATUS"), a bit each.

/// The exit status of smartctl. Bits 0 to 2 mean that it could not ask, or not all of it; bits 3 to 7 are findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmartctlExit(pub u8);

impl SmartctlExit {
    /// Whether the drive was not asked: the command line was wrong, or the device could not be opened.
    pub fn says_not_asked(self) -> bool {
        self.has(0) || self.has(1)
    }

    /// Whether a command to the drive failed, or what it answered has a wrong checksum: not all of its health is known.
    pub fn says_in_part(self) -> bool {
        self.has(2)
    }

    /// Whether the bit of this number, 0 to 7, is set.
    pub(crate) fn has(self, bit: u8) -> bool {
        self.0 & (1 << bit) != 0
    }
}
