//! The readers that there are.

use std::fs;
use std::hint::black_box;
use std::io::Cursor;
use std::path::PathBuf;
use std::time::Duration;

use drivelab_block::{Completion, TracedIo};
use drivelab_decode::{event, meanings};
use drivelab_fio::FioJob;
use drivelab_record::{RecordReader, Row};
use drivelab_sim::Spec;
use drivelab_trace::{Format, examine};
use tempfile::TempDir;

use crate::log::Log;

/// What is fed.
enum Reader {
    /// A format's import.
    Import(Format),
    /// The same, of a packed file.
    Packed,
    /// An import of whatever it is, packed or not.
    Any,
    /// A segment or a tail of records, by the ending of its file.
    Records { file: PathBuf, folder: TempDir },
    /// A simulated drive's profile from a file.
    Profile { file: PathBuf, _folder: TempDir },
    /// What stands behind a profile's name.
    Overrides,
    /// A recording of a stream.
    Stream,
    /// Lines of the kernel's log.
    KernelLog,
    /// A job file of fio.
    FioJob,
}

/// A reader by its name.
pub struct Target {
    reader: Reader,
}

/// What files may be packed with; what is in them is read as MSR, damaged or not.
const PACKED: [&str; 4] = ["gz", "bz2", "xz", "zst"];
const OTHERS: [&str; 8] =
    ["any", "segment", "tail", "profile", "overrides", "stream", "kernel-log", "fio-job"];

/// The `format` files that are beside the corpus of `trace-pipe-raw`.
const LAYOUTS: [&str; 2] = [
    include_str!("../../crates/trace/tests/corpus/trace-pipe-raw/block_rq_complete.format"),
    include_str!("../../crates/trace/tests/corpus/trace-pipe-raw/block_rq_issue.format"),
];

impl Target {
    /// The names of all of them.
    pub fn names() -> Vec<&'static str> {
        Format::ALL.into_iter().map(Format::word).chain(PACKED).chain(OTHERS).collect()
    }

    /// The target of this name.
    pub fn from_name(name: &str) -> Option<Target> {
        let reader = match name {
            "segment" => records("000000.parquet"),
            "tail" => records("000000.tail"),
            "profile" => {
                let folder = folder();
                Reader::Profile { file: folder.path().join("drive.toml"), _folder: folder }
            }
            "overrides" => Reader::Overrides,
            "stream" => Reader::Stream,
            "kernel-log" => Reader::KernelLog,
            "fio-job" => Reader::FioJob,
            "any" => Reader::Any,
            packed if PACKED.contains(&packed) => Reader::Packed,
            name => Reader::Import(Format::of_word(name)?),
        };
        Some(Target { reader })
    }

    /// Reads the input; what comes of it does not matter.
    pub fn read(&self, data: &[u8]) {
        match &self.reader {
            Reader::Import(format) => drop(black_box(examine(owned(data), Some(*format), &LAYOUTS))),
            Reader::Packed => drop(black_box(examine(owned(data), Some(Format::Msr), &LAYOUTS))),
            Reader::Any => drop(black_box(examine(owned(data), None, &LAYOUTS))),
            Reader::Records { file, folder } => {
                fs::write(file, data).expect("room in the temporary folder");
                read_records::<Completion>(folder);
                read_records::<TracedIo>(folder);
            }
            Reader::Profile { file, .. } => {
                fs::write(file, data).expect("room in the temporary folder");
                drop(black_box(Spec::parse(&file.display().to_string())));
            }
            Reader::Overrides => {
                let overrides = String::from_utf8_lossy(data);
                drop(black_box(Spec::parse(&format!("sm2246en?{overrides}"))));
            }
            Reader::Stream => Log::of(data).iter().for_each(Log::read),
            Reader::KernelLog => {
                for line in String::from_utf8_lossy(data).lines() {
                    drop(black_box((meanings(line), event(line))));
                }
            }
            Reader::FioJob => drop(black_box(FioJob::parse(&String::from_utf8_lossy(data)))),
        }
    }

    /// Whether its inputs are lines of text.
    pub fn is_text(&self) -> bool {
        match self.reader {
            Reader::Import(format) => !matches!(format, Format::Blktrace | Format::Ring),
            Reader::Profile { .. } | Reader::Overrides | Reader::KernelLog | Reader::FioJob => true,
            Reader::Packed | Reader::Any | Reader::Records { .. } | Reader::Stream => false,
        }
    }

    /// Processor time for each byte of an input: a thousand times what reading it takes.
    pub fn time_a_byte(&self) -> Duration {
        match self.reader {
            // Four bytes of zstd may stand for 128 KiB, which are read as one line, and forty of bz2 for 900 kB.
            Reader::Packed | Reader::Any => Duration::from_millis(4),
            _ => Duration::from_micros(20),
        }
    }

    /// Bytes of memory that it may always take.
    pub fn memory(&self) -> usize {
        match self.reader {
            // Its block and buffers, and the largest window that a packed file may ask for.
            Reader::Packed | Reader::Any => 160 << 20,
            // A row group of the greatest size, encoded and as columns.
            Reader::Records { .. } => 64 << 20,
            _ => 8 << 20,
        }
    }
}

fn owned(data: &[u8]) -> Cursor<Vec<u8>> {
    Cursor::new(data.to_vec())
}

/// In memory, where the system has room for files there.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}

fn records(name: &str) -> Reader {
    let folder = folder();
    Reader::Records { file: folder.path().join(name), folder }
}

fn read_records<R: Row>(folder: &TempDir) {
    let mut reader = RecordReader::<R>::open(folder.path()).expect("the folder is there");
    while let Some(batch) = reader.next_batch() {
        black_box(batch);
    }
}
