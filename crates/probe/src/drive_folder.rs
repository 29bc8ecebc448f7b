//! Where sysfs shows a drive.

use std::path::{Path, PathBuf};

use crate::Roots;

/// The sysfs folder of the drive, or of the drive that a partition is a part of.
pub(crate) fn drive_folder(roots: &Roots, kernel_name: &str) -> PathBuf {
    let link = Path::new("sys/class/block").join(kernel_name.replace('/', "!"));
    if roots.path(link.join("partition")).exists() {
        // The link leads into the drive's own folder, so the one above is the drive's.
        if let Some(drive) = roots.path(&link).canonicalize().ok().as_deref().and_then(Path::parent) {
            return drive.to_path_buf();
        }
    }
    link
}
