//! What a block device has done since the machine began.

use crate::Roots;

/// The kernel's counters of a block device (Documentation/block/stat.rst).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCounters {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Requests that were completed: reads, writes, discards and flushes.
    pub completed: u64,
    /// Requests that it has, or that wait for it.
    pub in_flight: u64,
    /// Milliseconds in which it had requests (`io_ticks`).
    pub busy_ms: u64,
    /// Milliseconds in it or waiting for it, summed over requests (`time_in_queue`).
    pub queued_ms: u64,
}

/// The kernel counts in sectors of this many bytes, whatever a device's blocks are.
const SECTOR: u64 = 512;

/// Reads a device's counters; `None` where it is no block device or keeps no account.
pub fn block_counters(roots: &Roots, major: u32, minor: u32) -> Option<BlockCounters> {
    let text = roots.text(format!("sys/dev/block/{major}:{minor}/stat"))?;
    let counts: Vec<u64> = text.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    match *counts.as_slice() {
        [reads, _, read, _, writes, _, written, _, in_flight, busy_ms, queued_ms, ref newer @ ..] => {
            // Discards and flushes have columns since Linux 4.18 and 5.5.
            let others = [0, 4].map(|place| newer.get(place).copied().unwrap_or(0));
            Some(BlockCounters {
                read_bytes: read.saturating_mul(SECTOR),
                written_bytes: written.saturating_mul(SECTOR),
                completed: others.into_iter().fold(reads, u64::saturating_add).saturating_add(writes),
                in_flight,
                busy_ms,
                queued_ms,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_by_their_columns() {
        let folder = tempfile::tempdir().expect("a folder");
        let device = folder.path().join("sys/dev/block/7:0");
        std::fs::create_dir_all(&device).expect("folders");
        std::fs::write(device.join("stat"), "  1 2 3 4 5 6 7 8 9 1234 11 20 0 0 0 300 0\n").expect("a file");
        let roots = Roots::at(folder.path());
        let expected = BlockCounters {
            read_bytes: 3 * 512,
            written_bytes: 7 * 512,
            completed: 1 + 5 + 20 + 300,
            in_flight: 9,
            busy_ms: 1234,
            queued_ms: 11,
        };
        assert_eq!(block_counters(&roots, 7, 0), Some(expected));
        assert_eq!(block_counters(&roots, 7, 1), None);
    }
}
