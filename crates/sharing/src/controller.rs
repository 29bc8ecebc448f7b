//! The I/O controller of version 2's hierarchy: a group has it only where its parent hands it on to all below it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use drivelab_program::Owner;

use crate::Places;

/// Keeps other programs of this kind from making and removing groups until it is dropped: one would else take the
/// controller from a group that another just made.
pub(crate) fn hold(places: &Places) -> io::Result<File> {
    fs::create_dir_all(places.notes())?;
    let folder = File::open(places.notes())?;
    folder.lock()?;
    Ok(folder)
}

/// Hands the controller on to the groups of `parent`, where it is not yet. That groups have it harms nobody.
pub(crate) fn hand_on(places: &Places, parent: &Path) -> io::Result<()> {
    let handed_on = fs::read_to_string(control(parent)).unwrap_or_default();
    if handed_on.split_whitespace().any(|controller| controller == "io") {
        return Ok(());
    }
    // Noted before it is done: a kill between the two takes back what was never handed on, which does no harm.
    fs::write(note(places), "")?;
    fs::write(control(parent), "+io").inspect_err(|_| {
        let _ = fs::remove_file(note(places));
    })
}

/// Takes the controller back once the last group of any program of this kind is gone, where one of them handed it on.
pub(crate) fn take_back(places: &Places, parent: &Path) -> Option<String> {
    if !note(places).exists() || has_groups(parent) {
        return None;
    }
    match fs::write(control(parent), "-io") {
        Ok(()) => {
            let _ = fs::remove_file(note(places));
            Some("control groups have no I/O controller again".to_owned())
        }
        // The note stays for the next start.
        Err(error) => Some(format!("control groups still have the I/O controller: {error}")),
    }
}

fn has_groups(parent: &Path) -> bool {
    let Ok(entries) = fs::read_dir(parent) else { return false };
    entries.flatten().any(|entry| Owner::of_instance(&entry.file_name().to_string_lossy()).is_some())
}

fn control(parent: &Path) -> PathBuf {
    parent.join("cgroup.subtree_control")
}

fn note(places: &Places) -> PathBuf {
    places.notes().join("io.controller")
}
