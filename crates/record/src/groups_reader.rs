//! Row groups of a segment without an end, read by the footer that its tail has.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use bytes::Bytes;
use drivelab_files::open_regular;
use parquet::errors::ParquetError;
use xxhash_rust::xxh3::xxh3_64;

use crate::parts::{PARTIAL, SEGMENT};
use crate::rows::Row;
use crate::segment::{Groups, SEGMENT_ROWS, SegmentReader};

/// What every file system writes as a whole or not at all: zeros where nothing was written before a power cut.
const BLOCK_BYTES: usize = 1024;
/// More than the row groups of a segment take, uncompressed.
const BYTES_MAX: u64 = 128 << 20;

/// Why row groups cannot be read.
#[derive(Debug)]
pub enum UnreadGroups {
    /// Their bytes had not reached the disk when the power was cut.
    Unwritten,
    /// They are not what was written, or the system does not give them.
    Damaged(ParquetError),
}

/// Reads the records of row groups from the segment that goes with a tail, whose bytes have to be those that were written.
pub fn read_groups<R: Row>(groups: &Groups, tail: &Path) -> Result<Vec<R>, UnreadGroups> {
    if groups.rows > SEGMENT_ROWS as u64 || groups.bytes > BYTES_MAX {
        return Err(ParquetError::General("its row groups are longer than drivelab's".into()).into());
    }
    let mut bytes = written(groups, tail)?;
    bytes.extend_from_slice(&groups.footer);
    let mut segment = SegmentReader::of_chunks(Bytes::from(bytes))?;
    let (mut records, mut columns) = (Vec::new(), R::Columns::default());
    while records.len() as u64 <= groups.rows
        && let Some(mut group) = segment.next_group(columns)?
    {
        group.take(usize::MAX, &mut records)?;
        columns = group.columns;
    }
    if records.len() as u64 != groups.rows {
        let what = format!("its row groups have {} records of {}", records.len(), groups.rows);
        return Err(ParquetError::General(what).into());
    }
    Ok(records)
}

/// The bytes of the segment until the end of the row groups.
fn written(groups: &Groups, tail: &Path) -> Result<Vec<u8>, UnreadGroups> {
    let mut bytes = Vec::new();
    segment_of(tail)?.take(groups.bytes).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == groups.bytes && xxh3_64(&bytes) == groups.sum {
        return Ok(bytes);
    }
    let is_unwritten = |block: &[u8]| block.iter().all(|byte| *byte == 0);
    if (bytes.len() as u64) < groups.bytes || bytes.chunks_exact(BLOCK_BYTES).any(is_unwritten) {
        return Err(UnreadGroups::Unwritten);
    }
    Err(ParquetError::General("the row groups of its segment are not those that were written".into()).into())
}

/// The segment that goes with a tail. It has its last name where it became whole meanwhile, or where a power cut took its end.
fn segment_of(tail: &Path) -> io::Result<File> {
    match open_regular(&tail.with_extension(PARTIAL)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => open_regular(&tail.with_extension(SEGMENT)),
        opened => opened,
    }
}

impl From<ParquetError> for UnreadGroups {
    fn from(error: ParquetError) -> UnreadGroups {
        UnreadGroups::Damaged(error)
    }
}

impl From<io::Error> for UnreadGroups {
    fn from(error: io::Error) -> UnreadGroups {
        UnreadGroups::Damaged(ParquetError::External(Box::new(error)))
    }
}
