//! A drive with a volatile cache: a server of the Network Block Device protocol, to which QEMU connects. Writes stay in its
//! memory until a flush; where the power is cut, each of them is lost or not by chance.
//!
//! The protocol is that of `doc/proto.md` of the NBD project, in its fixed newstyle with simple replies.

#![allow(
    clippy::cast_possible_truncation,
    reason = "lengths within a request of 32 bits, and fields of the protocol"
)]

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context as _, Result};

/// What may be lost or kept by itself, in bytes.
const UNIT: usize = 4096;

const HAS_FLAGS: u16 = 1;
const SEND_FLUSH: u16 = 1 << 2;
const SEND_FUA: u16 = 1 << 3;
const SEND_TRIM: u16 = 1 << 5;
const FUA: u16 = 1;

/// The server of one drive.
pub struct VolatileDrive {
    cache: Arc<Mutex<Cache>>,
}

/// The file, and what is not in it yet.
struct Cache {
    file: File,
    size: u64,
    /// Units that were written since the last flush, by their number.
    dirty: BTreeMap<u64, Box<[u8; UNIT]>>,
}

impl VolatileDrive {
    /// Serves the file at `path`, which is made with `size` bytes, at a socket beside it: its name with `.nbd`.
    ///
    /// # Errors
    /// Where file or socket cannot be made.
    pub fn serve(path: &Path, size: u64) -> Result<VolatileDrive> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.set_len(size)?;
        let socket = path.with_extension("nbd");
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).context("the socket of a drive with a volatile cache")?;
        let cache = Arc::new(Mutex::new(Cache { file, size, dirty: BTreeMap::new() }));
        let shared = Arc::clone(&cache);
        thread::spawn(move || {
            // The end of a connection is the end of a machine; the next one connects anew.
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, &shared);
            }
        });
        Ok(VolatileDrive { cache })
    }

    /// Cuts its power: of what was not flushed, each unit is lost or kept, by chance from `seed`.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn cut_power(&self, seed: u64) -> io::Result<()> {
        let mut cache = lock(&self.cache);
        let (mut state, dirty) = (seed | 1, std::mem::take(&mut cache.dirty));
        for (number, data) in dirty {
            // A xorshift generator: any that is not the same for each cut will do.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if state & (1 << 20) != 0 {
                cache.file.write_all_at(&data[..], number * UNIT as u64)?;
            }
        }
        Ok(())
    }
}

fn lock(cache: &Mutex<Cache>) -> std::sync::MutexGuard<'_, Cache> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    fn read(&self, offset: u64, target: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(target, offset)?;
        let (first, last) = (offset / UNIT as u64, (offset + target.len() as u64).div_ceil(UNIT as u64));
        for (number, data) in self.dirty.range(first..last) {
            let start = number * UNIT as u64;
            let (from, until) = (start.max(offset), (start + UNIT as u64).min(offset + target.len() as u64));
            let source = &data[(from - start) as usize..(until - start) as usize];
            target[(from - offset) as usize..(until - offset) as usize].copy_from_slice(source);
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut at = offset;
        let end = offset + data.len() as u64;
        while at < end {
            let number = at / UNIT as u64;
            let start = number * UNIT as u64;
            let until = end.min(start + UNIT as u64);
            if !self.dirty.contains_key(&number) {
                let mut whole = Box::new([0; UNIT]);
                self.file.read_exact_at(&mut whole[..], start)?;
                self.dirty.insert(number, whole);
            }
            if let Some(whole) = self.dirty.get_mut(&number) {
                let source = &data[(at - offset) as usize..(until - offset) as usize];
                whole[(at - start) as usize..(until - start) as usize].copy_from_slice(source);
            }
            at = until;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        for (number, data) in std::mem::take(&mut self.dirty) {
            self.file.write_all_at(&data[..], number * UNIT as u64)?;
        }
        Ok(())
    }
}

fn serve(mut stream: UnixStream, cache: &Mutex<Cache>) -> io::Result<()> {
    negotiate(&mut stream, lock(cache).size)?;
    loop {
        let mut head = [0; 28];
        stream.read_exact(&mut head)?;
        let word = |from: usize, length: usize| {
            head[from..from + length].iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte))
        };
        let (flags, kind, offset, length) =
            (word(4, 2) as u16, word(6, 2), word(16, 8), word(24, 4) as usize);
        let mut data = vec![0; if kind <= 1 { length } else { 0 }];
        if kind == 1 {
            stream.read_exact(&mut data)?;
        }
        let mut cache = lock(cache);
        let done = match kind {
            0 => cache.read(offset, &mut data),
            1 => cache.write(offset, &data),
            2 => return Ok(()),
            3 => cache.flush(),
            // What is trimmed may keep its contents.
            4 => Ok(()),
            _ => Err(io::ErrorKind::Unsupported.into()),
        };
        let done = if flags & FUA != 0 { done.and_then(|()| cache.flush()) } else { done };
        drop(cache);
        let error: u32 = if done.is_ok() { 0 } else { 5 };
        let mut reply = Vec::with_capacity(16 + length);
        reply.extend(0x6744_6698_u32.to_be_bytes());
        reply.extend(error.to_be_bytes());
        reply.extend(&head[8..16]);
        if kind == 0 && error == 0 {
            reply.extend(&data);
        }
        stream.write_all(&reply)?;
    }
}

/// The options until the transmission begins.
fn negotiate(stream: &mut UnixStream, size: u64) -> io::Result<()> {
    stream.write_all(b"NBDMAGICIHAVEOPT")?;
    // Fixed newstyle, without the zeros at the end of the oldest option.
    stream.write_all(&3_u16.to_be_bytes())?;
    stream.read_exact(&mut [0; 4])?;
    let flags = HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_TRIM;
    loop {
        let mut head = [0; 16];
        stream.read_exact(&mut head)?;
        let word =
            |from: usize| u32::from_be_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]]);
        let (option, length) = (word(8), word(12));
        stream.read_exact(&mut vec![0; length as usize])?;
        let mut reply = |kind: u32, data: &[u8]| -> io::Result<()> {
            stream.write_all(&0x0003_e889_0455_65a9_u64.to_be_bytes())?;
            stream.write_all(&option.to_be_bytes())?;
            stream.write_all(&kind.to_be_bytes())?;
            stream.write_all(&(data.len() as u32).to_be_bytes())?;
            stream.write_all(data)
        };
        match option {
            // NBD_OPT_INFO and NBD_OPT_GO: the size and the flags, then the end of the option.
            6 | 7 => {
                let mut info = vec![0, 0];
                info.extend(size.to_be_bytes());
                info.extend(flags.to_be_bytes());
                reply(3, &info)?;
                reply(1, &[])?;
                if option == 7 {
                    return Ok(());
                }
            }
            // NBD_OPT_ABORT.
            2 => return Err(io::ErrorKind::ConnectionAborted.into()),
            _ => reply(0x8000_0001, &[])?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_flushed_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("drive");
        let drive = VolatileDrive::serve(&path, 1 << 20).expect("a drive");
        let mut cache = lock(&drive.cache);
        cache.write(0, &vec![1; 256 << 10]).expect("room");
        cache.flush().expect("room");
        cache.write(0, &vec![2; 256 << 10]).expect("room");
        let mut seen = vec![0; 256 << 10];
        cache.read(0, &mut seen).expect("what was written");
        assert!(seen.iter().all(|byte| *byte == 2), "a read sees the cache");
        drop(cache);
        drive.cut_power(7).expect("room");
        let left = std::fs::read(&path).expect("the file");
        let lost = left[..256 << 10].chunks(UNIT).filter(|unit| unit.iter().all(|byte| *byte == 1)).count();
        assert!((8..56).contains(&lost), "{lost} of 64 units are lost");
        assert!(left[256 << 10..].iter().all(|byte| *byte == 0));
    }
}
