//! Looking again while a run goes on: whether the kernel has begun to use the target.

use std::path::PathBuf;

use crate::grant::Lending;
use crate::passing::wait_a_moment;
use crate::system::{System, names_in, nonempty_text, raw_text};
use crate::usage_scan::family::{self, Relation};
use crate::usage_scan::{OpenHandles, UsageScan};
use crate::{Access, Identity, Reason, Refusal, Unseen, Use, WriteGrant, usage_scan};

/// How often what does not show itself is looked at again before it counts.
const LOOKS: usize = 4;

/// Looks at a claimed target for loop devices, swap and exports that have been set up over it. The lock of a file keeps none of
/// these away; the exclusive claim of a drive keeps mounts and swap away, but no loop device and no export, over which a file
/// system can be mounted then. What was set up over another path to the same drive is seen, too.
///
/// A look reads a few small files of /sys and /proc, and more only if those have changed, or if the drive has another path. It
/// goes to no drive.
#[derive(Debug)]
pub struct UsageMonitor {
    system: System,
    identity: Identity,
    lending: Lending,
    /// Whether a file was assumed to be unused, as far as nothing shows that.
    is_assumed: bool,
    ways: Ways,
    /// The block devices of the machine when `ways` were looked for.
    devices: Vec<u8>,
    seen: Vec<Vec<u8>>,
}

/// The ways on which a claimed drive can come into use. Another path to it may appear at any time.
#[derive(Debug, Default)]
struct Ways {
    /// The folders of sysfs that name what is built on the drive.
    holders: Vec<PathBuf>,
    /// Whether the drive, or a part of it, can be mounted without its claim: by another path, or by a partition that overlaps it.
    can_be_mounted: bool,
}

impl Ways {
    fn list(system: &System, identity: &Identity) -> Ways {
        let Identity::Drive(drive) = identity else { return Ways::default() };
        let relatives = family::find(system, drive);
        let folders = relatives.iter().filter_map(|relative| system.block_folder(relative.number));
        let holders = folders.map(|folder| folder.join("holders")).collect();
        let own = drive.parent.as_ref().map(|parent| parent.number);
        let can_be_mounted = relatives.iter().any(|relative| match relative.relation {
            Relation::Twin | Relation::Overlapping => true,
            // The drive that a partition is of, by another path.
            Relation::Parent => Some(relative.number) != own,
            Relation::Itself | Relation::Partition | Relation::BuiltOn(_) => false,
        });
        Ways { holders, can_be_mounted }
    }
}

impl WriteGrant {
    /// Something that looks whether the kernel has begun to use the target.
    #[must_use]
    pub fn sentry(&self) -> UsageMonitor {
        let (system, identity, lending) = (self.system.clone(), self.identity.clone(), self.lending.clone());
        let is_assumed = self.options.assume_unused && matches!(identity, Identity::File(_));
        UsageMonitor {
            system,
            identity,
            lending,
            is_assumed,
            ways: Ways::default(),
            devices: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl UsageMonitor {
    /// Looks again. While the run has given the claim up to mount a file system of its own, mounts are not looked at.
    ///
    /// # Errors
    /// Every use that the kernel makes of the target by now.
    pub fn look(&mut self) -> Result<(), Refusal> {
        let changes = self.lending.changes();
        let devices = devices(&self.system);
        if devices != self.devices {
            self.ways = Ways::list(&self.system, &self.identity);
            self.devices = devices;
        }
        let shown = self.shown();
        // What is mounted by another path is seen in the mount tables of all processes, of which nothing says that they changed.
        if shown == self.seen && !self.ways.can_be_mounted {
            return Ok(());
        }
        self.seen = shown;
        let (mut uses, unseen) = self.found();
        if !self.lending.was_held_since(changes) {
            uses.retain(|used| !matches!(used, Use::Mounted { .. } | Use::FileSystemMember { .. }));
        }
        if uses.is_empty() && unseen.is_empty() {
            return Ok(());
        }
        let is_file = matches!(self.identity, Identity::File(_));
        let unseen = unseen.into_iter().map(|unseen| Reason::UsersNotSeen { unseen, is_file });
        let reasons = uses.into_iter().map(Reason::InUse).chain(unseen).collect();
        Err(Refusal { access: Access::Write, target: self.identity.to_string(), reasons })
    }

    /// What the kernel makes of the target, and of which devices it is not known whether they write to it. A device that is being
    /// attached or detached is looked at again.
    fn found(&self) -> (Vec<Use>, Vec<Unseen>) {
        let look = || {
            let scan = UsageScan::of_the_kernel(&self.system);
            let mut uses = match &self.identity {
                Identity::File(file) => scan.uses_of_file(file),
                Identity::Drive(drive) => scan.uses_of_drive(drive, &[], OpenHandles::StrangersWhoWrite),
            };
            // A place that it hibernates to, the kernel only uses when it hibernates.
            uses.retain(|used| !matches!(used, Use::Hibernation { .. }));
            // Of a file that was assumed to be unused no more is asked.
            let unseen = if self.is_assumed { Vec::new() } else { scan.unknown_backing_devices() };
            (uses, unseen)
        };
        let mut found = look();
        for _ in 1..LOOKS {
            if found.1.is_empty() {
                break;
            }
            wait_a_moment();
            found = look();
        }
        found
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
        shown.extend(self.ways.holders.iter().map(|folder| names_in(folder).join(" ").into_bytes()));
        shown.extend(usage_scan::exported(system));
        shown
    }
}

/// All block devices by their names, with the number that a disk gets when it appears.
fn devices(system: &System) -> Vec<u8> {
    let mut all = system.block_names().join(" ");
    for name in names_in(&system.sys("block")) {
        let sequence = nonempty_text(&system.sys("block").join(name).join("diskseq")).unwrap_or_default();
        all = all + " " + &sequence;
    }
    all.into_bytes()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::DeviceNumber;
    use crate::DriveIdentity;

    /// A SCSI drive of this name, as sysfs shows it; all of them have one world-wide name.
    fn add_drive(system: &System, name: &str, minor: u32) -> DriveIdentity {
        let folder = system.sys("devices").join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let number = DeviceNumber { major: 8, minor };
        let facts =
            [("dev", number.to_string()), ("size", "2048".to_owned()), ("wwid", "naa.5000".to_owned())];
        for (file, text) in facts {
            fs::write(folder.join(file), text).expect("a fact");
        }
        for place in ["dev/block".to_owned(), "class/block".to_owned(), "block".to_owned()] {
            fs::create_dir_all(system.sys(&place)).expect("a folder");
            let link = if place == "dev/block" { number.to_string() } else { name.to_owned() };
            symlink(&folder, system.sys(place).join(link)).expect("a link");
        }
        DriveIdentity::read(system, number).expect("a drive")
    }

    #[test]
    fn a_path_to_the_drive_that_appears_during_the_run_and_is_mounted_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let system = System::rooted_at(folder.path());
        let drive = add_drive(&system, "sda", 0);
        let mut sentry = UsageMonitor {
            system: system.clone(),
            identity: Identity::Drive(Box::new(drive)),
            lending: Lending::default(),
            is_assumed: false,
            ways: Ways::default(),
            devices: Vec::new(),
            seen: Vec::new(),
        };
        sentry.look().expect("nothing uses it");
        add_drive(&system, "sdb", 16);
        sentry.look().expect("another path alone is no use");
        fs::create_dir_all(system.proc("self")).expect("a folder");
        let mounted = "36 35 8:16 / /mnt/photos rw,relatime - ext4 /dev/sdb rw\n";
        fs::write(system.proc("self/mountinfo"), mounted).expect("a table");
        let said = sentry.look().expect_err("it is mounted by the other path").to_string();
        assert!(said.contains("/mnt/photos"), "{said}");
    }
}
