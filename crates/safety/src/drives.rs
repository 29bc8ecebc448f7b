//! Every drive of the machine, and whether it may be tested: for `drivelab drives`.

use std::path::Path;

use crate::census::Openers;
use crate::checks::{confirmation_reason, content_reasons, use_reasons};
use crate::look::{Sought, look_at};
use crate::system::{System, number};
use crate::{Census, Confirmation, Contents, DriveIdentity, Flag, Note, Reason, Target, Use, siblings};

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
    #[must_use]
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
#[must_use]
pub fn list_drives(system: &System) -> Vec<DriveListing> {
    let census = Census::take(system);
    let mut drives: Vec<DriveIdentity> = system
        .block_names()
        .iter()
        .filter(|name| !is_hidden(&system.sys("class/block").join(name)))
        .filter_map(|name| DriveIdentity::read(system, system.number_of_name(name)?))
        .filter(|drive| drive.size.get() > 0)
        .collect();
    drives.sort_by_cached_key(sort_key);
    // One that does not answer is waited for as long as all of them together.
    let look = |drive: &DriveIdentity| look_at(system, drive, Sought::Signatures);
    let contents: Vec<Contents> = std::thread::scope(|scope| {
        let looks: Vec<_> = drives.iter().map(|drive| scope.spawn(move || look(drive))).collect();
        let seen = |look: std::thread::ScopedJoinHandle<'_, Contents>| {
            look.join().unwrap_or_else(|_| Contents::not_seen("the look at it failed".to_owned()))
        };
        looks.into_iter().map(seen).collect()
    });
    let all = drives.into_iter().zip(contents);
    all.map(|(drive, contents)| listing(system, &census, drive, contents)).collect()
}

/// A path of a drive that the kernel joins with others and shows under another name.
fn is_hidden(folder: &Path) -> bool {
    number(&folder.join("hidden")) == Some(1)
}

/// `sda2` before `sda10`, and both after `sda`.
fn sort_key(drive: &DriveIdentity) -> (String, u64, u32) {
    let whole = drive.whole_name();
    let letters = whole.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let count = whole[letters.len()..].parse().unwrap_or(0);
    (letters.to_owned(), count, drive.parent.as_ref().map_or(0, |parent| parent.partition))
}

fn listing(system: &System, census: &Census, drive: DriveIdentity, contents: Contents) -> DriveListing {
    let mut reasons = use_reasons(census, &drive, &[], Openers::Everybody);
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
    reasons.sort_by_key(|reason| !matches!(reason, Reason::DoesNotAnswer { .. }));
    let testable = if reasons.is_empty() {
        let confirmed = confirmation_reason(system, &drive, &Confirmation::default()).into_iter();
        let held = content_reasons(&drive, contents.clone());
        let mut flags: Vec<Flag> = confirmed.chain(held).filter_map(|reason| reason.lifted_by()).collect();
        flags.dedup();
        Testable::With(flags)
    } else {
        Testable::No(reasons)
    };
    DriveListing { notes: siblings::notes(system, &drive), identity: drive, uses, contents, testable }
}
