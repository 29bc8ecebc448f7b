//! Looking again while a run goes on: whether the kernel has begun to use the target.

use std::path::PathBuf;

use crate::census::family::{self, Relation};
use crate::census::{Census, Openers};
use crate::lending::Lending;
use crate::system::{System, names_in, nonempty_text, raw_text};
use crate::{DriveIdentity, Identity, Reason, Refusal, Use, WriteGrant, census};

/// Looks at a claimed target for loop devices, swap and exports that have been set up over it. The lock of a file keeps none of
/// these away; the exclusive claim of a drive keeps mounts and swap away, but no loop device and no export, over which a file
/// system can be mounted then. What was set up over another path to the same drive is seen, too.
///
/// A look reads a few small files of /sys and /proc, and more only where those have changed. It goes to no drive.
#[derive(Debug)]
pub struct Sentry {
    system: System,
    identity: Identity,
    lending: Lending,
    /// The folders of sysfs that name what is built on the drive.
    holders: Vec<PathBuf>,
    /// Whether the drive, or a part of it, can be mounted without its claim: by another path, or by a partition that overlaps it.
    can_be_mounted: bool,
    seen: Vec<Vec<u8>>,
}

impl WriteGrant {
    /// Something that looks whether the kernel has begun to use the target.
    #[must_use]
    pub fn sentry(&self) -> Sentry {
        let (system, identity) = (self.system.clone(), self.identity.clone());
        let relatives = match &identity {
            Identity::File(_) => Vec::new(),
            Identity::Drive(drive) => family::of(&system, drive),
        };
        let folders = relatives.iter().filter_map(|relative| system.block_folder(relative.number));
        let holders = folders.map(|folder| folder.join("holders")).collect();
        let can_be_mounted = relatives
            .iter()
            .any(|relative| matches!(relative.relation, Relation::Twin | Relation::Overlapping));
        Sentry { system, identity, lending: self.lending.clone(), holders, can_be_mounted, seen: Vec::new() }
    }
}

impl Sentry {
    /// Looks again. While the run has given the claim up to mount a file system of its own, mounts are not looked at.
    ///
    /// # Errors
    /// Every use that the kernel makes of the target by now.
    pub fn look(&mut self) -> Result<(), Refusal> {
        let moment = self.lending.moment();
        let shown = self.shown();
        if shown == self.seen {
            return Ok(());
        }
        self.seen = shown;
        let census = Census::of_the_kernel(&self.system);
        let mut uses = match &self.identity {
            Identity::File(file) => census.uses_of_file(file),
            Identity::Drive(drive) => uses_of(&census, drive),
        };
        if !self.lending.was_held_since(moment) {
            uses.retain(|used| !matches!(used, Use::Mounted { .. } | Use::FileSystemMember { .. }));
        }
        if uses.is_empty() {
            return Ok(());
        }
        let reasons = uses.into_iter().map(Reason::InUse).collect();
        Err(Refusal { target: self.identity.to_string(), reasons })
    }

    /// What the kernel shows of everything that a look is for. A device that is attached anew has another
    /// sequence number.
    fn shown(&self) -> Vec<Vec<u8>> {
        let system = &self.system;
        let mut shown = vec![raw_text(&system.proc("swaps")).unwrap_or_default()];
        for name in names_in(&system.sys("block")) {
            let folder = system.sys("block").join(&name);
            let backing = nonempty_text(&folder.join("loop/backing_file"));
            if let Some(backing) = backing.or_else(|| nonempty_text(&folder.join("backing_dev"))) {
                let sequence = nonempty_text(&folder.join("diskseq")).unwrap_or_default();
                shown.push(format!("{name} {sequence} {backing}").into_bytes());
            }
        }
        shown.extend(self.holders.iter().map(|folder| names_in(folder).join(" ").into_bytes()));
        if self.can_be_mounted {
            shown.push(raw_text(&system.proc("self/mountinfo")).unwrap_or_default());
        }
        shown.extend(census::exported(system));
        shown
    }
}

/// What the kernel uses of a drive, which is claimed: a place that it hibernates to, it only uses when it hibernates.
fn uses_of(census: &Census, drive: &DriveIdentity) -> Vec<Use> {
    let mut uses = census.drive_uses(drive, &[], Openers::StrangersWhoWrite);
    uses.retain(|used| !matches!(used, Use::Hibernation { .. }));
    uses
}
