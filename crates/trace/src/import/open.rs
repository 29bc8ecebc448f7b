//! A file's bytes, unpacked where it is packed.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::Source;

/// How much of a file is looked at to tell its format.
const START_BYTES: u64 = 256 << 10;

/// Opens a file and unpacks its start; what it is packed with is told by its first bytes, not by its name.
pub fn open(path: &Path) -> io::Result<Source> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut magic = Vec::new();
    Read::by_ref(&mut file).take(6).read_to_end(&mut magic)?;
    let packed = io::Cursor::new(magic.clone()).chain(file);
    let mut rest: Box<dyn Read> = match magic.as_slice() {
        [0x1F, 0x8B, ..] => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        [b'B', b'Z', b'h', ..] => Box::new(bzip2::read::MultiBzDecoder::new(packed)),
        [0xFD, b'7', b'z', b'X', b'Z', 0] => Box::new(lzma_rust2::XzReader::new(packed, true)),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Box::new(zstd::stream::read::Decoder::new(packed)?),
        _ => Box::new(packed),
    };
    let mut start = Vec::new();
    // What is damaged so early shows again when the rest is read.
    let _ = Read::by_ref(&mut rest).take(START_BYTES).read_to_end(&mut start);
    Ok(Source { path: path.to_owned(), start, rest })
}
