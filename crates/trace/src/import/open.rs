//! A file's bytes, unpacked where it is packed.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use drivelab_files::{may_wait, open_any, wait_readable};

use super::LookedAtFile;
use crate::format::blktrace;
use crate::ring::{Layout, Layouts};

/// How much of a file is looked at to tell its format.
const START_BYTES: u64 = 256 << 10;

/// What unpacking xz may take: `xz -9` asks for 65 MiB, and a damaged file for anything up to 4 GiB.
const XZ_MEMORY: u64 = 256 << 20;

/// Bytes that are read at a time: they stay in a processor's own cache until they are parsed.
pub const READ_BYTES: usize = 128 << 10;

/// How long rows of a pipe are waited for before it is asked whether to go on.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What some programs write before text to say that it is UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// Whether to go on, asked from several places.
pub struct Going<'a>(RefCell<&'a mut dyn FnMut() -> bool>);

impl<'a> Going<'a> {
    /// Asks this.
    pub fn new(keep_going: &'a mut dyn FnMut() -> bool) -> Going<'a> {
        Going(RefCell::new(keep_going))
    }

    /// Whether to go on.
    pub fn is_on(&self) -> bool {
        (self.0.borrow_mut())()
    }
}

/// A file whose rows may still have to be written: a pipe ends where it is not to go on.
struct Awaited<'a> {
    file: File,
    going: &'a Going<'a>,
}

impl Read for Awaited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.going.is_on() {
            if wait_readable(&self.file, LOOK_EVERY)? {
                match self.file.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
            }
        }
        Ok(0)
    }
}

/// Opens a file and unpacks its start.
pub fn open<'a>(path: &Path, going: &'a Going<'a>) -> io::Result<LookedAtFile<'a>> {
    let file = open_any(path)?;
    let bytes: Box<dyn Read + 'a> =
        if may_wait(&file)? { Box::new(Awaited { file, going }) } else { Box::new(file) };
    let mut source = unpacked(path, BufReader::with_capacity(READ_BYTES, bytes))?;
    // Pages of the kernel's ring buffer are no text, and say nothing without what lies beside them.
    if source.start.contains(&0) && !blktrace::is_blktrace(&source.start) {
        source.layouts = layouts_beside(path);
    }
    Ok(source)
}

/// Unpacks the start of these bytes; what they are packed with is told by the first of them, not by a name.
pub fn unpacked<'a>(path: &Path, mut bytes: impl Read + 'a) -> io::Result<LookedAtFile<'a>> {
    let mut magic = Vec::new();
    Read::by_ref(&mut bytes).take(6).read_to_end(&mut magic)?;
    let packed = io::Cursor::new(magic.clone()).chain(bytes);
    let mut rest: Box<dyn Read + 'a> = match magic.as_slice() {
        [0x1F, 0x8B, ..] => Box::new(Unpacked(flate2::read::MultiGzDecoder::new(packed))),
        [b'B', b'Z', b'h', ..] => Box::new(Unpacked(bzip2::read::MultiBzDecoder::new(packed))),
        [0xFD, b'7', b'z', b'X', b'Z', 0] => Box::new(Unpacked(xz(packed)?)),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Box::new(Unpacked(zstd::stream::read::Decoder::new(packed)?)),
        _ => Box::new(packed),
    };
    let mut start = Vec::new();
    if let Err(error) = Read::by_ref(&mut rest).take(START_BYTES).read_to_end(&mut start) {
        rest = Box::new(Damaged(Some(error)));
    }
    if start.starts_with(BYTE_ORDER_MARK) {
        start.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(LookedAtFile { path: path.to_owned(), layouts: Layouts::default(), start, rest })
}

/// Bytes that are unpacked. What is packed says at its end whether all of it was right: damage is noticed behind rows that it
/// made wrong, unless something is only cut off.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::Interrupted => error,
            _ if error.raw_os_error().is_some() => error,
            kind => io::Error::new(kind, format!("{error} (rows before that may be wrong as well)")),
        })
    }
}

/// What is damaged near its start says so when the rest is read. The unpacker is not asked again: some panic then.
struct Damaged(Option<io::Error>);

impl Read for Damaged {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Unpacks xz, of as many streams as there are.
fn xz<R: Read>(packed: R) -> io::Result<liblzma::read::XzDecoder<R>> {
    let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)?;
    Ok(liblzma::read::XzDecoder::new_stream(packed, stream))
}

/// What the `*.format` files in the folder of a file describe.
fn layouts_beside(path: &Path) -> Layouts {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "format"));
    let texts = files.filter_map(|file| fs::read_to_string(file).ok());
    Layouts::new(texts.filter_map(|text| Layout::parse(&text)).collect())
}
