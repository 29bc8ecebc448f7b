//! The row groups that an open segment has already, readable without its end.
//!
//! A Parquet file is read from its footer, which an open segment does not have yet. Its tail holds one: records that lie in
//! a row group need not be written a second time.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use bytes::Bytes;
use drivelab_files::open_regular;
use parquet::errors::ParquetError;
use xxhash_rust::xxh3::xxh3_64;

use crate::names::{PARTIAL, SEGMENT};
use crate::rows::Row;
use crate::segment::{SEGMENT_ROWS, SegmentReader};

/// What is written before the footer: rows, bytes and sum.
const FIXED_BYTES: usize = 24;
/// What every file system writes as a whole or not at all: zeros where nothing was written before a power cut.
const BLOCK_BYTES: usize = 1024;
/// More than the row groups of a segment take, uncompressed.
const BYTES_MAX: u64 = 128 << 20;

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

/// Why row groups cannot be read.
#[derive(Debug)]
pub enum Unread {
    /// Their bytes had not reached the disk when the power was cut.
    Unwritten,
    /// They are not what was written, or the system does not give them.
    Damaged(ParquetError),
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

    /// Reads their records from the segment that goes with a tail.
    ///
    /// # Errors
    /// Where the segment's bytes are not those that were written, where they cannot be read, and where they are no row groups
    /// of as many rows.
    pub fn read<R: Row>(&self, tail: &Path) -> Result<Vec<R>, Unread> {
        if self.rows > SEGMENT_ROWS as u64 || self.bytes > BYTES_MAX {
            return Err(ParquetError::General("its row groups are longer than drivelab's".into()).into());
        }
        let mut bytes = self.written_to(tail)?;
        bytes.extend_from_slice(&self.footer);
        let mut segment = SegmentReader::of_bytes(Bytes::from(bytes))?;
        let (mut records, mut columns) = (Vec::new(), R::Columns::default());
        while records.len() as u64 <= self.rows
            && let Some(mut group) = segment.next_group(columns)?
        {
            group.take(usize::MAX, &mut records)?;
            columns = group.into_columns();
        }
        if records.len() as u64 != self.rows {
            let what = format!("its row groups have {} records of {}", records.len(), self.rows);
            return Err(ParquetError::General(what).into());
        }
        Ok(records)
    }

    /// The bytes of the segment until the end of the row groups.
    fn written_to(&self, tail: &Path) -> Result<Vec<u8>, Unread> {
        let mut bytes = Vec::new();
        segment_of(tail)?.take(self.bytes).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == self.bytes && xxh3_64(&bytes) == self.sum {
            return Ok(bytes);
        }
        let is_unwritten = |block: &[u8]| block.iter().all(|byte| *byte == 0);
        if (bytes.len() as u64) < self.bytes || bytes.chunks_exact(BLOCK_BYTES).any(is_unwritten) {
            return Err(Unread::Unwritten);
        }
        Err(ParquetError::General("the row groups of its segment are not those that were written".into())
            .into())
    }
}

/// The segment that goes with a tail. It has its last name where it became whole meanwhile, or where a power cut took its end.
fn segment_of(tail: &Path) -> io::Result<File> {
    match open_regular(&tail.with_extension(PARTIAL)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => open_regular(&tail.with_extension(SEGMENT)),
        opened => opened,
    }
}

impl From<ParquetError> for Unread {
    fn from(error: ParquetError) -> Unread {
        Unread::Damaged(error)
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Unread {
        Unread::Damaged(ParquetError::External(Box::new(error)))
    }
}
