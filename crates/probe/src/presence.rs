//! Whether a drive is still there.

use crate::Roots;

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
    let state = roots.text(format!("{device}/device/state"));
    let state = state.or_else(|| roots.text(format!("{device}/../device/state")));
    // The words of the kernel's SCSI and NVMe drivers for a device that no request reaches.
    match state.as_deref() {
        Some("offline" | "transport-offline" | "dead" | "deleting" | "deleting (no IO)") => Presence::Offline,
        _ => Presence::Present,
    }
}

/// Whether a block device may only be read; `None` where that is not known.
pub fn is_read_only(roots: &Roots, major: u32, minor: u32) -> Option<bool> {
    Some(roots.text(format!("sys/dev/block/{major}:{minor}/ro"))? == "1")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
}
