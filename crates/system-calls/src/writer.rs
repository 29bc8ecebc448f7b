//! Files of one length, one after the other, wherever they go, and the buffer that they are written from.

use std::io;

use drivelab_block::{
    ByteCount, Extent, Instant, Nanos, Op, Payload, PhaseId, QueueId, Request, SECTOR_BYTES, Sector,
    SectorCount,
};

/// What is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// How many files.
    pub files: u64,
    /// The length of each: whole pages.
    pub file: ByteCount,
    /// The length of a write.
    pub request: ByteCount,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Files that were written.
    pub files: u64,
    /// From the first file's opening to the last one's end.
    pub elapsed: Nanos,
    /// What of it went into making the data.
    pub preparing: Nanos,
}

/// A write that did not go well.
#[derive(Debug, thiserror::Error)]
#[error("file {file} of {length} could not be written at byte {at}: {source}")]
pub struct PlainError {
    /// The file, from 0.
    pub file: u64,
    /// Its length.
    pub length: ByteCount,
    /// The byte in it.
    pub at: u64,
    /// What the system said.
    pub source: io::Error,
}

/// Where files go.
pub trait FilePlace {
    /// Begins a file.
    ///
    /// # Errors
    /// What the system says.
    fn begin(&mut self, file: u64) -> io::Result<()>;

    /// Writes all of `piece` at a byte of the file.
    ///
    /// # Errors
    /// What the system says.
    fn write(&mut self, at: u64, piece: &[u8]) -> io::Result<()>;

    /// Ends a file, as its path does: with or without `fsync`.
    ///
    /// # Errors
    /// What the system says.
    fn end(&mut self) -> io::Result<()>;
}

/// Writes the files of a job; everything is allocated and filled before its clock starts.
#[derive(Debug)]
pub struct CellWriter<P> {
    job: Job,
    payload: P,
    buffer: PageBuffer,
}

impl<P: Payload> CellWriter<P> {
    /// Gets the data ready.
    ///
    /// # Panics
    /// On a machine whose addresses are too short for a request.
    pub fn new(job: Job, mut payload: P) -> CellWriter<P> {
        let request = job.request.min(job.file).get();
        let mut buffer = PageBuffer::new(usize::try_from(request).expect("a request fits into the memory"));
        payload.fill(buffer.bytes());
        CellWriter { job, payload, buffer }
    }

    /// Writes all files, or those that are begun before `is_over` says so.
    ///
    /// # Errors
    /// [`PlainError`] names the file and what the system said.
    pub fn write(
        &mut self,
        place: &mut impl FilePlace,
        now: impl Fn() -> Instant,
        is_over: impl Fn() -> bool,
    ) -> Result<Spent, PlainError> {
        let (started_at, mut spent) = (now(), Spent::default());
        for file in 0..self.job.files {
            if is_over() {
                break;
            }
            let length = self.job.file;
            let wrong = |at| move |source| PlainError { file, length, at, source };
            place.begin(file).map_err(wrong(0))?;
            spent.preparing = spent.preparing + self.fill(place, file, &now)?;
            place.end().map_err(wrong(length.get()))?;
            spent.files += 1;
        }
        spent.elapsed = now().since(started_at);
        Ok(spent)
    }

    /// Writes one file; the time that making its data took.
    fn fill(
        &mut self,
        place: &mut impl FilePlace,
        file: u64,
        now: &impl Fn() -> Instant,
    ) -> Result<Nanos, PlainError> {
        let (length, mut at, mut preparing) = (self.job.file.get(), 0, Nanos::ZERO);
        while at < length {
            let bytes = self.job.request.get().min(length - at);
            let before = now();
            let request = as_request(file * length + at, bytes);
            let piece = self.buffer.bytes();
            self.payload.stamp(&request, piece);
            preparing = preparing + now().since(before);
            #[expect(clippy::cast_possible_truncation, reason = "at most the buffer's length")]
            let piece = &piece[..bytes as usize];
            let length = self.job.file;
            place.write(at, piece).map_err(|source| PlainError { file, length, at, source })?;
            at += bytes;
        }
        Ok(preparing)
    }
}

/// The request that the ring would be asked for the same bytes: payloads know no other.
pub(crate) fn as_request(byte: u64, bytes: u64) -> Request {
    let length = SectorCount::new(u32::try_from(bytes / SECTOR_BYTES).unwrap_or(u32::MAX));
    Request {
        intended_at: Instant::ORIGIN,
        extent: Extent { start: Sector::new(byte / SECTOR_BYTES), length },
        op: Op::Write,
        phase: PhaseId(0),
        queue: QueueId(0),
    }
}

/// What the start of the buffer is a multiple of: a page, which is enough for every drive.
const ALIGNMENT: usize = 4096;

/// Bytes whose first lies on a page.
#[derive(Debug)]
pub(crate) struct PageBuffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl PageBuffer {
    pub(crate) fn new(length: usize) -> PageBuffer {
        let bytes = vec![0; length + ALIGNMENT];
        // The vector is never grown, so its bytes stay where they are.
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        PageBuffer { bytes, start, length }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Notes what it is asked, and takes nothing at one byte of a file.
    #[derive(Default)]
    struct Notes {
        asked: Vec<String>,
        full_at: Option<u64>,
    }

    impl FilePlace for Notes {
        fn begin(&mut self, file: u64) -> io::Result<()> {
            self.asked.push(format!("begin {file}"));
            Ok(())
        }

        fn write(&mut self, at: u64, piece: &[u8]) -> io::Result<()> {
            self.asked.push(format!("{at}+{} of {}", piece.len(), piece[0]));
            if self.full_at == Some(at) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn end(&mut self) -> io::Result<()> {
            self.asked.push("end".to_owned());
            Ok(())
        }
    }

    /// Marks each piece with the page that it is for, counted over all files.
    struct Pages;

    impl Payload for Pages {
        fn fill(&mut self, buffer: &mut [u8]) {
            buffer.fill(0xff);
        }

        fn stamp(&mut self, request: &Request, buffer: &mut [u8]) {
            buffer[0] = u8::try_from(request.extent.start.get() / 8).expect("a few pages");
        }
    }

    const JOB: Job = Job { files: 3, file: ByteCount::new(5 * 4096), request: ByteCount::new(2 * 4096) };

    /// A clock that goes on by a microsecond whenever it is read.
    fn ticks() -> impl Fn() -> Instant {
        let read = Cell::new(0);
        move || {
            read.set(read.get() + 1_000);
            Instant::from_nanos(read.get())
        }
    }

    #[test]
    fn each_file_is_written_whole_with_data_of_its_own_and_ended_before_the_next() {
        let mut place = Notes::default();
        let begun = Cell::new(0);
        let is_over = || begun.replace(begun.get() + 1) == 2;
        let spent = CellWriter::new(JOB, Pages).write(&mut place, ticks(), is_over).expect("room");
        let expected = [
            "begin 0",
            "0+8192 of 0",
            "8192+8192 of 2",
            "16384+4096 of 4",
            "end",
            "begin 1",
            "0+8192 of 5",
            "8192+8192 of 7",
            "16384+4096 of 9",
            "end",
        ];
        assert_eq!(place.asked, expected);
        // Six pieces with two readings each between the first reading and the last.
        let (elapsed, preparing) = (Nanos::from_micros(13), Nanos::from_micros(6));
        assert_eq!(spent, Spent { files: 2, elapsed, preparing });
    }

    #[test]
    fn a_request_longer_than_the_file_ends_with_it() {
        let job = Job { files: 1, file: ByteCount::new(4096), request: ByteCount::new(1 << 20) };
        let mut place = Notes::default();
        CellWriter::new(job, Pages).write(&mut place, ticks(), || false).expect("room");
        assert_eq!(place.asked, ["begin 0", "0+4096 of 0", "end"]);
    }

    #[test]
    fn what_cannot_be_written_is_named_by_file_and_byte() {
        let mut place = Notes { full_at: Some(8192), ..Notes::default() };
        let error = CellWriter::new(JOB, Pages).write(&mut place, ticks(), || false).expect_err("it is full");
        assert_eq!((error.file, error.at, error.length), (0, 8192, JOB.file));
        assert_eq!(
            place.asked.last().map(String::as_str),
            Some("8192+8192 of 2"),
            "nothing is done after it"
        );
    }

    #[test]
    fn the_first_byte_lies_on_a_page() {
        for length in [512, 4096, 1 << 20] {
            let mut buffer = PageBuffer::new(length);
            assert_eq!(buffer.bytes().as_ptr().align_offset(ALIGNMENT), 0);
            assert_eq!(buffer.bytes().len(), length);
        }
    }
}
