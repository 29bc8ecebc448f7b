//! What came too late for its place: sorted runs on disk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::path::Path;

use drivelab_block::TracedIo;
use drivelab_record::Row as _;

/// Runs of one level that are made into one of the next: each is an open file, of which a program may have a thousand.
const FAN: usize = 64;

/// A sorted run. Its file has no name, so that nothing is left of it whatever happens.
pub struct Run {
    file: BufReader<File>,
    /// How many I/Os are still to be read.
    pub left: u64,
    level: u32,
}

impl Run {
    /// The next I/O; `None` behind the last one.
    pub fn next(&mut self) -> io::Result<Option<TracedIo>> {
        if self.left == 0 {
            return Ok(None);
        }
        let mut bytes = [0; TracedIo::TAIL_BYTES];
        self.file.read_exact(&mut bytes)?;
        self.left -= 1;
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "what was set aside is damaged");
        TracedIo::from_bytes(&bytes).ok_or_else(damaged).map(Some)
    }
}

/// All runs of an import, the earliest of the source first.
#[derive(Default)]
pub struct Runs(pub Vec<Run>);

impl Runs {
    /// Adds a run of I/Os that are sorted, in a file in `folder`.
    pub fn add(&mut self, sorted: &[TracedIo], folder: &Path) -> io::Result<()> {
        let mut file = SortedRunWriter::create(folder)?;
        sorted.iter().try_for_each(|io| file.write(io))?;
        self.0.push(file.finish(0)?);
        while let Some(level) = self.full_level() {
            self.join(level, folder)?;
        }
        Ok(())
    }

    /// The level of the last runs, where there are as many of it as are made into one.
    fn full_level(&self) -> Option<u32> {
        let level = self.0.last()?.level;
        let same = self.0.iter().rev().take_while(|run| run.level == level).count();
        (same >= FAN).then_some(level)
    }

    fn join(&mut self, level: u32, folder: &Path) -> io::Result<()> {
        let mut file = SortedRunWriter::create(folder)?;
        let mut sources = self.0.split_off(self.0.len() - FAN);
        merge(&mut sources, Run::next, |io| file.write(&io))?;
        self.0.push(file.finish(level + 1)?);
        Ok(())
    }
}

struct SortedRunWriter {
    file: BufWriter<File>,
    count: u64,
    bytes: Vec<u8>,
}

impl SortedRunWriter {
    fn create(folder: &Path) -> io::Result<SortedRunWriter> {
        let file = BufWriter::new(tempfile::tempfile_in(folder)?);
        Ok(SortedRunWriter { file, count: 0, bytes: Vec::with_capacity(TracedIo::TAIL_BYTES) })
    }

    fn write(&mut self, io: &TracedIo) -> io::Result<()> {
        self.bytes.clear();
        io.push_to(&mut self.bytes);
        self.count += 1;
        self.file.write_all(&self.bytes)
    }

    fn finish(self, level: u32) -> io::Result<Run> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Run { file: BufReader::new(file), left: self.count, level })
    }
}

/// The k-way merge of sorted sources. Of equal times those of the first source come first.
pub fn merge<S>(
    sources: &mut [S],
    mut next: impl FnMut(&mut S) -> io::Result<Option<TracedIo>>,
    mut take: impl FnMut(TracedIo) -> io::Result<()>,
) -> io::Result<()> {
    let mut heads: Vec<Option<TracedIo>> = Vec::new();
    let mut heap = BinaryHeap::new();
    for (number, source) in sources.iter_mut().enumerate() {
        let head = next(source)?;
        heap.extend(head.map(|io| Reverse((io.issued_at, number))));
        heads.push(head);
    }
    while let Some(Reverse((_, number))) = heap.pop() {
        let Some(io) = heads[number].take() else { continue };
        take(io)?;
        heads[number] = next(&mut sources[number])?;
        heap.extend(heads[number].map(|io| Reverse((io.issued_at, number))));
    }
    Ok(())
}
