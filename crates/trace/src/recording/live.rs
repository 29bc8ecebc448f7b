//! Where the I/Os of a recording go: into segments in the order in which they become known.

use drivelab_block::{DeviceId, Extent, Instant, Op, TracedIo};
use drivelab_record::{RecordWriter, Written};

use crate::folder::TraceError;
use crate::trace_builder::IoSink;

/// Keeps what it is given, apart from the recording's own writes.
pub struct Live {
    pub writer: RecordWriter<TracedIo>,
    batch: Vec<TracedIo>,
    /// The recording's beginning on the source's clock.
    origin: u64,
    /// The places that the recording itself writes to.
    pub own: Vec<(DeviceId, Extent)>,
    /// I/Os that were kept.
    pub kept: u64,
    /// Own writes that were not.
    pub left_out: u64,
}

impl Live {
    /// Keeps I/Os with times relative to `origin`.
    pub fn new(writer: RecordWriter<TracedIo>, origin: u64) -> Live {
        Live { writer, batch: Vec::new(), origin, own: Vec::new(), kept: 0, left_out: 0 }
    }

    /// Hands what was kept to the writer, which puts it into a file within half a second, and shows it to `watch`.
    pub fn write(&mut self, watch: impl FnOnce(&[TracedIo])) {
        self.writer.append(&self.batch);
        watch(&self.batch);
        self.batch.clear();
    }

    /// Closes the last segment. What it still writes is shown to `watch`.
    pub fn finish(mut self, watch: impl FnOnce(&[TracedIo])) -> Written {
        self.write(watch);
        self.writer.finish()
    }

    fn is_own(&self, io: &TracedIo) -> bool {
        let meets = |extent: &Extent| io.extent.start < extent.end() && extent.start < io.extent.end();
        io.op == Op::Write && self.own.iter().any(|(device, extent)| *device == io.device && meets(extent))
    }
}

impl IoSink for Live {
    fn keep(&mut self, io: TracedIo) -> Result<(), TraceError> {
        if self.is_own(&io) {
            self.left_out += 1;
            return Ok(());
        }
        self.kept += 1;
        let at = io.issued_at.as_nanos().saturating_sub(self.origin);
        self.batch.push(TracedIo { issued_at: Instant::from_nanos(at), ..io });
        Ok(())
    }
}
