//! The completions that are in no whole segment yet, as plain records of 50 bytes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::num::NonZeroU64;
use std::path::Path;

use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};

const MAGIC: [u8; 16] = *b"drivelab tail 1\n";
const RECORD_BYTES: usize = 50;

/// A tail that is being written: it grows by whole records and is never rewritten.
pub struct TailWriter {
    file: File,
    bytes: u64,
    buffer: Vec<u8>,
}

impl TailWriter {
    /// Begins a tail in a new file.
    pub fn create(path: &Path) -> io::Result<TailWriter> {
        let mut file = File::create(path)?;
        file.write_all(&MAGIC)?;
        Ok(TailWriter { file, bytes: MAGIC.len() as u64, buffer: Vec::new() })
    }

    /// Whether it holds no completion yet.
    pub fn is_empty(&self) -> bool {
        self.bytes == MAGIC.len() as u64
    }

    /// Appends completions. A kill in the middle leaves whole records and at most one torn one at the end;
    /// where the disk is full, the tail is cut back to what it held before.
    pub fn append(&mut self, completions: &[Completion]) -> io::Result<()> {
        self.buffer.clear();
        for completion in completions {
            push_record(&mut self.buffer, completion);
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

fn push_record(buffer: &mut Vec<u8>, completion: &Completion) {
    buffer.extend_from_slice(&completion.intended_at.as_nanos().to_le_bytes());
    buffer.extend_from_slice(&completion.submitted_at.as_nanos().to_le_bytes());
    buffer.extend_from_slice(&completion.issued_at.map_or(0, NonZeroU64::get).to_le_bytes());
    buffer.extend_from_slice(&completion.completed_at.as_nanos().to_le_bytes());
    buffer.extend_from_slice(&completion.extent.start.get().to_le_bytes());
    buffer.extend_from_slice(&completion.extent.length.get().to_le_bytes());
    buffer.extend_from_slice(&completion.status.code().to_le_bytes());
    buffer.extend_from_slice(&completion.queue.0.to_le_bytes());
    buffer.push(completion.op.code());
    buffer.push(completion.phase.0);
}

/// Reads what a tail holds; a torn record at its end is left out, and so is a file that ends in its magic.
pub fn read_tail(path: &Path) -> io::Result<Vec<Completion>> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let Some(records) = bytes.strip_prefix(&MAGIC[..]) else { return Ok(Vec::new()) };
    let completions = records.chunks_exact(RECORD_BYTES).map(read_record);
    completions
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a record that no completion can have"))
}

fn read_record(record: &[u8]) -> Option<Completion> {
    let word = |at: usize| Some(u64::from_le_bytes(record.get(at..at + 8)?.try_into().ok()?));
    let half = |at: usize| Some(u16::from_le_bytes(record.get(at..at + 2)?.try_into().ok()?));
    Some(Completion {
        intended_at: Instant::from_nanos(word(0)?),
        submitted_at: Instant::from_nanos(word(8)?),
        issued_at: NonZeroU64::new(word(16)?),
        completed_at: Instant::from_nanos(word(24)?),
        extent: Extent {
            start: Sector::new(word(32)?),
            length: SectorCount::new(u32::from_le_bytes(record.get(40..44)?.try_into().ok()?)),
        },
        status: Status::from_code(half(44)?.cast_signed()),
        queue: QueueId(half(46)?),
        op: Op::from_code(*record.get(48)?)?,
        phase: PhaseId(*record.get(49)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::fixture::completion;

    #[test]
    fn a_tail_cut_anywhere_gives_back_its_whole_records() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("tail");
        let completions: Vec<_> = (0..5).map(completion).collect();
        TailWriter::create(&path).and_then(|mut tail| tail.append(&completions)).expect("room on disk");
        let whole = std::fs::read(&path).expect("the tail");
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("room on disk");
            let expected = cut.saturating_sub(MAGIC.len()) / RECORD_BYTES;
            assert_eq!(read_tail(&path).expect("readable"), completions[..expected], "cut at {cut}");
        }
    }
}
