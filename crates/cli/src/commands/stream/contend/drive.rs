//! The drive that recorder and competitor share.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use drivelab_runner::Failure;

/// A whole drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDrive {
    /// Its kernel name.
    pub name: String,
    /// Its number: major and minor.
    pub number: (u32, u32),
}

impl SharedDrive {
    /// The drive of a target and of a folder beside it.
    ///
    /// # Errors
    /// Where they do not lie on one drive: there would be nothing to share.
    pub fn open(target: &Path, beside: &Path) -> Result<SharedDrive, Failure> {
        if !beside.is_dir() {
            let text =
                format!("--competitor-directory {} is no folder: name one on the drive", beside.display());
            return Err(Failure::Usage(text));
        }
        let (recorder, competitor) = (under(target)?, under(beside)?);
        if recorder != competitor {
            let text = format!(
                "{} is on {}, --competitor-directory {} on {}: name a folder on the recorder's drive",
                target.display(),
                recorder.name,
                beside.display(),
                competitor.name
            );
            return Err(Failure::Usage(text));
        }
        Ok(recorder)
    }
}

/// The whole drive under a device node, a file or a folder; a file that is not there yet lies where its folder does.
fn under(path: &Path) -> Result<SharedDrive, Failure> {
    let there = if path.exists() { path } else { path.parent().unwrap_or(path) };
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let known = fs::metadata(there).map_err(|error| Failure::io(&there.display().to_string(), &error))?;
    let number = if known.file_type().is_block_device() { known.rdev() } else { known.dev() };
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let link = format!("/sys/dev/block/{major}:{minor}");
    let place = fs::canonicalize(&link).map_err(|_| {
        Failure::Usage(format!("{} lies on no block device: there is no drive to share", path.display()))
    })?;
    let whole = if place.join("partition").exists() { place.parent().unwrap_or(&place) } else { &place };
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = fs::read_to_string(whole.join("dev")).unwrap_or_default();
    let number = text
        .trim()
        .split_once(':')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let number = number.ok_or_else(|| Failure::Environment(format!("{} has no number", whole.display())))?;
    Ok(SharedDrive { name, number })
}
