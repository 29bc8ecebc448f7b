//! The end of a Parquet file, which has all that is known of the rest.

use std::io;

use crate::s3::ObjectEnd;
use bytes::{Buf as _, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// At the very end of a file: the length of its footer in four bytes, and the four letters of the format.
const TRAILER_BYTES: usize = 8;

/// The last bytes of a file. Reading before them is an error.
pub struct ParquetEnd(ObjectEnd);

impl ParquetEnd {
    pub fn from_end(end: ObjectEnd) -> ParquetEnd {
        ParquetEnd(end)
    }

    /// The length of the whole file in bytes.
    pub fn length(&self) -> u64 {
        self.0.length
    }

    /// How many bytes of the end hold the footer, where these are too few.
    pub fn missing(&self) -> Option<u64> {
        let there = self.0.bytes.len();
        let trailer = self.0.bytes.get(there.checked_sub(TRAILER_BYTES)?..)?;
        let footer = u64::from(u32::from_le_bytes(trailer.get(..4)?.try_into().ok()?));
        let wanted = (footer + TRAILER_BYTES as u64).min(self.0.length);
        (wanted > there as u64).then_some(wanted)
    }
}

impl Length for ParquetEnd {
    fn len(&self) -> u64 {
        self.0.length
    }
}

impl ChunkReader for ParquetEnd {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let end = &self.0;
        let before = end.length - end.bytes.len() as u64;
        let begin = start.checked_sub(before).and_then(|begin| usize::try_from(begin).ok());
        let begin = begin.filter(|begin| *begin <= end.bytes.len()).ok_or_else(not_read)?;
        Ok(end.bytes.slice(begin..).reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let rest = self.get_read(start)?.into_inner();
        if rest.len() < length { Err(not_read()) } else { Ok(rest.slice(..length)) }
    }
}

fn not_read() -> ParquetError {
    ParquetError::External(Box::new(io::Error::other("only the end of the file was read")))
}
