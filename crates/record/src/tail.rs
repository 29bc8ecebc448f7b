//! The records that are in no whole segment yet: plain records in blocks, and where row groups are that hold others.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::ops::Range;
use std::path::Path;

use bytes::{Buf as _, BufMut as _};
use drivelab_files::open_regular;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::groups_reader::{UnreadGroups, read_groups};
use crate::rows::{Columns, ROW_GROUP_ROWS, Row};
use crate::segment::{Groups, SEGMENT_ROWS};

/// The size of what a tail begins with.
const MAGIC_BYTES: usize = 16;
/// The size of what follows each record and each head of a block: the low half of the XXH3 of its bytes, the seed of which is
/// the number of the record in its segment, or [`HEAD_SEED`].
const SUM_BYTES: usize = 4;
/// The size of what a block begins with: its kind, a count, and the number of its first record.
const HEAD_BYTES: usize = 16;
/// Not the number of a record.
const HEAD_SEED: u64 = u64::MAX;
/// Row groups that cannot be read are looked for this often: as many as a segment has.
const GROUPS_TRIED: usize = SEGMENT_ROWS / ROW_GROUP_ROWS;
/// Records that are written at once, about 50 KB, which a cache holds: those of half a second can be dozens of megabytes.
const WRITTEN_AT_ONCE: usize = 1 << 10;

/// What a block holds: as many records as its count says.
const RECORDS: u32 = 1;
/// What a block holds: where the row groups of the segment are. The count is one of bytes.
const GROUPS: u32 = 2;

/// A tail that is being written: it grows by whole blocks and is never rewritten.
pub struct TailWriter {
    pub file: File,
    /// Its length.
    pub bytes: u64,
    buffer: Vec<u8>,
}

impl TailWriter {
    /// Begins a tail of such records in a new file.
    pub fn create<R: Row>(path: &Path) -> io::Result<TailWriter> {
        let mut file = File::create(path)?;
        file.write_all(&R::TAIL_MAGIC)?;
        Ok(TailWriter { file, bytes: MAGIC_BYTES as u64, buffer: Vec::new() })
    }

    /// Whether it holds no record yet.
    pub fn is_empty(&self) -> bool {
        self.bytes == MAGIC_BYTES as u64
    }

    /// Appends these rows, the first of which has this number in its segment. A kill in the middle leaves whole records and at
    /// most one torn one at the end; where the disk is full, the tail is cut back to what it held before.
    pub fn append_rows<C: Columns>(&mut self, columns: &C, rows: Range<usize>, first: u64) -> io::Result<()>
    where
        C::Row: Row,
    {
        self.append(|tail| {
            tail.buffer.clear();
            tail.head(RECORDS, rows.len(), first)?;
            let mut number = first;
            for start in rows.clone().step_by(WRITTEN_AT_ONCE) {
                for row in start..rows.end.min(start + WRITTEN_AT_ONCE) {
                    let row =
                        columns.row(row).ok_or_else(|| io::Error::other("a row that no record can have"))?;
                    tail.summed(number, |buffer| row.push_to(buffer));
                    number += 1;
                }
                tail.write()?;
            }
            Ok(())
        })
    }

    /// Appends where row groups are, which hold all records before the first one that is appended next.
    pub fn append_groups(&mut self, groups: &Groups) -> io::Result<()> {
        self.append(|tail| {
            let mut bytes = Vec::new();
            groups.push_to(&mut bytes);
            tail.buffer.clear();
            tail.head(GROUPS, bytes.len(), groups.rows)?;
            tail.summed(groups.rows, |buffer| buffer.extend_from_slice(&bytes));
            tail.write()
        })
    }

    /// Appends what this writes, all of it or nothing.
    fn append(&mut self, write: impl FnOnce(&mut TailWriter) -> io::Result<()>) -> io::Result<()> {
        let before = self.bytes;
        let written = write(self);
        if written.is_err() {
            self.bytes = before;
            self.file.set_len(before)?;
            self.file.seek(io::SeekFrom::Start(before))?;
        }
        written
    }

    /// Puts the head of a block into the buffer.
    fn head(&mut self, kind: u32, count: usize, first: u64) -> io::Result<()> {
        let count = u32::try_from(count).map_err(io::Error::other)?;
        self.summed(HEAD_SEED, |buffer| {
            buffer.put_u32_le(kind);
            buffer.put_u32_le(count);
            buffer.put_u64_le(first);
        });
        Ok(())
    }

    /// Puts something with its checksum into the buffer.
    fn summed(&mut self, seed: u64, push: impl FnOnce(&mut Vec<u8>)) {
        let start = self.buffer.len();
        push(&mut self.buffer);
        let sum = sum(&self.buffer[start..], seed);
        self.buffer.extend_from_slice(&sum);
    }

    fn write(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// The checksum of what has this number: what lies elsewhere, or a page of zeros, has another.
fn sum(bytes: &[u8], seed: u64) -> [u8; SUM_BYTES] {
    let [a, b, c, d, ..] = xxh3_64_with_seed(bytes, seed).to_le_bytes();
    [a, b, c, d]
}

/// What a tail holds, together with the row groups that it names.
pub struct Tail<R> {
    /// Its records, up to where it is damaged.
    pub records: Vec<R>,
    /// What is wrong with it, where anything is.
    pub damage: Option<io::Error>,
}

/// Reads the records of a segment that did not become whole; a torn one at the end of its tail is left out, and so is a tail
/// that ends in its magic.
pub fn read_tail<R: Row>(path: &Path) -> io::Result<Tail<R>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    if !bytes.starts_with(&R::TAIL_MAGIC) {
        let is_begun = R::TAIL_MAGIC.starts_with(&bytes);
        let damage = (!is_begun).then(|| damage("it does not begin as such records do".to_owned()));
        return Ok(Tail { records: Vec::new(), damage });
    }
    let mut blocks = TailBlocks::new(&bytes);
    let damage = match blocks.read() {
        Ok(()) | Err(TailEnd::Torn) => None,
        Err(TailEnd::Damaged(number)) => {
            Some(damage(format!("from its record {number} on it is not what was written")))
        }
    };
    Ok(blocks.assembled(path, damage))
}

fn damage(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Why no more is read of a tail.
enum TailEnd {
    /// What follows was not written as a whole.
    Torn,
    /// From the record of this number on it is not what was written.
    Damaged(u64),
}

struct TailBlocks<'a, R> {
    bytes: &'a [u8],
    /// Where the next one begins.
    at: usize,
    /// What a power cut left unwritten lies behind this: it is the end of the tail, as a torn record is.
    written: usize,
    /// The number in the segment of the record that comes next.
    next: u64,
    records: Vec<R>,
    /// Records that follow each other: the number of the first one in the segment, and where they are.
    runs: Vec<(u64, Range<usize>)>,
    groups: Vec<Groups>,
}

impl<'a, R: Row> TailBlocks<'a, R> {
    fn new(bytes: &'a [u8]) -> TailBlocks<'a, R> {
        let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let (records, runs, groups) = (Vec::new(), Vec::new(), Vec::new());
        TailBlocks { bytes, at: MAGIC_BYTES, written, next: 0, records, runs, groups }
    }

    fn read(&mut self) -> Result<(), TailEnd> {
        while self.at < self.bytes.len() {
            let mut head = self.take(HEAD_BYTES, HEAD_SEED)?;
            let (kind, count) = (head.get_u32_le(), head.get_u32_le() as usize);
            if ![RECORDS, GROUPS].contains(&kind) {
                return Err(TailEnd::Damaged(self.next));
            }
            self.next = head.get_u64_le();
            if kind == RECORDS {
                self.read_records(count)?;
                continue;
            }
            let groups = Groups::from_bytes(self.take(count, self.next)?);
            self.groups.push(groups.ok_or(TailEnd::Damaged(self.next))?);
        }
        Ok(())
    }

    fn read_records(&mut self, count: usize) -> Result<(), TailEnd> {
        let begin = self.records.len();
        self.runs.push((self.next, begin..begin));
        for _ in 0..count {
            let record = R::from_bytes(self.take(R::TAIL_BYTES, self.next)?);
            self.records.push(record.ok_or(TailEnd::Damaged(self.next))?);
            self.next = self.next.checked_add(1).ok_or(TailEnd::Damaged(self.next))?;
            if let Some((_, run)) = self.runs.last_mut() {
                run.end += 1;
            }
        }
        Ok(())
    }

    /// The next `count` bytes, which their checksum follows.
    fn take(&mut self, count: usize, seed: u64) -> Result<&'a [u8], TailEnd> {
        let rest = &self.bytes[self.at..];
        let Some((taken, rest)) = rest.split_at_checked(count) else { return Err(TailEnd::Torn) };
        let Some(kept) = rest.get(..SUM_BYTES) else { return Err(TailEnd::Torn) };
        let end = self.at + count + SUM_BYTES;
        if sum(taken, seed) != kept {
            return Err(if self.written < end { TailEnd::Torn } else { TailEnd::Damaged(self.next) });
        }
        self.at = end;
        Ok(taken)
    }

    /// The records one behind the other: those of the last row groups that can be read, and those that follow them. Records that
    /// are in neither are damage.
    fn assembled(self, path: &Path, mut damage: Option<io::Error>) -> Tail<R> {
        let mut records = Vec::new();
        for groups in self.groups.iter().rev().take(GROUPS_TRIED) {
            match read_groups(groups, path) {
                Ok(read) => {
                    records = read;
                    break;
                }
                Err(UnreadGroups::Unwritten) => {}
                Err(UnreadGroups::Damaged(error)) => {
                    damage = damage.or_else(|| Some(self::damage(error.to_string())));
                }
            }
        }
        // The number of the record that comes next.
        let mut next = records.len() as u64;
        for (first, run) in self.runs {
            if next < first {
                let last = first - 1;
                damage = damage
                    .or_else(|| Some(self::damage(format!("its records {next} to {last} are not there"))));
                next = first;
            }
            let known = usize::try_from(next - first).unwrap_or(usize::MAX);
            let new = self.records[run].get(known..).unwrap_or_default();
            records.extend_from_slice(new);
            next += new.len() as u64;
        }
        Tail { records, damage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::completion::CompletionColumns;
    use crate::rows::completion::fixture::completion;
    use drivelab_block::Completion;

    const ROW: usize = Completion::TAIL_BYTES + SUM_BYTES;
    const HEAD: usize = HEAD_BYTES + SUM_BYTES;

    /// A tail in a folder that it goes with, its records and its bytes.
    fn tail_of_five() -> (tempfile::TempDir, std::path::PathBuf, Vec<Completion>, Vec<u8>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("tail");
        let completions: Vec<_> = (0..5).map(completion).collect();
        let mut columns = CompletionColumns::default();
        columns.extend(&completions);
        // In two parts, as a tail grows.
        let mut tail = TailWriter::create::<Completion>(&path).expect("room on disk");
        let appended = tail.append_rows(&columns, 0..2, 0).and_then(|()| tail.append_rows(&columns, 2..5, 2));
        appended.expect("room on disk");
        let whole = std::fs::read(&path).expect("the tail");
        (folder, path, completions, whole)
    }

    /// How many records are whole in this many bytes of that tail.
    fn whole_in(bytes: usize) -> usize {
        let behind = |start: usize, most: usize| (bytes.saturating_sub(start) / ROW).min(most);
        behind(MAGIC_BYTES + HEAD, 2) + behind(MAGIC_BYTES + 2 * HEAD + 2 * ROW, 3)
    }

    #[test]
    fn a_tail_cut_anywhere_gives_back_its_whole_records() {
        let (_folder, path, completions, whole) = tail_of_five();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("room on disk");
            let tail = read_tail::<Completion>(&path).expect("readable");
            assert_eq!(tail.records, completions[..whole_in(cut)], "cut at {cut}");
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
            let tail = read_tail::<Completion>(&path).expect("readable");
            assert_eq!(tail.records, completions[..whole_in(at)], "changed at {at}");
            assert!(tail.damage.is_some(), "changed at {at}");
        }
    }

    #[test]
    fn what_a_power_cut_left_unwritten_is_no_record() {
        let (_folder, path, completions, whole) = tail_of_five();
        for cut in MAGIC_BYTES..whole.len() {
            let mut bytes = whole[..cut].to_vec();
            bytes.resize(whole.len() + 4096, 0);
            std::fs::write(&path, &bytes).expect("room on disk");
            let tail = read_tail::<Completion>(&path).expect("readable");
            assert!(tail.damage.is_none() && tail.records.len() >= whole_in(cut), "cut at {cut}");
            assert_eq!(tail.records, completions[..tail.records.len()], "cut at {cut}");
        }
    }

    #[test]
    fn records_that_are_there_twice_are_read_once_and_a_gap_is_damage() {
        let (_folder, path, completions, _) = tail_of_five();
        let mut columns = CompletionColumns::default();
        columns.extend(&completions);
        let mut tail = TailWriter::create::<Completion>(&path).expect("room on disk");
        for rows in [0..2, 1..3, 4..5] {
            let first = rows.start as u64;
            tail.append_rows(&columns, rows, first).expect("room on disk");
        }
        let tail = read_tail::<Completion>(&path).expect("readable");
        assert_eq!(tail.records, [&completions[..3], &completions[4..]].concat());
        let damage = tail.damage.expect("a record is not there").to_string();
        assert_eq!(damage, "its records 3 to 3 are not there");
    }

    #[test]
    fn that_a_tail_cannot_be_brought_to_the_disk_is_said() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("tail");
        std::os::unix::fs::symlink("/dev/null", &path).expect("a link");
        let tail = TailWriter::create::<Completion>(&path).expect("it takes every byte");
        tail.file.sync_data().expect_err("it has nothing to bring to a disk");
    }
}
