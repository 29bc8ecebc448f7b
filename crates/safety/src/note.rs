//! What does not forbid a run but belongs beside its results.

use crate::system::names_in;
use crate::usage_scan::family::other_paths;
use crate::usage_scan::init_is_hidden;
use crate::{Confirming, DriveIdentity, DriveKind, SharedBy, SharedSerial, System};

/// Something a person should know before or after a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// Other namespaces of the same NVMe controller share its flash and its speed. They are not written to.
    #[error(
        "the drive has other namespaces ({}): they are not written to, but share its flash and its speed",
        .0.join(", ")
    )]
    NamespaceSiblings(Vec<String>),
    /// Drives that cannot be told from it, under these names: the same one by other paths, unless an identity was copied.
    #[error(
        "{} cannot be told from it: either the same drive by another path, which shares its load, or one with a copied identity",
        .0.join(", ")
    )]
    OtherPaths(Vec<String>),
    /// Other drives report the same serial number.
    #[error("{0}: the serial number alone does not confirm a drive")]
    SharedSerial(SharedSerial),
    /// The page cache could not be bypassed.
    #[error("the page cache could not be bypassed: what is measured includes it")]
    Buffered,
    /// A check that could not be made, and why.
    #[error("not known: {what} ({why})")]
    NotChecked {
        /// What was not checked.
        what: String,
        /// Why not.
        why: String,
    },
    /// A file was taken to be unused as far as that could not be looked at.
    #[error(
        "that nothing else uses the file was taken for granted (--assume-unused), as far as it could not be looked at"
    )]
    AssumedUnused,
    /// The drive's security state is frozen until the next power cycle: an ATA erase would be refused.
    #[error("the drive's security state is frozen until the next power cycle")]
    SecurityFrozen,
    /// A password is set in the drive, which locks it at its next start.
    #[error(
        "an ATA password is set in the drive, which is locked from its next start on until it is told it; one that a purge by \
         drivelab has left is taken away by the next drivelab purge"
    )]
    PasswordSet,
}

impl Note {
    /// The first process may have rights that no other has, and then shows nothing. It alone is no reason
    /// against a claim.
    pub(crate) fn of_init(system: &System) -> Option<Note> {
        init_is_hidden(system).then(|| Note::NotChecked {
            what: "what process 1 has open".to_owned(),
            why: "it has rights that this program does not have".to_owned(),
        })
    }
}

/// What should be said of drives that share their hardware with this one without sharing a byte.
pub(crate) fn surroundings(system: &System, drive: &DriveIdentity) -> Vec<Note> {
    let mut notes = Vec::new();
    let siblings = namespaces(system, drive);
    if !siblings.is_empty() {
        notes.push(Note::NamespaceSiblings(siblings));
    }
    let paths: Vec<String> = other_paths(system, drive).into_iter().map(|path| path.kernel_name).collect();
    if !paths.is_empty() {
        notes.push(Note::OtherPaths(paths));
    }
    let shared = Confirming::list(system, drive).shared.filter(|shared| shared.by == SharedBy::Drives);
    notes.extend(shared.map(Note::SharedSerial));
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
