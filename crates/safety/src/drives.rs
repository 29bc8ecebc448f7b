//! Every drive of the machine, and whether it may be tested: for `drivelab drives`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::checks::{confirmation_reason, content_reasons, use_reasons};
use crate::look::{Sought, look_at};
use crate::usage_scan::OpenHandles;
use crate::{
    Confirmation, Contents, DriveIdentity, Flag, Note, Reason, System, Target, UsageScan, Use, note,
};

/// How many drives are looked at together, each by two processes. Only a list of more drives that do not answer takes longer.
const LOOKS_AT_A_TIME: usize = 64;

/// One block device, what uses it and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveListing {
    /// Who it is.
    pub identity: DriveIdentity,
    /// Everything that uses it.
    pub uses: Vec<Use>,
    /// Its signatures. Data is not looked for here: sampling every drive would wake the sleeping ones.
    pub contents: Contents,
    /// What else should be known.
    pub notes: Vec<Note>,
    /// Whether it may be written to.
    pub testable: Testable,
}

impl DriveListing {
    /// The drive as a target.
    pub fn target(&self, system: &System) -> Target {
        let path = system.dev(&self.identity.kernel_name);
        Target::of_drive(&path, self.identity.clone())
    }
}

/// Whether a drive may be written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Testable {
    /// With these flags; a drive that holds data but no signature asks for `--destroy-data` besides.
    With(Vec<Flag>),
    /// With no flag, for these reasons.
    No(Vec<Reason>),
}

/// Every block device that has a size, drives before their partitions, in the order of their names.
pub fn list_drives(system: &System) -> Vec<DriveListing> {
    let scan = UsageScan::take(system);
    let mut drives: Vec<DriveIdentity> = DriveIdentity::devices(system).collect();
    drives.sort_by_cached_key(sort_key);
    let contents = look_at_all(&drives, |drive| look_at(system, drive, Sought::Signatures));
    let all = drives.into_iter().zip(contents);
    all.map(|(drive, contents)| listing(system, &scan, drive, contents)).collect()
}

/// Looks at several drives at a time, since one that does not answer is waited for as long as all of them together. Where no
/// thread can be started, this one looks at what the others have left.
fn look_at_all(drives: &[DriveIdentity], look: impl Fn(&DriveIdentity) -> Contents + Sync) -> Vec<Contents> {
    let next = AtomicUsize::new(0);
    let found: Vec<OnceLock<Contents>> = drives.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(drive) = drives.get(place) else { return };
            let _ = found[place].set(look(drive));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..drives.len().min(LOOKS_AT_A_TIME) {
            let looker = std::thread::Builder::new().name("look-at-drive".to_owned());
            if looker.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let all = drives.iter().zip(found).map(|(drive, found)| {
        let not_seen = || Contents::not_seen(format!("{} was not looked at", drive.kernel_name));
        found.into_inner().unwrap_or_else(not_seen)
    });
    all.collect()
}

/// `sda2` before `sda10`, and both after `sda`.
fn sort_key(drive: &DriveIdentity) -> (String, u64, u32) {
    let whole = drive.whole_name();
    let letters = whole.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let count = whole[letters.len()..].parse().unwrap_or(0);
    (letters.to_owned(), count, drive.parent.as_ref().map_or(0, |parent| parent.partition))
}

fn listing(system: &System, scan: &UsageScan, drive: DriveIdentity, contents: Contents) -> DriveListing {
    let mut reasons = use_reasons(scan, &drive, &[], OpenHandles::Everybody);
    let uses = reasons
        .iter()
        .filter_map(|reason| match reason {
            Reason::InUse(used) => Some(used.clone()),
            _ => None,
        })
        .collect();
    reasons.extend(content_reasons(&drive, contents.clone()));
    reasons.retain(|reason| reason.lifted_by().is_none());
    // Whoever shows one reason shows this one.
    reasons.sort_by_key(|reason| !matches!(reason, Reason::DoesNotAnswer(_)));
    let testable = if reasons.is_empty() {
        let confirmed = confirmation_reason(system, &drive, &Confirmation::default()).into_iter();
        let held = content_reasons(&drive, contents.clone());
        let mut flags: Vec<Flag> = confirmed.chain(held).filter_map(|reason| reason.lifted_by()).collect();
        flags.dedup();
        Testable::With(flags)
    } else {
        Testable::No(reasons)
    };
    DriveListing { notes: note::surroundings(system, &drive), identity: drive, uses, contents, testable }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceNumber;

    #[test]
    fn each_drive_of_very_many_is_looked_at_and_has_what_is_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let system = System::rooted_at(folder.path());
        let mut drives = Vec::new();
        for minor in 0..200 {
            let number = DeviceNumber { major: 8, minor };
            std::fs::create_dir_all(system.sys(format!("dev/block/{number}"))).expect("a drive");
            drives.push(DriveIdentity::read(&system, number).expect("a drive"));
        }
        let contents = look_at_all(&drives, |drive| Contents::not_seen(drive.kernel_name.clone()));
        let said: Vec<&String> = contents.iter().flat_map(|contents| &contents.not_known).collect();
        let names: Vec<&String> = drives.iter().map(|drive| &drive.kernel_name).collect();
        assert_eq!(said, names);
        assert_eq!(look_at_all(&[], |_| Contents::default()), []);
    }
}
