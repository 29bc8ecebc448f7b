//! The checksum of a segment: XXH3-64 over every byte of the file, kept in its own footer.
//!
//! Parquet knows a checksum a page, which the library does not write, and which would leave the footer out. Here
//! the file is written with a sum of zero in its footer, and the digits are put in their place when it is whole; to
//! check it, the digits are taken for zeros again. Records of a run would otherwise be believed whatever happened to
//! them: most bytes of a column are a plausible time or place, whichever they are.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use drivelab_files::open_regular;
use parquet::file::metadata::KeyValue;
use xxhash_rust::xxh3::Xxh3Default;

use crate::parts::SEGMENT;

/// The name of the sum among the footer's own words.
const KEY: &str = "drivelab.xxh3_64";
/// The sum of a file that is not whole yet, and of every file while it is summed.
const ZEROS: &str = "0000000000000000";
/// Between the name and its value: the type of the next field, and the length of the digits.
const GAP: usize = 2;
/// What a Parquet file ends with: the length of the footer and a magic word.
const END_BYTES: u64 = 8;
/// A segment's footer is a hundredth of this.
const FOOTER_BYTES_MAX: u64 = 1 << 20;
/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 256 << 10;

/// Where the bytes of a segment go.
pub type SegmentFile = Summed<BufWriter<File>>;

/// Sums what passes through it on its way into a file.
pub struct Summed<W> {
    /// Where it goes.
    pub inner: W,
    sum: Xxh3Default,
}

impl<W> Summed<W> {
    /// Sums from here on.
    pub fn new(inner: W) -> Summed<W> {
        Summed { inner, sum: Xxh3Default::new() }
    }

    /// The sum so far.
    pub fn sum(&self) -> u64 {
        self.sum.digest()
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The footer's word for a sum that is not known yet.
pub fn unknown() -> KeyValue {
    KeyValue::new(KEY.to_owned(), ZEROS.to_owned())
}

/// Puts the sum of a whole file into its footer.
pub fn seal(file: &File, sum: u64) -> io::Result<()> {
    match place_of_sum(file)? {
        Some(place) => file.write_all_at(digits(sum).as_bytes(), place),
        None => Err(io::Error::other("the footer has no place for the checksum")),
    }
}

/// Puts the sum of a file that was changed into its footer.
#[cfg(test)]
pub fn reseal(file: &File) -> io::Result<()> {
    let place = place_of_sum(file)?.ok_or_else(|| io::Error::other("no place for the checksum"))?;
    file.write_all_at(&sum_of(file, place)?, place)
}

/// One sum of all segments in a folder, made from the sums in their footers: equal for equal records that were written by the
/// same version. The segments are not read, and a segment without a sum, which is damaged, counts as one of zeros.
///
/// # Errors
/// Where the folder cannot be listed, or a segment cannot be opened.
pub fn sum_of_segments(segments: &Path) -> io::Result<u64> {
    let paths: io::Result<Vec<_>> = fs::read_dir(segments)?.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| path.extension().is_some_and(|kind| kind == SEGMENT));
    paths.sort();
    let mut all = Xxh3Default::new();
    for path in paths {
        let file = open_regular(&path)?;
        let mut digits = [b'0'; ZEROS.len()];
        if let Some(place) = place_of_sum(&file)? {
            file.read_exact_at(&mut digits, place)?;
        }
        all.update(&digits);
    }
    Ok(all.digest())
}

/// Whether every byte is as it was written. A file without a sum is not: damage may have hit its name.
pub fn is_intact(file: &File) -> io::Result<bool> {
    let Some(place) = place_of_sum(file)? else { return Ok(false) };
    let mut kept = [0; ZEROS.len()];
    file.read_exact_at(&mut kept, place)?;
    Ok(sum_of(file, place)? == kept)
}

/// The sum of a file, as its digits, where those at `place` were zeros.
fn sum_of(mut file: &File, place: u64) -> io::Result<[u8; ZEROS.len()]> {
    file.rewind()?;
    let mut sum = Xxh3Default::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    copy_into(&mut sum, file.take(place), &mut buffer)?;
    sum.update(ZEROS.as_bytes());
    file.seek(SeekFrom::Start(place + ZEROS.len() as u64))?;
    copy_into(&mut sum, file.take(u64::MAX), &mut buffer)?;
    let mut found = [0; ZEROS.len()];
    found.copy_from_slice(digits(sum.digest()).as_bytes());
    Ok(found)
}

fn copy_into(sum: &mut Xxh3Default, mut from: impl io::Read, buffer: &mut [u8]) -> io::Result<()> {
    loop {
        match from.read(buffer)? {
            0 => return Ok(()),
            count => sum.update(&buffer[..count]),
        }
    }
}

fn digits(sum: u64) -> String {
    format!("{sum:016x}")
}

/// Where the digits lie; `None` in a file that has none, or whose end is that of no such file.
fn place_of_sum(file: &File) -> io::Result<Option<u64>> {
    let bytes = file.metadata()?.len();
    let Some(end) = bytes.checked_sub(END_BYTES) else { return Ok(None) };
    let mut length = [0; 4];
    file.read_exact_at(&mut length, end)?;
    let length = u64::from(u32::from_le_bytes(length)).min(FOOTER_BYTES_MAX);
    let Some(start) = end.checked_sub(length) else { return Ok(None) };
    let mut footer = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut footer, start)?;
    let found = footer.windows(KEY.len()).rposition(|word| word == KEY.as_bytes());
    let place = found.map(|found| found + KEY.len() + GAP).filter(|at| at + ZEROS.len() <= footer.len());
    Ok(place.map(|place| start + place as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_that_ends_within_its_sum_is_not_that_of_a_whole_file() {
        let mut file = tempfile::tempfile().expect("a file");
        let footer = [KEY.as_bytes(), b"..", &ZEROS.as_bytes()[..12]].concat();
        let length = u32::try_from(footer.len()).expect("short").to_le_bytes();
        file.write_all(&[&footer[..], &length, b"PAR1"].concat()).expect("room on disk");
        assert!(!is_intact(&file).expect("readable"));
        assert!(seal(&file, 1).is_err(), "no digits would have a place");
    }

    #[test]
    fn what_is_flushed_is_in_the_file() {
        let file = tempfile::tempfile().expect("a file");
        let mut summed = Summed::new(BufWriter::new(&file));
        summed.write_all(b"x").and_then(|()| summed.flush()).expect("room on disk");
        assert_eq!(file.metadata().expect("the file").len(), 1);
    }
}
