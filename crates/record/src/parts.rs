//! What there is of the records in a folder of segments.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use drivelab_files::open_regular;
use parquet::errors::ParquetError;

use crate::RecordError;
use crate::error::of_the_system;

/// The folder of the segments.
pub const SEGMENTS: &str = "segments";
/// A whole segment.
pub const SEGMENT: &str = "parquet";
/// A segment that is being written.
pub const PARTIAL: &str = "parquet.partial";
/// Where the row groups of the segment that is being written are, and the records behind them.
pub const TAIL: &str = "tail";

/// The file of a segment in one of its states.
pub fn segment_path(segments: &Path, number: u32, kind: &str) -> PathBuf {
    segments.join(format!("{number:06}.{kind}"))
}

/// The files that hold records, in the order of their numbers: a segment, or the tail of one that never became
/// whole.
pub struct Parts {
    pub paths: Vec<PathBuf>,
    /// What should be there and is not, each a few words.
    pub faults: Vec<String>,
}

impl Parts {
    /// Lists a folder whose segments are numbered from `first`. One that is not there is a fault, and no error.
    pub fn list(segments: &Path, first: u32) -> Result<Parts, RecordError> {
        let entries = match fs::read_dir(segments) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Parts::of_nothing()),
            entries => entries.map_err(|error| RecordError::io(segments, error))?,
        };
        let mut parts: BTreeMap<String, SegmentPart> = BTreeMap::new();
        for entry in entries {
            let path = entry.map_err(|error| RecordError::io(segments, error))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some((number, kind)) = name.split_once('.') else { continue };
            if kind == SEGMENT {
                parts.entry(number.to_owned()).or_default().segment = Some(path.clone());
            } else if kind == TAIL {
                parts.entry(number.to_owned()).or_default().tail = Some(path.clone());
            }
        }
        let faults = gaps(parts.keys(), first);
        Ok(Parts { paths: parts.into_values().filter_map(SegmentPart::best).collect(), faults })
    }

    fn of_nothing() -> Parts {
        Parts { paths: Vec::new(), faults: vec![format!("the folder {SEGMENTS} is not there")] }
    }
}

/// The files of one number.
#[derive(Default)]
struct SegmentPart {
    segment: Option<PathBuf>,
    tail: Option<PathBuf>,
}

impl SegmentPart {
    /// A tail is only of use where its segment never became whole. After a power cut a segment may have its name without its
    /// contents; its tail is taken away only when it has both.
    fn best(self) -> Option<PathBuf> {
        match (self.segment, self.tail) {
            (Some(segment), Some(tail)) => Some(if has_end(&segment) { segment } else { tail }),
            (segment, tail) => segment.or(tail),
        }
    }
}

fn has_end(segment: &Path) -> bool {
    let mut end = [0; 4];
    let read = open_regular(segment).and_then(|mut file| {
        file.seek(SeekFrom::End(-4))?;
        file.read_exact(&mut end)
    });
    read.is_ok() && end == *b"PAR1"
}

/// Segments are numbered without a gap, so a number that is left out was one.
fn gaps<'a>(numbers: impl Iterator<Item = &'a String>, first: u32) -> Vec<String> {
    let mut expected = first;
    let mut gaps = Vec::new();
    for number in numbers.filter_map(|number| number.parse::<u32>().ok()) {
        match number.saturating_sub(expected) {
            0 => {}
            1 => gaps.push(format!("{SEGMENTS}/{expected:06}.{SEGMENT} is not there")),
            _ => gaps.push(format!("{SEGMENTS}/{expected:06}.{SEGMENT} to {:06} are not there", number - 1)),
        }
        expected = number.saturating_add(1);
    }
    gaps
}

/// Why a segment is of no use.
pub fn unusable(path: &Path, error: &ParquetError) -> String {
    of_the_system(error).map_or_else(|| damaged(path, error), |error| unreadable(path, error))
}

/// That the system does not give a part.
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{SEGMENTS}/{} cannot be read ({error})", name_of(path))
}

/// That a part is not as it was written.
pub fn damaged(path: &Path, error: &dyn std::fmt::Display) -> String {
    // On one line, however the cause is put.
    let cause = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{SEGMENTS}/{} is damaged ({cause})", name_of(path))
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_counts_where_its_segment_has_no_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).expect("room");
        write("000000.parquet", b"PAR1 rows PAR1");
        write("000000.tail", b"superfluous");
        write("000001.parquet", b"");
        write("000001.tail", b"all there is");
        write("000002.tail", b"all there is");
        // As long as it was, of zeros.
        write("000003.parquet", &[0; 64]);
        write("000003.tail", b"all there is");
        let parts = Parts::list(folder.path(), 0).expect("the folder");
        let names: Vec<String> = parts.paths.iter().map(|path| name_of(path).into_owned()).collect();
        assert_eq!(names, ["000000.parquet", "000001.tail", "000002.tail", "000003.tail"]);
        assert_eq!(parts.faults, Vec::<String>::new());
    }
}
