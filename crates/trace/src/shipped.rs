//! Traces that the program brings along: recorded by `drivelab trace record`, on an ext4 file system of a virtual machine.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// How the name of a shipped trace begins, in the place of a folder.
const PREFIX: &str = "shipped:";

/// A trace that the program brings along.
#[derive(Clone, Copy, Debug)]
pub struct ShippedTrace {
    /// Its name, behind `shipped:`.
    pub name: &'static str,
    /// What was done while it was recorded.
    pub about: &'static str,
    manifest: &'static [u8],
    segment: &'static [u8],
}

/// All of them.
pub const SHIPPED_TRACES: [ShippedTrace; 3] = [
    ShippedTrace {
        name: "boot",
        about: "a Debian system with systemd boots, until its trace is kept",
        manifest: include_bytes!("../shipped/boot/trace.json"),
        segment: include_bytes!("../shipped/boot/segments/000000.parquet"),
    },
    ShippedTrace {
        name: "compile",
        about: "a Rust program is compiled with its libraries, from a cold cache",
        manifest: include_bytes!("../shipped/compile/trace.json"),
        segment: include_bytes!("../shipped/compile/segments/000000.parquet"),
    },
    ShippedTrace {
        name: "upgrade",
        about: "sixty packages of a Debian system are installed anew, from a cold cache",
        manifest: include_bytes!("../shipped/upgrade/trace.json"),
        segment: include_bytes!("../shipped/upgrade/segments/000000.parquet"),
    },
];

/// The name of a shipped trace that stands in the place of a folder; none where a folder is named.
pub(crate) fn shipped_name(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(PREFIX)
}

/// Whether a shipped trace stands in the place of a folder.
pub fn is_shipped_trace(path: &Path) -> bool {
    shipped_name(path).is_some()
}

impl ShippedTrace {
    pub(crate) fn of_name(name: &str) -> Option<&'static ShippedTrace> {
        SHIPPED_TRACES.iter().find(|shipped| shipped.name == name)
    }

    /// Its folder, which is there as long as what this gives.
    pub(crate) fn unpack(&self) -> io::Result<TempDir> {
        let folder = tempfile::Builder::new().prefix("drivelab-trace-").tempdir()?;
        fs::write(folder.path().join("trace.json"), self.manifest)?;
        fs::create_dir(folder.path().join("segments"))?;
        fs::write(folder.path().join("segments/000000.parquet"), self.segment)?;
        Ok(folder)
    }
}
