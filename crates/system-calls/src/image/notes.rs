//! What a kill may leave: a device that was attached and not yet asked to go with its last descriptor.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use drivelab_program::Owner;

use crate::image::losetup;

/// Where it is noted what has to be undone.
pub(crate) const NOTES: &str = "/run/drivelab";
/// How the names of notes end.
const ENDING: &str = ".image";

/// A note that an image is being attached, taken away with this value.
pub(crate) struct AttachNote(PathBuf);

impl AttachNote {
    /// Notes it, before it is done.
    pub(crate) fn write(file: &Path, offset: u64) -> io::Result<AttachNote> {
        let owner = Owner::this_program().ok_or_else(|| io::Error::other("/proc is not there"))?;
        fs::create_dir_all(NOTES)?;
        let path = Path::new(NOTES).join(format!("{}{ENDING}", owner.instance(0)));
        fs::write(&path, format!("{offset} {}\n", file.canonicalize()?.display()))?;
        Ok(AttachNote(path))
    }
}

impl Drop for AttachNote {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Detaches what programs that are gone were attaching. An image that somebody has attached is not attached again, so what
/// shows its part without going by itself is theirs.
pub(crate) fn clear_abandoned() {
    for entry in fs::read_dir(NOTES).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_suffix(ENDING).and_then(Owner::of_instance);
        if owner.is_none_or(Owner::is_alive) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        if let Some((offset, file)) = text.trim_end().split_once(' ') {
            // Where that fails the note stays for the next start.
            let Ok(devices) = losetup::devices_of(Path::new(file)) else { continue };
            let left = devices.iter().filter(|one| !one.goes_by_itself && one.offset.to_string() == offset);
            if !left.map(|one| losetup::detach(&one.node)).all(|detached| detached.is_ok()) {
                continue;
            }
        }
        let _ = fs::remove_file(entry.path());
    }
}
