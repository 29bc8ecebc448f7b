//! A new ext4 on a device, mounted as drivelab mounts its own.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// A file system that is unmounted when it is dropped.
pub struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    /// Makes it, and mounts it.
    pub fn new(device: &Path) -> Result<Mounted> {
        let options = "lazy_itable_init=0,lazy_journal_init=0";
        call(Command::new("mkfs.ext4").args(["-q", "-F", "-E", options]).arg(device))?;
        let folder = tempfile::tempdir()?;
        call(Command::new("mount").args(["-o", "noatime"]).arg(device).arg(folder.path()))?;
        Ok(Mounted { folder })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.folder.path()).status();
    }
}

/// Has nothing cached.
pub fn drop_caches() -> Result<()> {
    call(&mut Command::new("sync"))?;
    Ok(std::fs::write("/proc/sys/vm/drop_caches", "3")?)
}

fn call(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
