//! Whether a drive is still there.

use crate::Roots;
use crate::controllers::controllers_in;

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
