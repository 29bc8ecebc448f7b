//! What each process did.

use drivelab_block::{DeviceId, Op, ProcessId, TracedIo};

use super::IoWork;

/// What one process did in the whole trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTotals {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Reads and writes that begin where the one before ended.
    pub sequential: u64,
    /// Its I/Os that it had to wait for.
    pub waits: u64,
    /// The sum of their service times in nanoseconds.
    pub waited: u64,
    /// Where its last read and its last write ended, in sectors.
    ends: [(DeviceId, u64); 2],
}

/// All processes by their number in the trace.
#[derive(Clone, Debug, Default)]
pub(super) struct Processes(Vec<ProcessTotals>);

impl Processes {
    /// Counts an I/O, and gives the work that it is part of.
    pub fn add(&mut self, io: &TracedIo) -> IoWork {
        let own = self.entry(io.process);
        let bytes = io.bytes().get();
        let direction = match io.op {
            Op::Read => {
                own.reads += 1;
                own.read_bytes = own.read_bytes.saturating_add(bytes);
                0
            }
            Op::Write => {
                own.writes += 1;
                own.written_bytes = own.written_bytes.saturating_add(bytes);
                1
            }
            Op::Flush => {
                own.flushes += 1;
                return IoWork::Flushes;
            }
            Op::Discard => return IoWork::Discards,
        };
        // What has no length follows nothing.
        let is_sequential = bytes > 0 && own.ends[direction] == (io.device, io.extent.start.get());
        own.ends[direction] = (io.device, io.extent.end().get());
        own.sequential += u64::from(is_sequential);
        IoWork::classify(io.op, is_sequential)
    }

    pub fn wait(&mut self, process: ProcessId, nanos: u64) {
        let own = self.entry(process);
        own.waits += 1;
        own.waited = own.waited.saturating_add(nanos);
    }

    fn entry(&mut self, process: ProcessId) -> &mut ProcessTotals {
        let place = process.0 as usize;
        if self.0.len() <= place {
            let fresh = ProcessTotals { ends: [(DeviceId(0), u64::MAX); 2], ..ProcessTotals::default() };
            self.0.resize(place + 1, fresh);
        }
        &mut self.0[place]
    }

    pub fn all(&self) -> &[ProcessTotals] {
        &self.0
    }
}
