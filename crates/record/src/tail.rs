//! The records that are in no whole segment yet, one plain record after the other.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use drivelab_files::open_regular;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::rows::Row;

/// The size of what a tail begins with.
const MAGIC_BYTES: u64 = 16;
/// The size of what follows each record: the low half of the XXH3 of its bytes, its number the seed.
const SUM_BYTES: usize = 4;
/// Records that are written at once, about 50 KB: they stay in a cache, where those of half a second are dozens of megabytes.
const WRITTEN_AT_ONCE: usize = 1 << 10;

/// A tail that is being written: it grows by whole records and is never rewritten.
pub struct TailWriter {
    file: File,
    bytes: u64,
    records: u64,
    buffer: Vec<u8>,
}

impl TailWriter {
    /// Begins a tail of such records in a new file.
    pub fn create<R: Row>(path: &Path) -> io::Result<TailWriter> {
        let mut file = File::create(path)?;
        file.write_all(&R::TAIL_MAGIC)?;
        Ok(TailWriter { file, bytes: MAGIC_BYTES, records: 0, buffer: Vec::new() })
    }

    /// Brings what it holds to the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Its file.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Whether it holds no record yet.
    pub fn is_empty(&self) -> bool {
        self.bytes == MAGIC_BYTES
    }

    /// Appends records. A kill in the middle leaves whole records and at most one torn one at the end;
    /// where the disk is full, the tail is cut back to what it held before.
    pub fn append<R: Row>(&mut self, records: &[R]) -> io::Result<()> {
        let mut bytes = self.bytes;
        for (part, first) in records.chunks(WRITTEN_AT_ONCE).zip((self.records..).step_by(WRITTEN_AT_ONCE)) {
            self.encode(part, first);
            if let Err(error) = self.file.write_all(&self.buffer) {
                self.file.set_len(self.bytes)?;
                self.file.seek(io::SeekFrom::Start(self.bytes))?;
                return Err(error);
            }
            bytes += self.buffer.len() as u64;
        }
        self.bytes = bytes;
        self.records += records.len() as u64;
        Ok(())
    }

    /// Puts records, with the number of the first of them, into the buffer as they are written.
    fn encode<R: Row>(&mut self, records: &[R], first: u64) {
        self.buffer.clear();
        for (record, number) in records.iter().zip(first..) {
            let start = self.buffer.len();
            record.push_to(&mut self.buffer);
            let sum = sum(&self.buffer[start..], number);
            self.buffer.extend_from_slice(&sum);
        }
    }
}

/// The checksum of the record with this number: one that lies elsewhere, or a page of zeros, has another.
fn sum(record: &[u8], number: u64) -> [u8; SUM_BYTES] {
    let [a, b, c, d, ..] = xxh3_64_with_seed(record, number).to_le_bytes();
    [a, b, c, d]
}

/// What a tail holds.
pub struct Tail<R> {
    /// Its records, up to where it is damaged.
    pub records: Vec<R>,
    /// What is wrong with it, where anything is.
    pub damage: Option<io::Error>,
}

/// Reads what a tail holds; a torn record at its end is left out, and so is a file that ends in its magic.
///
/// # Errors
/// Where the file cannot be read.
pub fn read_tail<R: Row>(path: &Path) -> io::Result<Tail<R>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    let damaged = |what: &str| Some(io::Error::new(io::ErrorKind::InvalidData, what.to_owned()));
    let Some(rows) = bytes.strip_prefix(&R::TAIL_MAGIC[..]) else {
        let is_begun = R::TAIL_MAGIC.starts_with(&bytes);
        let damage = if is_begun { None } else { damaged("it does not begin as such records do") };
        return Ok(Tail { records: Vec::new(), damage });
    };
    // What a power cut left unwritten is the end of the tail, as a torn record is.
    let written = rows.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut tail = Tail { records: Vec::new(), damage: None };
    for (row, number) in rows.chunks_exact(R::TAIL_BYTES + SUM_BYTES).zip(0..) {
        let (record, kept) = row.split_at(R::TAIL_BYTES);
        let is_torn = written < (tail.records.len() + 1) * row.len();
        let Some(record) = R::from_bytes(record).filter(|_| sum(record, number) == kept) else {
            if !is_torn {
                tail.damage = damaged(&format!("from its record {number} on it is not what was written"));
            }
            break;
        };
        tail.records.push(record);
    }
    Ok(tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::fixture::completion;
    use drivelab_block::Completion;

    /// A tail in a folder that it goes with, its records and its bytes.
    fn tail_of_five() -> (tempfile::TempDir, std::path::PathBuf, Vec<Completion>, Vec<u8>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("tail");
        let completions: Vec<_> = (0..5).map(completion).collect();
        // In two parts, as a tail grows.
        let mut tail = TailWriter::create::<Completion>(&path).expect("room on disk");
        tail.append(&completions[..2]).and_then(|()| tail.append(&completions[2..])).expect("room on disk");
        let whole = std::fs::read(&path).expect("the tail");
        (folder, path, completions, whole)
    }

    #[test]
    fn a_tail_cut_anywhere_gives_back_its_whole_records() {
        let (_folder, path, completions, whole) = tail_of_five();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("room on disk");
            let row = Completion::TAIL_BYTES + SUM_BYTES;
            let expected = cut.saturating_sub(Completion::TAIL_MAGIC.len()) / row;
            let tail = read_tail::<Completion>(&path).expect("readable");
            assert_eq!(tail.records, completions[..expected], "cut at {cut}");
            assert!(tail.damage.is_none(), "cut at {cut}");
        }
    }

    #[test]
    fn a_changed_byte_is_found_and_nothing_behind_it_is_believed() {
        let (_folder, path, completions, whole) = tail_of_five();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            std::fs::write(&path, &bytes).expect("room on disk");
            let row = Completion::TAIL_BYTES + SUM_BYTES;
            let expected = at.saturating_sub(Completion::TAIL_MAGIC.len()) / row;
            let tail = read_tail::<Completion>(&path).expect("readable");
            assert_eq!(tail.records, completions[..expected], "changed at {at}");
            assert!(tail.damage.is_some(), "changed at {at}");
        }
    }

    #[test]
    fn what_a_power_cut_left_unwritten_is_no_record() {
        let (_folder, path, completions, whole) = tail_of_five();
        for cut in 16..whole.len() {
            let mut bytes = whole[..cut].to_vec();
            bytes.resize(whole.len() + 4096, 0);
            std::fs::write(&path, &bytes).expect("room on disk");
            let tail = read_tail::<Completion>(&path).expect("readable");
            let least = (cut - 16) / (Completion::TAIL_BYTES + SUM_BYTES);
            assert!(tail.damage.is_none() && tail.records.len() >= least, "cut at {cut}");
            assert_eq!(tail.records, completions[..tail.records.len()], "cut at {cut}");
        }
    }

    #[test]
    fn that_a_tail_cannot_be_brought_to_the_disk_is_said() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("tail");
        std::os::unix::fs::symlink("/dev/null", &path).expect("a link");
        let tail = TailWriter::create::<Completion>(&path).expect("it takes every byte");
        tail.sync().expect_err("it has nothing to bring to a disk");
    }
}
