//! Keeps the processors out of deep idle states: leaving one takes longer than many an I/O.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// What takes a wish for the longest time in which a processor wakes up, from when it is written until the file is closed, by
/// whatever ends the program. Source: the kernel's documentation, "PM Quality Of Service Interface".
const LATENCY_WISH: &str = "/dev/cpu_dma_latency";

/// Processors that stay awake until this is dropped.
#[derive(Debug)]
pub(crate) struct AwakeProcessors {
    _wish: File,
}

impl AwakeProcessors {
    /// Has them stay awake. The kernel may take no such wish from this user.
    pub fn hold() -> io::Result<AwakeProcessors> {
        AwakeProcessors::hold_by(Path::new(LATENCY_WISH))
    }

    fn hold_by(path: &Path) -> io::Result<AwakeProcessors> {
        let mut wish = OpenOptions::new().write(true).open(path)?;
        // Microseconds, in the machine's own order of bytes.
        wish.write_all(&0_i32.to_ne_bytes())?;
        Ok(AwakeProcessors { _wish: wish })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_to_wake_up_is_wished_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("latency");
        assert!(AwakeProcessors::hold_by(&path).is_err(), "a kernel without it");
        std::fs::write(&path, "").expect("a file");
        let held = AwakeProcessors::hold_by(&path).expect("a wish");
        assert_eq!(std::fs::read(&path).expect("a file"), [0; 4]);
        drop(held);
    }
}
