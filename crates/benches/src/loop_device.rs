//! A loop device of our own.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// A device that goes away when it is dropped.
pub struct LoopDevice {
    path: PathBuf,
}

impl LoopDevice {
    /// A device over a file of `bytes` that is made for it.
    pub fn over(image: &Path, bytes: u64) -> Result<LoopDevice> {
        std::fs::File::create(image)?.set_len(bytes)?;
        let attached = Command::new("losetup")
            .args(["--find", "--show", "--direct-io=on"])
            .arg(image)
            .output()
            .context("losetup")?;
        ensure!(attached.status.success(), "losetup: {}", String::from_utf8_lossy(&attached.stderr));
        Ok(LoopDevice { path: PathBuf::from(String::from_utf8_lossy(&attached.stdout).trim()) })
    }

    /// Writes all of it once, so that whatever lies beneath has every block.
    pub fn fill(&self) -> Result<()> {
        let mut device = std::fs::OpenOptions::new().write(true).open(&self.path)?;
        let chunk = vec![0x5a; 1 << 20];
        let mut left = device.seek(SeekFrom::End(0))?;
        device.rewind()?;
        while left > 0 {
            let part = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
            device.write_all(&chunk[..part])?;
            left -= part as u64;
        }
        Ok(device.sync_all()?)
    }

    /// The device file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.path).output();
    }
}
