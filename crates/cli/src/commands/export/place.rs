//! Where an export may be written.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use drivelab_export::{CATALOGUE, Destination, ExportFolder, ExportStore};
use drivelab_runner::Failure;

use crate::args::ExportPlace;
use crate::commands::store;

/// Says what stands against a destination, before anything is written.
pub fn check(to: &Path, sources: &[PathBuf]) -> Result<(), Failure> {
    let shown = to.display();
    match fs::metadata(to) {
        Ok(found) if !found.is_dir() => {
            return Err(Failure::Usage(format!(
                "--destination {shown}: it is no folder: name one that is empty or not there yet"
            )));
        }
        Ok(_) if !is_free(to)? => {
            return Err(Failure::Usage(format!(
                "--destination {shown}: it holds something else than exports: name a folder that is empty or not there yet"
            )));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::not_written(to, &error)),
    }
    let place = without_links(to);
    let is_around =
        |source: &&PathBuf| fs::canonicalize(source).is_ok_and(|source| place.starts_with(source));
    match sources.iter().find(is_around) {
        Some(source) => Err(Failure::Usage(format!(
            "--destination {shown}: it lies in {}, which is exported: name a folder outside it, such as ../fleet",
            source.display()
        ))),
        None => Ok(()),
    }
}

/// Opens the destination. Nothing is written yet.
pub fn open(to: &ExportPlace) -> Result<Box<dyn Destination>, Failure> {
    let address = match to {
        ExportPlace::Folder(folder) => return Ok(Box::new(ExportFolder::new(folder.clone()))),
        ExportPlace::Store(address) => address,
    };
    let store = ExportStore::new(store::open(address)?);
    if store.is_free().map_err(store::failure)? {
        Ok(Box::new(store))
    } else {
        Err(Failure::Usage(format!(
            "--destination {address}: it holds something else than exports: name a prefix below which nothing is, such as \
             {address}/fleet"
        )))
    }
}

/// Makes the folder of the catalogue, by which a later export knows the destination for one. A store has no folders.
pub fn make(to: &ExportPlace) -> Result<(), Failure> {
    match to {
        ExportPlace::Folder(path) => {
            fs::create_dir_all(path.join(CATALOGUE)).map_err(|error| Failure::not_written(path, &error))
        }
        ExportPlace::Store(_) => Ok(()),
    }
}

/// Whether a folder is empty or holds exports.
fn is_free(folder: &Path) -> Result<bool, Failure> {
    let mut entries = fs::read_dir(folder).map_err(|error| Failure::not_written(folder, &error))?;
    Ok(folder.join(CATALOGUE).is_dir() || entries.next().is_none())
}

/// A path without links in it, as far as it is there.
fn without_links(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut missing: Vec<OsString> = Vec::new();
    let mut there = whole.as_path();
    loop {
        if let Ok(found) = fs::canonicalize(there) {
            let below = missing.iter().rev();
            return below.fold(found, |place, name| {
                if Component::ParentDir.as_os_str() == name {
                    place.parent().map(Path::to_owned).unwrap_or(place)
                } else {
                    place.join(name)
                }
            });
        }
        let mut parts = there.components();
        match parts.next_back() {
            Some(last) => missing.push(last.as_os_str().to_owned()),
            None => return whole,
        }
        there = parts.as_path();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_is_known_to_lie_in_another_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let runs = folder.path().join("runs");
        fs::create_dir(&runs).expect("room");
        std::os::unix::fs::symlink(&runs, folder.path().join("link")).expect("room");
        let refused = |to: &str| check(&folder.path().join(to), std::slice::from_ref(&runs)).is_err();
        assert!(refused("runs") && refused("runs/a/b") && refused("link/a") && refused("none/../runs/a"));
        assert!(!refused("fleet") && !refused("runs-2") && !refused("runs/../fleet"));
        fs::write(folder.path().join("file"), "").expect("room");
        assert!(refused("file") && refused("") && refused("file/below"), "other things are there");
        fs::create_dir_all(folder.path().join("fleet/catalogue")).expect("room");
        fs::create_dir_all(folder.path().join("fleet/date=2026-11-24")).expect("room");
        assert!(!refused("fleet"));
    }
}
