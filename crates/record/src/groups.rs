//! The row groups that an open segment has already.
//!
//! A Parquet file is read from its footer, which an open segment does not have yet. Its tail holds one: records that lie in
//! a row group need not be written a second time.

/// What is written before the footer: rows, bytes and sum.
const FIXED_BYTES: usize = 24;

/// The row groups of an open segment, and the footer by which they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Rows in them.
    pub rows: u64,
    /// Bytes of the segment's file until their end.
    pub bytes: u64,
    /// The XXH3-64 of these bytes.
    pub sum: u64,
    /// A Parquet footer of them, with the length and the magic word behind it.
    pub footer: Vec<u8>,
}

impl Groups {
    /// Adds them to a buffer.
    pub fn push_to(&self, buffer: &mut Vec<u8>) {
        for number in [self.rows, self.bytes, self.sum] {
            buffer.extend_from_slice(&number.to_le_bytes());
        }
        buffer.extend_from_slice(&self.footer);
    }

    /// What [`Groups::push_to`] wrote; `None` where that is no such thing.
    pub fn from_bytes(bytes: &[u8]) -> Option<Groups> {
        let (fixed, footer) = bytes.split_at_checked(FIXED_BYTES)?;
        let number = |place: usize| fixed[place..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        Some(Groups { rows: number(0)?, bytes: number(8)?, sum: number(16)?, footer: footer.to_owned() })
    }
}
