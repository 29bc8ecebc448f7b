//! What the kernel counts: how all processors spent their time, and what a drive read and wrote.
//!
//! Source: the kernel's `Documentation/filesystems/proc.rst`, "/proc/stat", and `Documentation/admin-guide/iostats.rst`.

use serde::{Deserialize, Serialize};

/// Bytes of a sector of the kernel's counters.
const SECTOR: u64 = 512;

/// How all processors had spent their time until a moment, in ticks of 1/100 s added up over the processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorSample {
    /// When, in nanoseconds from the kernel's beginning.
    pub at_ns: u64,
    /// Running programs or the kernel.
    pub busy: u64,
    /// Idle while a program waited for I/O.
    pub waiting: u64,
    /// Idle otherwise.
    pub idle: u64,
    /// Taken by the hypervisor for others.
    pub stolen: u64,
}

impl ProcessorSample {
    /// Reads `/proc/stat`; `None` where its first line is not that of all processors.
    pub fn parse(at_ns: u64, text: &str) -> Option<ProcessorSample> {
        let line = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let [user, nice, system, idle, waiting, irq, softirq, ..] = ticks[..] else { return None };
        let busy = user + nice + system + irq + softirq;
        Some(ProcessorSample { at_ns, busy, waiting, idle, stolen: ticks.get(7).copied().unwrap_or(0) })
    }
}

/// What the kernel counts of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveCounters {
    /// Bytes that were read.
    pub read_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
}

/// What a drive has read and written since the kernel began, by `/sys/block/DRIVE/stat`.
pub fn drive_counters(text: &str) -> Option<DriveCounters> {
    let counts: Vec<u64> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [_, _, read, _, _, _, written, ..] = counts[..] else { return None };
    Some(DriveCounters {
        read_bytes: read.saturating_mul(SECTOR),
        written_bytes: written.saturating_mul(SECTOR),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_processors_are_read() {
        let text = "cpu  100 5 40 900 70 3 2 11 0 0\ncpu0 50 2 20 450 35 1 1 5 0 0\n";
        let sample = ProcessorSample { at_ns: 7, busy: 150, waiting: 70, idle: 900, stolen: 11 };
        assert_eq!(ProcessorSample::parse(7, text), Some(sample));
        assert_eq!(ProcessorSample::parse(7, "intr 1 2 3\n"), None);
    }

    #[test]
    fn sectors_of_a_drive_are_bytes() {
        let text =
            "   1200      40   96000    700      30      2     512     40     0   600   740 0 0 0 0 5 2\n";
        let counters = DriveCounters { read_bytes: 96_000 * 512, written_bytes: 512 * 512 };
        assert_eq!(drive_counters(text), Some(counters));
        assert_eq!(drive_counters("1 2\n"), None);
    }
}
