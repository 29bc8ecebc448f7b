//! The I/O controller of version 2's hierarchy: a group has it only where its parent hands it on to all below it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use drivelab_program::Owner;

use crate::sharing::Places;

/// What a group says of I/O that nobody holds back.
const FREE: [&str; 3] = ["", "default 100", "100"];

/// Keeps other programs of this kind from making and removing groups until it is dropped: one would else take the
/// controller from a group that another just made. It never waits for another program: any user may hold a lock on that folder.
pub(crate) fn hold(places: &Places) -> io::Result<File> {
    fs::create_dir_all(places.notes())?;
    let folder = File::open(places.notes())?;
    let busy = || io::Error::new(ErrorKind::WouldBlock, "another program holds a lock on /run/drivelab");
    folder.try_lock().map_err(|_| busy())?;
    Ok(folder)
}

/// Hands the controller on to the groups of `parent`, where it is not yet. That groups have it harms nobody.
pub(crate) fn hand_on(places: &Places, parent: &Path) -> io::Result<()> {
    let handed_on = fs::read_to_string(control(parent)).unwrap_or_default();
    if handed_on.split_whitespace().any(|controller| controller == "io") {
        return Ok(());
    }
    // Noted before it is done, so that no kill between the two leaves it unknown.
    fs::write(note(places), "")?;
    fs::write(control(parent), "+io").inspect_err(|_| {
        let _ = fs::remove_file(note(places));
    })
}

/// Whether a program of this kind handed the controller on, and it was not taken back since.
pub(crate) fn is_noted(places: &Places) -> bool {
    note(places).exists()
}

/// Takes the controller back once the last group of any program of this kind is gone, where one of them handed it on.
/// What others have begun to use meanwhile is theirs, and stays.
pub(crate) fn take_back(places: &Places, parent: &Path) -> Option<String> {
    if !is_noted(places) || groups(parent, true).next().is_some() {
        return None;
    }
    let is_used = groups(parent, false).any(|group| holds_back(&group));
    let taken = if is_used { Err(ErrorKind::ResourceBusy.into()) } else { fs::write(control(parent), "-io") };
    match taken {
        Ok(()) => {
            let _ = fs::remove_file(note(places));
            Some("control groups have no I/O controller again".to_owned())
        }
        // The kernel says the same of groups that hand it on themselves.
        Err(error) if error.kind() == ErrorKind::ResourceBusy => {
            let _ = fs::remove_file(note(places));
            None
        }
        // The note stays for the next start.
        Err(error) => Some(format!("control groups still have the I/O controller: {error}")),
    }
}

/// The groups of a hierarchy that are of programs of this kind, or those that are not.
fn groups(parent: &Path, own: bool) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(move |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        path.is_dir() && Owner::of_instance(&name).is_some() == own
    })
}

/// Whether a group's I/O is held back by its own settings: these would be gone with the controller.
fn holds_back(group: &Path) -> bool {
    ["io.max", "io.latency", "io.weight", "io.bfq.weight"].iter().any(|name| {
        let setting = fs::read_to_string(group.join(name)).unwrap_or_default();
        !FREE.contains(&setting.trim())
    })
}

fn control(parent: &Path) -> PathBuf {
    parent.join("cgroup.subtree_control")
}

fn note(places: &Places) -> PathBuf {
    places.notes().join("io.controller")
}
