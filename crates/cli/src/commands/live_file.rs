//! The file of `--openmetrics`: checked before anything is done.

use std::io::ErrorKind;
use std::path::Path;

use drivelab_files::place_of;
use drivelab_metrics::LiveFile;
use drivelab_runner::Failure;

use crate::args::Command;

/// The file that a command writes what it does now to, if one was requested: nothing is there, or a file of an earlier command.
pub fn checked(command: &mut Command) -> Result<Option<LiveFile>, Failure> {
    let Some(path) = &command.live_file().map(Path::to_owned) else { return Ok(None) };
    let named = format!("--openmetrics {}", path.display());
    let not_written = |error| Failure::not_written(path, &error);
    let place = place_of(path).map_err(not_written)?;
    for other in command.paths() {
        let Ok(other_place) = place_of(&other.path) else { continue };
        if place == other_place {
            return Err(Failure::Usage(format!("{named} is {}: name a file of its own", other.role)));
        }
        if place.starts_with(&other_place) {
            let other = format!("{} ({})", other.role, other.path.display());
            return Err(Failure::Usage(format!("{named} lies in {other}: name a file elsewhere")));
        }
    }
    if !place.parent().is_none_or(Path::is_dir) {
        return Err(not_written(ErrorKind::NotFound.into()));
    }
    let file = LiveFile::new(path);
    file.check().map_err(|error| Failure::not_replaced(&named, path, error))?;
    Ok(Some(file))
}
