//! The ring buffers of all processors, of which pages are read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::tracer::TracerError;

/// The size of a page of the ring buffer.
pub const PAGE_BYTES: usize = 4096;

/// How much of a page was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// There was no event.
    Nothing,
    /// It is still being filled, or the rest of one that was read before it was full.
    Partly,
    /// There may be more.
    Wholly,
}

/// The ring buffers of all processors.
#[derive(Debug)]
pub struct Buffers(Vec<Processor>);

/// The ring buffer of one processor.
#[derive(Debug)]
struct Processor {
    number: u32,
    pages: File,
    statistics: PathBuf,
}

impl Buffers {
    /// Opens those of an instance, whose folder `per_cpu` this is.
    pub(crate) fn open(folder: &Path) -> Result<Buffers, TracerError> {
        let entries = fs::read_dir(folder).map_err(|error| TracerError::io(folder, error))?;
        let mut processors = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let number = name.to_string_lossy().strip_prefix("cpu").and_then(|number| number.parse().ok());
            let Some(number) = number else { continue };
            processors.push(Processor::open(number, &entry.path())?);
        }
        processors.sort_by_key(|processor| processor.number);
        Ok(Buffers(processors))
    }

    /// How many processors have one.
    pub fn processors(&self) -> usize {
        self.0.len()
    }

    /// Takes the next page of a processor, counted from 0. It never waits.
    ///
    /// The kernel also hands out a page that is still being filled, and the rest of it later: whoever asked on and
    /// on would get pages of an event or two for ever.
    ///
    /// # Errors
    /// Where the kernel gives none for another reason than that there is none.
    pub fn read(&mut self, processor: usize, page: &mut [u8; PAGE_BYTES]) -> io::Result<Filled> {
        match self.0[processor].pages.read(page) {
            Ok(0) => Ok(Filled::Nothing),
            Ok(PAGE_BYTES) => Ok(filled(page)),
            Ok(_) => Err(io::Error::other("the kernel gave a part of a page")),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Ok(Filled::Nothing)
            }
            Err(error) => Err(error),
        }
    }

    /// Events that found no room, for each processor: its number and how many.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn losses(&self) -> io::Result<Vec<(u32, u64)>> {
        let losses = self.0.iter().map(|processor| {
            let text = fs::read_to_string(&processor.statistics)?;
            Ok((processor.number, lost(&text)))
        });
        losses.collect()
    }
}

/// A page ends where the next event did not fit; those of block devices are far below 256 bytes. The bytes in use
/// are the lower 20 bits of the header's second word.
fn filled(page: &[u8; PAGE_BYTES]) -> Filled {
    let in_use = page[8..].first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes)) & 0xF_FFFF;
    if in_use > PAGE_BYTES as u64 - 256 { Filled::Wholly } else { Filled::Partly }
}

impl Processor {
    fn open(number: u32, folder: &Path) -> Result<Processor, TracerError> {
        let path = folder.join("trace_pipe_raw");
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let pages = OpenOptions::new().read(true).custom_flags(nonblocking).open(&path);
        let pages = pages.map_err(|error| TracerError::io(&path, error))?;
        Ok(Processor { number, pages, statistics: folder.join("stats") })
    }
}

/// What `per_cpu/cpuN/stats` counts as lost, whatever the reason.
fn lost(statistics: &str) -> u64 {
    let lost = ["overrun", "commit overrun", "dropped events"];
    let counts = statistics.lines().filter_map(|line| line.split_once(": "));
    counts
        .filter(|(name, _)| lost.contains(name))
        .filter_map(|(_, count)| count.trim().parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_loss_is_counted() {
        let text = "entries: 90\noverrun: 3\ncommit overrun: 4\nbytes: 800\noldest event ts:  2.5\ndropped events: 5\n";
        assert_eq!(lost(text), 12);
    }

    #[test]
    fn a_page_with_room_for_another_event_is_not_full() {
        let page = |in_use: u64| {
            let mut page = [0; PAGE_BYTES];
            // Above the lower 20 bits lie flags, such as that of events that were missed.
            page[8..16].copy_from_slice(&(1 << 31 | in_use).to_ne_bytes());
            filled(&page)
        };
        assert_eq!(page(40), Filled::Partly);
        assert_eq!(page(4096 - 256), Filled::Partly);
        assert_eq!(page(4096 - 255), Filled::Wholly);
    }
}
