//! What the kernel has traced since it began, because its command line made it: events in the buffers of tracefs itself, and
//! not of an instance.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::tracer::TracerError;
use crate::tracer::buffers::{Buffers, Filled, PAGE_BYTES};
use crate::tracer::instance::root;

/// The size of the buffers, in KiB for each processor, as the kernel makes them without being asked.
const DEFAULT_KIB: &str = "1408";

/// The kernel's trace of its own boot, which ends when this is made. Dropped, it frees the memory of the buffers.
#[derive(Debug)]
pub struct BootTrace {
    root: PathBuf,
    /// The ring buffers.
    pub buffers: Buffers,
    /// The `format` files of the events: where each field is.
    pub formats: Vec<String>,
}

impl BootTrace {
    /// Ends the trace of these events, such as `block/block_rq_issue`, and opens what there is of it.
    ///
    /// # Errors
    /// Where tracefs or an event is missing, or not allowed.
    pub fn end(events: &[&str]) -> Result<BootTrace, TracerError> {
        let root = root()?;
        let switch = root.join("tracing_on");
        fs::write(&switch, "0").map_err(|error| TracerError::io(&switch, error))?;
        let read = |event: &&str| {
            let path = root.join("events").join(event).join("format");
            fs::read_to_string(&path).map_err(|error| TracerError::io(&path, error))
        };
        let formats = events.iter().map(read).collect::<Result<Vec<String>, TracerError>>()?;
        let buffers = Buffers::open(&root.join("per_cpu"))?;
        Ok(BootTrace { root, buffers, formats })
    }

    /// Takes every page of all processors, those of one processor in their order.
    ///
    /// # Errors
    /// Where the kernel gives none for another reason than that there is none.
    pub fn pages(&mut self, mut take: impl FnMut(Box<[u8; PAGE_BYTES]>)) -> io::Result<()> {
        for processor in 0..self.buffers.processors() {
            loop {
                let mut page = Box::new([0; PAGE_BYTES]);
                // Nothing is written any more: a page that is not full is the last one of its processor.
                if self.buffers.read(processor, &mut page)? == Filled::Nothing {
                    break;
                }
                take(page);
            }
        }
        Ok(())
    }
}

impl Drop for BootTrace {
    /// Leaves tracefs as a kernel has it that was booted without tracing.
    fn drop(&mut self) {
        for (file, value) in [
            ("events/enable", "0"),
            ("buffer_size_kb", DEFAULT_KIB),
            ("options/overwrite", "1"),
            ("tracing_on", "1"),
        ] {
            let _ = fs::write(self.root.join(file), value);
        }
    }
}
