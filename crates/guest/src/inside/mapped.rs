//! Drives that the device mapper makes of others.

use std::fs;

use anyhow::Result;

use crate::program::run;

/// Sectors of the drives that are mapped.
pub const SECTORS: u64 = 256 << 11;

/// A drive that the device mapper makes of another one; taken down at the end.
pub struct Mapped {
    /// Its name to the device mapper.
    pub name: &'static str,
    /// The node of the kernel's own name for it.
    pub node: String,
}

impl Mapped {
    /// Maps all of a drive to this target, whose words follow the drive and its first sector.
    ///
    /// # Errors
    /// If the device mapper does not make it.
    pub fn new(name: &'static str, target: &str, below: &str, words: &str) -> Result<Mapped> {
        run(&format!("modprobe dm_{target}"))?;
        Mapped::by_table(name, &format!("0 {SECTORS} {target} {below} 0 {words}"))
    }

    /// Maps as this table says, a line for each stretch of sectors.
    ///
    /// # Errors
    /// If the device mapper does not make it.
    pub fn by_table(name: &'static str, table: &str) -> Result<Mapped> {
        fs::write("/tmp/table", table)?;
        run(&format!("dmsetup create {name} /tmp/table"))?;
        for entry in fs::read_dir("/sys/block")?.flatten() {
            let own = fs::read_to_string(entry.path().join("dm/name")).unwrap_or_default();
            if own.trim() == name {
                let node = format!("/dev/{}", entry.file_name().to_string_lossy());
                return Ok(Mapped { name, node });
            }
        }
        anyhow::bail!("the mapped drive {name} is not there")
    }

    /// The words that confirm that it may be written: it has no serial number, and is known by its name.
    pub fn confirmed(&self) -> String {
        let node = &self.node;
        format!("{node} --serial {} --destroy-data", node.trim_start_matches("/dev/"))
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // What still uses it fails a later test.
        let _ = run(&format!("dmsetup remove --retry {}", self.name));
    }
}
