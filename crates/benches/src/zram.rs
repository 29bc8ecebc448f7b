//! A zram device of our own, filled.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

const PAGE: usize = 4096;

/// What every page of a device holds.
#[derive(Clone, Copy)]
pub enum Fill {
    /// One word over and over, another in each page: the kernel keeps the word alone, so that a read costs it
    /// next to nothing, and what the programs themselves cost is seen best.
    Words,
    /// Random bytes, as both peers write by default: a read is a copy from memory that no cache holds.
    Random,
}

/// A device that goes away when it is dropped.
pub struct Zram {
    number: u32,
}

impl Zram {
    /// A device of `bytes`, every page of it filled.
    pub fn filled(bytes: u64, fill: Fill) -> Result<Zram> {
        let zram = Zram::empty(bytes)?;
        zram.fill(bytes, fill)?;
        Ok(zram)
    }

    /// A device of `bytes` that holds nothing.
    pub fn empty(bytes: u64) -> Result<Zram> {
        let number =
            fs::read_to_string("/sys/class/zram-control/hot_add").context("a zram device (needs root)")?;
        let zram = Zram { number: number.trim().parse()? };
        fs::write(format!("/sys/block/zram{}/disksize", zram.number), bytes.to_string())?;
        Ok(zram)
    }

    fn fill(&self, bytes: u64, fill: Fill) -> Result<()> {
        let mut source = fs::File::open("/dev/urandom")?;
        let mut target = fs::OpenOptions::new().write(true).open(self.path())?;
        let mut chunk = vec![0u8; 1 << 20];
        for first in (0..bytes / PAGE as u64).step_by(chunk.len() / PAGE) {
            match fill {
                Fill::Random => source.read_exact(&mut chunk)?,
                Fill::Words => {
                    for (page, number) in chunk.chunks_exact_mut(PAGE).zip(first + 1..) {
                        page.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&number.to_ne_bytes()));
                    }
                }
            }
            target.write_all(&chunk)?;
        }
        Ok(target.sync_all()?)
    }

    /// The device file.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.number))
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        for _ in 0..50 {
            let reset = fs::write(format!("/sys/block/zram{}/reset", self.number), "1");
            let removed = fs::write("/sys/class/zram-control/hot_remove", self.number.to_string());
            if reset.is_ok() && removed.is_ok() {
                return;
            }
            #[expect(clippy::disallowed_methods, reason = "udev may still be looking at the device")]
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// A folder in memory for records and logs, so that no disk takes part in the measurement.
pub fn memory_folder() -> Result<tempfile::TempDir> {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { Ok(tempfile::tempdir_in(shared)?) } else { Ok(tempfile::tempdir()?) }
}
