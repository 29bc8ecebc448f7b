//! What stands on a drive before and after a purge.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use anyhow::Result;

/// What stands on a drive before its purge.
pub const PATTERN: u8 = 0xa5;

/// Writes the pattern to all of a drive, whose length is a multiple of 1 MiB.
///
/// # Errors
/// Where it cannot be written.
pub fn fill(drive: &str) -> Result<()> {
    let mut file = File::options().write(true).open(drive)?;
    let size = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let block = vec![PATTERN; 1 << 20];
    for _ in 0..size >> 20 {
        file.write_all(&block)?;
    }
    Ok(file.sync_all()?)
}

/// All that a drive holds, read without what the kernel remembers.
///
/// # Errors
/// Where it cannot be read.
pub fn read(drive: &str) -> Result<Vec<u8>> {
    fs::write("/proc/sys/vm/drop_caches", "3")?;
    let mut data = Vec::new();
    File::open(drive)?.read_to_end(&mut data)?;
    Ok(data)
}

/// Whether each byte of a drive is that of the pattern.
///
/// # Errors
/// Where it cannot be read.
pub fn holds_pattern(drive: &str) -> Result<bool> {
    Ok(read(drive)?.iter().all(|byte| *byte == PATTERN))
}
