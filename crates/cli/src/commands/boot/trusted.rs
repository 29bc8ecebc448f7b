//! Whether root may run a program at every boot.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_runner::Failure;

/// Others may write.
const WRITABLE: u32 = 0o022;
/// Of a folder that others may write to, only its owner removes files: /tmp.
const STICKY: u32 = 0o1000;

/// The path of this program, where nobody but root can put another one in its place: a unit runs it as root.
pub fn own_path() -> Result<PathBuf, Failure> {
    let path = std::env::current_exe()
        .and_then(fs::canonicalize)
        .map_err(|error| Failure::io("the path of this program is not known", &error))?;
    match path.ancestors().find(|part| !is_of_root_alone(part)) {
        None if !path.starts_with("/tmp") && !path.starts_with("/run") => Ok(path),
        None => Err(refusal(&path, "it does not outlive a boot")),
        Some(part) => Err(refusal(&path, &format!("others than root can write to {}", part.display()))),
    }
}

fn refusal(path: &Path, why: &str) -> Failure {
    let path = path.display();
    Failure::Environment(format!(
        "{path} would be run as root at every boot, and {why}: type sudo install {path} /usr/local/bin/drivelab, and enable with \
         that"
    ))
}

fn is_of_root_alone(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| {
        let others = metadata.mode() & WRITABLE != 0 && metadata.mode() & STICKY == 0;
        metadata.uid() == 0 && !others
    })
}
