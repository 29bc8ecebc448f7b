//! What the kernel has of a block device: what it has done since the machine began, and whether it is still there.

use crate::Roots;
use crate::controllers::{controllers_in, path_folders};

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

/// Reads a device's counters; `None` where it is no block device or keeps no account. An NVMe drive with native multipath has the
/// counters of its paths where it keeps none itself, as with kernels before 6.4.
pub fn block_counters(roots: &Roots, major: u32, minor: u32) -> Option<BlockCounters> {
    let folder = format!("sys/dev/block/{major}:{minor}");
    let own = parse(&roots.text(format!("{folder}/stat"))?)?;
    if own != BlockCounters::default() {
        return Some(own);
    }
    let name = roots
        .path(&folder)
        .canonicalize()
        .ok()
        .and_then(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
    let paths = name.map_or_else(Vec::new, |name| path_folders(roots, &name));
    let mut sum = own;
    for counters in paths.iter().filter_map(|folder| parse(&roots.text(folder.join("stat"))?)) {
        sum = sum.plus(&counters);
    }
    Some(sum)
}

impl BlockCounters {
    fn plus(self, other: &BlockCounters) -> BlockCounters {
        BlockCounters {
            read_bytes: self.read_bytes.saturating_add(other.read_bytes),
            written_bytes: self.written_bytes.saturating_add(other.written_bytes),
            completed: self.completed.saturating_add(other.completed),
            in_flight: self.in_flight.saturating_add(other.in_flight),
            busy_ms: self.busy_ms.saturating_add(other.busy_ms),
            queued_ms: self.queued_ms.saturating_add(other.queued_ms),
        }
    }
}

fn parse(text: &str) -> Option<BlockCounters> {
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

/// What the kernel shows of a drive that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is listed, and has a size.
    Present,
    /// It is not listed any more, or has no size: it was pulled, or its controller was.
    Gone,
    /// It is listed, and the kernel sends it nothing any more.
    Offline,
}

/// Looks a block device up by its number. Of a partition, the whole drive is asked for its state.
pub fn presence(roots: &Roots, major: u32, minor: u32) -> Presence {
    let device = format!("sys/dev/block/{major}:{minor}");
    let size = roots.text(format!("{device}/size"));
    if size.is_none_or(|size| size == "0") {
        return Presence::Gone;
    }
    let own = roots.path(format!("{device}/device")).canonicalize();
    let folder = own.or_else(|_| roots.path(format!("{device}/../device")).canonicalize());
    let Ok(folder) = folder else { return Presence::Present };
    // A drive with several controllers is reached through any of them.
    let controllers = controllers_in(roots, &folder);
    let mut states: Vec<Option<String>> =
        controllers.into_iter().map(|controller| controller.state).collect();
    if states.is_empty() {
        states.push(roots.text(folder.join("state")));
    }
    if states.iter().all(|state| state.as_deref().is_some_and(is_unreachable)) {
        Presence::Offline
    } else {
        Presence::Present
    }
}

/// The words of the kernel's SCSI and NVMe drivers for a device that no request reaches.
fn is_unreachable(state: &str) -> bool {
    ["offline", "transport-offline", "dead", "deleting", "deleting (no IO)"].contains(&state)
}

/// Whether a block device may only be read; `None` where that is not known.
pub fn is_read_only(roots: &Roots, major: u32, minor: u32) -> Option<bool> {
    Some(roots.text(format!("sys/dev/block/{major}:{minor}/ro"))? == "1")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::controllers::fixture;

    #[test]
    fn counters_are_read_by_their_columns() {
        let folder = tempfile::tempdir().expect("a folder");
        let device = folder.path().join("sys/dev/block/7:0");
        fs::create_dir_all(&device).expect("folders");
        fs::write(device.join("stat"), "  1 2 3 4 5 6 7 8 9 1234 11 20 0 0 0 300 0\n").expect("a file");
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
    #[test]
    fn a_drive_that_keeps_no_account_has_that_of_its_paths() {
        let root = tempfile::tempdir().expect("a folder");
        fixture::head(root.path(), 2);
        let head = "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/stat";
        fixture::write(root.path(), head, "0 0 0 0 0 0 0 0 0 0 0\n");
        for number in [0, 1] {
            let path = format!("{}/nvme0c{number}n1/stat", fixture::controller(number));
            fixture::write(root.path(), &path, "1 0 8 0 2 0 16 0 3 5 7\n");
        }
        let roots = Roots::at(root.path());
        let counters = block_counters(&roots, 259, 3).expect("an account");
        assert_eq!((counters.completed, counters.in_flight, counters.written_bytes), (6, 6, 32 * 512));
        fixture::write(root.path(), head, "9 0 8 0 0 0 0 0 1 0 0\n");
        assert_eq!(block_counters(&roots, 259, 3).map(|own| (own.completed, own.in_flight)), Some((9, 1)));
    }

    #[test]
    fn a_drive_is_present_offline_or_gone() {
        let root = tempfile::tempdir().expect("a folder");
        let roots = Roots::at(root.path());
        assert_eq!(presence(&roots, 8, 0), Presence::Gone, "it is not listed");
        let device = root.path().join("sys/dev/block/8:0");
        fs::create_dir_all(device.join("device")).expect("a folder");
        fs::write(device.join("size"), "2048\n").expect("a file");
        assert_eq!(presence(&roots, 8, 0), Presence::Present, "nothing is known of its state");
        fs::write(device.join("device/state"), "running\n").expect("a file");
        assert_eq!(presence(&roots, 8, 0), Presence::Present);
        fs::write(device.join("device/state"), "offline\n").expect("a file");
        assert_eq!(presence(&roots, 8, 0), Presence::Offline);
        fs::write(device.join("size"), "0\n").expect("a file");
        assert_eq!(presence(&roots, 8, 0), Presence::Gone);
    }
    #[test]
    fn a_drive_with_several_controllers_is_there_while_one_of_them_is() {
        let root = tempfile::tempdir().expect("a folder");
        fixture::head(root.path(), 2);
        let roots = Roots::at(root.path());
        assert_eq!(presence(&roots, 259, 3), Presence::Present);
        fixture::write(root.path(), &format!("{}/state", fixture::controller(0)), "dead\n");
        assert_eq!(presence(&roots, 259, 3), Presence::Present);
        fixture::write(root.path(), &format!("{}/state", fixture::controller(1)), "deleting (no IO)\n");
        assert_eq!(presence(&roots, 259, 3), Presence::Offline);
    }
}
