//! Numbers at fixed places in bytes.

/// Fields of a structure. Places are constants of the layout, inside the 4 KiB that every structure has.
pub struct Fields<'a>(pub &'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let found = self.0.get(at..at + N).and_then(|bytes| bytes.try_into().ok());
        found.unwrap_or([0; N])
    }

    pub fn u8(&self, at: usize) -> u8 {
        self.array::<1>(at)[0]
    }

    pub fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    pub fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    pub fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    pub fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.array(at)
    }
}

/// Writes bytes at a place of a structure.
pub fn put(target: &mut [u8], at: usize, bytes: &[u8]) {
    target[at..at + bytes.len()].copy_from_slice(bytes);
}

/// A number that may be missing: the greatest one says so.
pub fn optional(number: u64) -> Option<u64> {
    (number != u64::MAX).then_some(number)
}
