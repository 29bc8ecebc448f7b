//! A seal on a segment: a hash of the whole file, kept in its own footer.
//!
//! Parquet's footer has no checksum, and its pages have none that the library writes; a flipped bit would be a wrong
//! figure, or make the library panic. The seal is metadata of the file, so that it stays plain Parquet. It is
//! written as zeros, hashed with them, and then put in their place.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write};

use xxhash_rust::xxh3::Xxh3;

/// What the seal is called in the metadata.
pub const KEY: &str = "drivelab.seal";
/// A seal that is not known yet.
pub const BLANK: &str = "xxh3:0000000000000000";

/// How a seal begins; its 16 digits follow.
const MARK: &[u8] = b"xxh3:";
const DIGITS: usize = 16;
/// What a Parquet file ends with: the length of the footer, and a mark.
const END: u64 = 8;
/// The longest footer that is looked at: that of a segment has about 20 kB.
const MAX_FOOTER: u64 = 1 << 20;

/// A file that is hashed while it is written.
pub struct Hashed {
    file: File,
    hash: Xxh3,
}

impl Hashed {
    /// An empty file, open to be read as well.
    pub fn new(file: File) -> Hashed {
        Hashed { file, hash: Xxh3::new() }
    }

    /// Puts the seal in the place of its zeros.
    pub fn seal(mut self) -> io::Result<()> {
        let place = place(&mut self.file)?.ok_or_else(|| io::Error::other("the footer has no seal"))?;
        self.file.seek(SeekFrom::Start(place))?;
        self.file.write_all(digits(&self.hash).as_bytes())
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether a file is as it was sealed. It is left at its start.
pub fn is_whole(file: &mut File) -> io::Result<bool> {
    let Some(place) = place(file)? else { return Ok(false) };
    file.rewind()?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut hash = Xxh3::new();
    hash_some(&mut reader, place, &mut hash)?;
    let mut seal = [0; DIGITS];
    reader.read_exact(&mut seal)?;
    hash.update(&[b'0'; DIGITS]);
    hash_some(&mut reader, u64::MAX, &mut hash)?;
    reader.rewind()?;
    Ok(seal == digits(&hash).as_bytes())
}

/// Hashes the next `count` bytes, or what there is.
fn hash_some(reader: &mut BufReader<&mut File>, mut count: u64, hash: &mut Xxh3) -> io::Result<()> {
    while count > 0 {
        let block = reader.fill_buf()?;
        let length = block.len().min(usize::try_from(count).unwrap_or(usize::MAX));
        if length == 0 {
            break;
        }
        hash.update(&block[..length]);
        reader.consume(length);
        count -= length as u64;
    }
    Ok(())
}

/// Where in the file the digits of the seal are.
fn place(file: &mut File) -> io::Result<Option<u64>> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(end) = length.checked_sub(END) else { return Ok(None) };
    file.seek(SeekFrom::Start(end))?;
    let mut footer = [0; 4];
    file.read_exact(&mut footer)?;
    let footer = u64::from(u32::from_le_bytes(footer)).min(MAX_FOOTER);
    let Some(start) = end.checked_sub(footer) else { return Ok(None) };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(footer).read_to_end(&mut bytes)?;
    let found = bytes.windows(MARK.len()).rposition(|window| window == MARK);
    let digits = found.map(|found| found + MARK.len()).filter(|digits| digits + DIGITS <= bytes.len());
    Ok(digits.map(|digits| start + digits as u64))
}

fn digits(hash: &Xxh3) -> String {
    format!("{:016x}", hash.digest())
}
