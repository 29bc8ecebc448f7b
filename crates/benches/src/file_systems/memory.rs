//! A limit of memory for whole programs.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

const CONTROLLER: &str = "/sys/fs/cgroup/memory";

/// A memory cgroup (version 1) that goes away when it is dropped.
pub struct MemoryLimit {
    folder: PathBuf,
}

impl MemoryLimit {
    /// Programs in it may have `bytes`, their page cache included.
    pub fn set(bytes: u64) -> Result<MemoryLimit> {
        let name = format!("drivelab-bench-{}-{bytes}", std::process::id());
        let folder = PathBuf::from(CONTROLLER).join(name);
        fs::create_dir(&folder).context("a memory cgroup (version 1; needs root)")?;
        let limit = MemoryLimit { folder };
        fs::write(limit.folder.join("memory.limit_in_bytes"), bytes.to_string())?;
        Ok(limit)
    }

    /// A program that begins within the limit.
    pub fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo $$ > \"$0\" && exec \"$@\""])
            .arg(self.folder.join("cgroup.procs"))
            .arg(program);
        command
    }
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.folder);
    }
}
