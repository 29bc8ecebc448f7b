//! What drives did during a boot.

use std::collections::HashMap;

use drivelab_block::{Op, TracedIo};

use super::findings::{BootPeak, ProgramFindings};

/// The width of a bin of the rate over time.
pub(super) const BIN_NS: u64 = 100_000_000;
/// Bins of a boot: 15 minutes, the longest that is traced.
const MAX_BINS: usize = 9_000;

/// What drives did during a boot, added up. Bytes belong to the moment when they had been read or written.
#[derive(Clone, Debug, Default)]
pub struct BootIo {
    /// When the boot was over; what was issued later is no part of it.
    until_ns: u64,
    /// Which processes there are, by their numbers.
    names: Vec<String>,
    /// Bytes that were read in each 100 ms.
    pub(super) read: Vec<u64>,
    /// Bytes that were written in each 100 ms.
    pub(super) written: Vec<u64>,
    /// What each program did, by its name.
    pub(super) programs: HashMap<String, ProgramFindings>,
    pub(super) requests: u64,
    /// All bytes that were read of the trace, those after the boot included.
    pub(super) traced_read: u64,
    /// For how long at least one request was with the drive, in nanoseconds.
    pub(super) busy_ns: u64,
    /// When everything that was added so far was complete, in nanoseconds from the kernel's beginning.
    busy_until_ns: u64,
}

impl BootIo {
    /// Of a boot that was over at this moment, in nanoseconds from the kernel's beginning; `names` are the processes of the
    /// trace, each at its number.
    pub fn new(until_ns: u64, names: Vec<String>) -> BootIo {
        BootIo { until_ns, names, ..BootIo::default() }
    }

    /// Adds an I/O; they come in the order of their issue.
    pub fn add(&mut self, io: &TracedIo) {
        let bytes = io.bytes().get();
        if io.op == Op::Read {
            self.traced_read += bytes;
        }
        let issued = io.issued_at.as_nanos();
        if issued > self.until_ns {
            return;
        }
        let done = io.completed_at().unwrap_or(io.issued_at).as_nanos().min(self.until_ns);
        self.busy_ns += done.saturating_sub(issued.max(self.busy_until_ns));
        self.busy_until_ns = self.busy_until_ns.max(done);
        if !matches!(io.op, Op::Read | Op::Write) {
            return;
        }
        self.requests += 1;
        let bin = usize::try_from(done / BIN_NS).unwrap_or(usize::MAX).min(MAX_BINS);
        let bins = if io.op == Op::Read { &mut self.read } else { &mut self.written };
        if bins.len() <= bin {
            bins.resize(bin + 1, 0);
        }
        bins[bin] += bytes;
        let name = self.names.get(io.process.0 as usize).map_or("", String::as_str);
        if !self.programs.contains_key(name) {
            self.programs.insert(name.to_owned(), ProgramFindings::default());
        }
        if let Some(program) = self.programs.get_mut(name) {
            program.requests += 1;
            match io.op {
                Op::Read => program.read_bytes += bytes,
                _ => program.written_bytes += bytes,
            }
        }
    }

    /// Bytes that were read.
    pub fn read_bytes(&self) -> u64 {
        self.read.iter().sum()
    }

    /// Bytes that were written.
    pub fn written_bytes(&self) -> u64 {
        self.written.iter().sum()
    }

    /// The highest rate of reading over 100 ms; `None` where nothing was read.
    pub fn peak(&self) -> Option<BootPeak> {
        let (place, most) = self.read.iter().enumerate().rev().max_by_key(|(_, bytes)| **bytes)?;
        let seconds = BIN_NS as f64 / 1e9;
        let peak = BootPeak { bytes_per_s: *most as f64 / seconds, at_s: place as f64 * seconds };
        (*most > 0).then_some(peak)
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Extent, Instant, Nanos, ProcessId, Sector, SectorCount};

    use super::*;

    fn io(at_ms: u64, service_ms: u64, op: Op, sectors: u32, process: u32) -> TracedIo {
        let extent = Extent { start: Sector::new(0), length: SectorCount::new(sectors) };
        TracedIo {
            service: Some(Nanos::new(service_ms * 1_000_000)),
            process: ProcessId(process),
            ..TracedIo::new(Instant::from_nanos(at_ms * 1_000_000), op, extent)
        }
    }

    #[test]
    fn bytes_belong_to_their_completion_and_to_a_program() {
        let names = ["", "systemd", "udevd"].map(str::to_owned).to_vec();
        let mut boot = BootIo::new(1_000_000_000, names);
        boot.add(&io(10, 5, Op::Flush, 0, 1));
        boot.add(&io(90, 20, Op::Read, 2000, 1));
        boot.add(&io(105, 10, Op::Read, 1000, 2));
        boot.add(&io(950, 100, Op::Write, 8, 1));
        boot.add(&io(1_001, 1, Op::Read, 64, 1));
        assert_eq!(boot.read_bytes(), 3000 * 512);
        assert_eq!(boot.peak(), Some(BootPeak { bytes_per_s: 3000.0 * 512.0 * 10.0, at_s: 0.1 }));
        // It was issued before the boot's end, and completed after it.
        assert_eq!((boot.written_bytes(), boot.written.len()), (8 * 512, 11));
        assert_eq!((boot.requests, boot.traced_read), (3, 3064 * 512));
        assert_eq!(boot.busy_ns, (5 + 25 + 50) * 1_000_000, "the two reads overlap");
        let mut programs: Vec<(&str, u64)> =
            boot.programs.iter().map(|(name, io)| (name.as_str(), io.read_bytes)).collect();
        programs.sort_unstable();
        assert_eq!(programs, [("systemd", 2000 * 512), ("udevd", 1000 * 512)]);
    }
}
