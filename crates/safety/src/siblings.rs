//! Drives that share their hardware with the target without sharing a byte.

use crate::census::family::other_paths;
use crate::system::names_in;
use crate::{Confirming, DriveIdentity, DriveKind, Note, SharedBy, System};

/// What should be said of a drive's surroundings.
pub(crate) fn notes(system: &System, drive: &DriveIdentity) -> Vec<Note> {
    let mut notes = Vec::new();
    let siblings = namespaces(system, drive);
    if !siblings.is_empty() {
        notes.push(Note::NamespaceSiblings(siblings));
    }
    let paths: Vec<String> = other_paths(system, drive).into_iter().map(|path| path.kernel_name).collect();
    if !paths.is_empty() {
        notes.push(Note::OtherPaths(paths));
    }
    if let Some(shared) =
        Confirming::list(system, drive).shared().filter(|shared| shared.by == SharedBy::Drives)
    {
        notes.push(Note::SharedSerial(shared.clone()));
    }
    notes
}

/// The other namespaces of the same NVMe controller or subsystem.
pub(crate) fn namespaces(system: &System, drive: &DriveIdentity) -> Vec<String> {
    if drive.kind != DriveKind::Nvme {
        return Vec::new();
    }
    let own = drive.whole_name();
    // nvme0n1: what stands before the namespace's number names the controller or subsystem.
    let Some((controller, _)) = own.rsplit_once('n') else { return Vec::new() };
    let is_namespace = |name: &String| {
        let number = name.strip_prefix(controller).and_then(|rest| rest.strip_prefix('n'));
        name != own && number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    names_in(&system.sys("block")).into_iter().filter(is_namespace).collect()
}
