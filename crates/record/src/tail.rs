//! The records that are in no whole segment yet, one plain record after the other.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::rows::Row;

/// The size of what a tail begins with.
const MAGIC_BYTES: u64 = 16;

/// A tail that is being written: it grows by whole records and is never rewritten.
pub struct TailWriter {
    file: File,
    bytes: u64,
    buffer: Vec<u8>,
}

impl TailWriter {
    /// Begins a tail of such records in a new file.
    pub fn create<R: Row>(path: &Path) -> io::Result<TailWriter> {
        let mut file = File::create(path)?;
        file.write_all(&R::TAIL_MAGIC)?;
        Ok(TailWriter { file, bytes: MAGIC_BYTES, buffer: Vec::new() })
    }

    /// Brings what it holds to the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Whether it holds no record yet.
    pub fn is_empty(&self) -> bool {
        self.bytes == MAGIC_BYTES
    }

    /// Appends records. A kill in the middle leaves whole records and at most one torn one at the end;
    /// where the disk is full, the tail is cut back to what it held before.
    pub fn append<R: Row>(&mut self, records: &[R]) -> io::Result<()> {
        self.buffer.clear();
        for record in records {
            record.push_to(&mut self.buffer);
        }
        if let Err(error) = self.file.write_all(&self.buffer) {
            self.file.set_len(self.bytes)?;
            self.file.seek(io::SeekFrom::Start(self.bytes))?;
            return Err(error);
        }
        self.bytes += self.buffer.len() as u64;
        Ok(())
    }
}

/// Reads what a tail holds; a torn record at its end is left out, and so is a file that ends in its magic.
pub fn read_tail<R: Row>(path: &Path) -> io::Result<Vec<R>> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let Some(records) = bytes.strip_prefix(&R::TAIL_MAGIC[..]) else { return Ok(Vec::new()) };
    let records = records.chunks_exact(R::TAIL_BYTES).map(R::from_bytes);
    records
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a record that nothing can have left"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::fixture::completion;
    use drivelab_block::Completion;

    #[test]
    fn a_tail_cut_anywhere_gives_back_its_whole_records() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("tail");
        let completions: Vec<_> = (0..5).map(completion).collect();
        TailWriter::create::<Completion>(&path)
            .and_then(|mut tail| tail.append(&completions))
            .expect("room on disk");
        let whole = std::fs::read(&path).expect("the tail");
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("room on disk");
            let expected = cut.saturating_sub(Completion::TAIL_MAGIC.len()) / Completion::TAIL_BYTES;
            assert_eq!(
                read_tail::<Completion>(&path).expect("readable"),
                completions[..expected],
                "cut at {cut}"
            );
        }
    }
}
