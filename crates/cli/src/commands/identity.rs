//! Which drive a run is on, so that it goes on with no other.

use std::os::unix::fs::MetadataExt as _;

use drivelab_safety::{DriveIdentity, DriveKind};

/// Which drive it is: its size, and what tells it from others. A kernel's name may name another drive tomorrow, so one without
/// a serial number is known by a name of its own, or else by the file behind it too, or, where it is gone with the machine's
/// memory, by its place among all drives that have appeared since the machine started.
pub fn identity_of(drive: &DriveIdentity) -> String {
    let model = drive.model.as_deref().unwrap_or("a drive without a name");
    let size = drive.geometry().capacity.get();
    let kernel_name = &drive.kernel_name;
    // Namespaces of one drive share its serial number.
    let own: Vec<&str> = [&drive.serial, &drive.wwn].into_iter().flatten().map(String::as_str).collect();
    let own = if own.is_empty() { drive.by_id.first().cloned() } else { Some(own.join(" ")) };
    let which = match (own, &drive.backing_file) {
        (Some(own), _) => {
            let whole = drive.parent.as_ref().and_then(|whole| kernel_name.strip_prefix(&whole.kernel_name));
            own + &whole.map_or_else(String::new, |number| format!(" part {number}"))
        }
        (None, Some(file)) => {
            let inode = std::fs::metadata(file).map_or(0, |found| found.ino());
            format!("{kernel_name}, {} (inode {inode})", file.display())
        }
        (None, None) if drive.kind == DriveKind::Zram => match drive.disk_sequence {
            Some(number) => format!("{kernel_name}, disk {number} of this start"),
            None => kernel_name.clone(),
        },
        (None, None) => kernel_name.clone(),
    };
    format!("{model}, {which}, of {size} bytes")
}
