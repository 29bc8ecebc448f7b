//! Where an export goes: a folder or a prefix of a store that holds nothing else.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use drivelab_export::s3::{Store, StoreAddress, StoreError, StoreFault};
use drivelab_export::{CATALOGUE, Destination, ExportFolder, ExportStore};
use drivelab_runner::{Failure, environment, usage};

use crate::args::ExportPlace;

/// What a destination is for.
#[derive(Clone, Copy, Debug)]
pub struct PlaceUse {
    /// The option that names it.
    pub option: &'static str,
    /// What is done with the folders that it must not lie in, as it goes on after "which is".
    pub done: &'static str,
}

/// Says what stands against a destination, before anything is written.
pub fn check(to: &Path, of: &PlaceUse, sources: &[PathBuf]) -> Result<(), Failure> {
    let (shown, PlaceUse { option, done }) = (to.display(), of);
    match fs::metadata(to) {
        Ok(found) if !found.is_dir() => {
            return Err(usage!("{option} {shown}: it is no folder: name one that is empty or not there yet"));
        }
        Ok(_) if !is_free(to)? => {
            return Err(usage!(
                "{option} {shown}: it holds something else than exports: name a folder that is empty or not there yet"
            ));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::not_written(to, &error)),
    }
    let place = without_links(to);
    match sources.iter().find(|source| place.starts_with(without_links(source))) {
        Some(source) => Err(usage!(
            "{option} {shown}: it lies in {}, which is {done}: name a folder outside it, such as ../fleet",
            source.display()
        )),
        None => Ok(()),
    }
}

/// Opens the destination. Nothing is written yet.
pub fn open(to: &ExportPlace) -> Result<Box<dyn Destination>, Failure> {
    let address = match to {
        ExportPlace::Folder(folder) => return Ok(Box::new(ExportFolder::new(folder.clone(), None))),
        ExportPlace::Store(address) => address,
    };
    let store = ExportStore::new(open_store(address)?);
    if store.is_free().map_err(|error| store_failure(&error))? {
        Ok(Box::new(store))
    } else {
        Err(holds_other_things("--destination", address))
    }
}

/// Refuses a store as the value of this option.
pub fn holds_other_things(option: &str, address: &StoreAddress) -> Failure {
    usage!(
        "{option} {address}: it holds something else than exports: name a prefix below which nothing is, such as \
         {address}/fleet"
    )
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

/// Opens a store, and sees that it can be reached.
pub fn open_store(address: &StoreAddress) -> Result<Store, Failure> {
    Store::open(address).map_err(|error| store_failure(&error))
}

/// How a command ends whose store fails.
pub fn store_failure(error: &StoreError) -> Failure {
    match error.fault {
        StoreFault::NotBuiltIn | StoreFault::Settings(_) => usage!("{error}"),
        _ => environment!("{error}"),
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
        let export = PlaceUse { option: "--destination", done: "exported" };
        let refused =
            |to: &str| check(&folder.path().join(to), &export, std::slice::from_ref(&runs)).is_err();
        assert!(refused("runs") && refused("runs/a/b") && refused("link/a") && refused("none/../runs/a"));
        assert!(!refused("fleet") && !refused("runs-2") && !refused("runs/../fleet"));
        fs::write(folder.path().join("file"), "").expect("room");
        assert!(refused("file") && refused("") && refused("file/below"), "other things are there");
        fs::create_dir_all(folder.path().join("fleet/catalogue")).expect("room");
        fs::create_dir_all(folder.path().join("fleet/date=2026-11-24")).expect("room");
        assert!(!refused("fleet"));
    }
}
