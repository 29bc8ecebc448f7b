//! One look at everything in use on the machine, and what of it concerns one target.

mod backing_devices;
mod exports;
pub(crate) mod family;
mod kcmp;
mod loop_status;
mod mapped;
mod openers;
mod overlays;
mod sight;
mod swap;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::uses::mounts::{self, BtrfsPool, Mount};
use crate::{DeviceNumber, DriveIdentity, FileIdentity, Holder, System, Unseen, Use};
use backing_devices::BackingDevice;
use exports::KernelUse;
use family::{Relation, Relative};
use mapped::OpenedFile;
use openers::{Opener, Opening};
use overlays::Overlays;
use swap::Hibernation;

pub(crate) use exports::shown as exported;
pub(crate) use openers::init_is_hidden;

/// What is in use on the machine at one moment: taken once, it answers for any number of targets.
#[derive(Clone, Debug)]
pub struct UsageScan {
    system: System,
    pools: Vec<BtrfsPool>,
    mounts: Vec<Mount>,
    swaps: Vec<KernelUse>,
    hibernation: Vec<Hibernation>,
    backing_devices: Vec<BackingDevice>,
    exports: Vec<KernelUse>,
    overlays: Overlays,
    opening: Opening,
    unseen: Vec<Unseen>,
}

/// More loop devices than anybody stacks on each other.
const DEEPEST_STACK: usize = 8;

/// Whose open descriptors count as a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenHandles {
    /// Every other process's: before a claim.
    Everybody,
    /// Those that may write and that this program did not start: while a claim is held, a look at the
    /// drive's health from another process does no harm.
    StrangersWhoWrite,
}

impl OpenHandles {
    fn count(self, opener: &Opener) -> bool {
        match self {
            OpenHandles::Everybody => !opener.is_udev_reading(),
            OpenHandles::StrangersWhoWrite => opener.writes && !opener.is_child,
        }
    }
}

impl UsageScan {
    /// Looks at everything that is in use.
    pub fn take(system: &System) -> UsageScan {
        let opening = openers::all(system);
        let mut unseen = sight::unseen(system);
        if opening.hidden > 0 {
            unseen.push(Unseen::OpenFiles(opening.hidden));
        }
        UsageScan { opening, unseen, ..UsageScan::of_the_kernel(system) }
    }

    /// Looks at what the kernel itself uses, and at no process: soon done.
    pub(crate) fn of_the_kernel(system: &System) -> UsageScan {
        let pools = mounts::btrfs_pools(system);
        let tables = mounts::tables(system);
        let overlays = Overlays::read(system, &tables);
        UsageScan {
            mounts: mounts::all(system, &tables, &pools),
            pools,
            swaps: swap::all(system),
            hibernation: swap::hibernation(system),
            backing_devices: backing_devices::all(system, &overlays),
            exports: exports::all(system),
            overlays,
            opening: Opening::default(),
            unseen: Vec::new(),
            system: system.clone(),
        }
    }

    /// What could not be looked at, of what may use a drive.
    pub fn unseen_of_drives(&self) -> Vec<Unseen> {
        self.unseen
            .iter()
            .filter(|unseen| unseen.concerns_drives())
            .cloned()
            .chain(self.unknown_backing_devices())
            .collect()
    }

    /// The devices of which it is not known what is behind them, so that any file or drive may be.
    pub(crate) fn unknown_backing_devices(&self) -> Vec<Unseen> {
        if !self.system.is_live() {
            return Vec::new();
        }
        let unknown = self.backing_devices.iter().filter(|stand_in| stand_in.is_unknown());
        let devices: Vec<String> = unknown.map(|one| one.name.clone()).collect();
        if devices.is_empty() { Vec::new() } else { vec![Unseen::Backing(devices)] }
    }

    /// Everything that uses the drive, its partitions, or what is built on them; `output_folders` are those
    /// that the run writes its own results to.
    pub fn uses_of_drive(
        &self,
        drive: &DriveIdentity,
        output_folders: &[PathBuf],
        openers: OpenHandles,
    ) -> Vec<Use> {
        self.uses_down_to(drive, output_folders, openers, DEEPEST_STACK)
    }

    /// `depth` loop devices on top of each other are followed down to what lies behind them.
    fn uses_down_to(
        &self,
        drive: &DriveIdentity,
        output_folders: &[PathBuf],
        openers: OpenHandles,
        depth: usize,
    ) -> Vec<Use> {
        let relatives = family::find(&self.system, drive);
        let mut uses = Vec::new();
        for relative in &relatives {
            self.mounts_of(relative, &mut uses);
            self.kernel_uses_of(relative, &mut uses);
            self.openers_of(relative, openers, &mut uses);
        }
        for folder in output_folders {
            uses.extend(self.output_use(&relatives, folder));
        }
        if depth > 0 {
            uses.extend(self.uses_behind(drive, openers, depth - 1));
        }
        uses
    }

    /// Uses of the file or drive that a loop device writes to: the exclusive claim of the loop device does
    /// not reach down to them.
    fn uses_behind(&self, drive: &DriveIdentity, openers: OpenHandles, depth: usize) -> Vec<Use> {
        let name = drive.whole_name();
        let Some(own) = self.backing_devices.iter().find(|stand_in| stand_in.name == name) else {
            return Vec::new();
        };
        let mut uses: Vec<Use> = own.file.as_ref().map(|file| self.uses_of_file(file)).unwrap_or_default();
        if let Some(behind) = own.device.and_then(|device| DriveIdentity::read(&self.system, device)) {
            uses.extend(self.uses_down_to(&behind, &[], openers, depth));
        }
        let others =
            self.backing_devices.iter().filter(|other| other.name != own.name && other.shares_with(own));
        for other in others {
            let shared = Use::StandIn(other.name.clone());
            if !uses.contains(&shared) {
                uses.push(shared);
            }
        }
        let is_own = |used: &Use| matches!(used, Use::StandIn(by) if by == name);
        let behind = |used: Use| Use::Behind { device: name.to_owned(), used: Box::new(used) };
        uses.into_iter().filter(|used| !is_own(used)).map(behind).collect()
    }

    /// Everything that uses the file, by any of its names.
    pub fn uses_of_file(&self, file: &FileIdentity) -> Vec<Use> {
        let names = self.overlays.names_of(file);
        let swaps = self.swaps.iter().filter(|swap| names.are_of(swap.file.as_ref()));
        let backing_devices =
            self.backing_devices.iter().filter(|stand_in| stand_in.is_file(&file.path, &names));
        let exports = self.exports.iter().filter(|export| names.are_of(export.file.as_ref()));
        // A reader of a file loses nothing that its owner did not ask for; a second writer does, and so does
        // a process that has it in its memory, as a program or a library.
        let has_it = |opener: &&Opener| match opener.opened {
            OpenedFile::File(device, inode) => {
                names.has((device, inode)) && (opener.writes || opener.is_mapped)
            }
            OpenedFile::Device(_) => false,
        };
        let mut uses: Vec<Use> = swaps.map(|swap| swap.used.clone()).collect();
        uses.extend(backing_devices.map(|stand_in| Use::StandIn(stand_in.name.clone())));
        uses.extend(exports.map(|export| export.used.clone()));
        uses.extend(self.opening.openers.iter().filter(has_it).map(|opener| open_use(opener, None)));
        uses
    }

    /// What could not be looked at, of what may use the file.
    pub fn unseen_of_file(&self, file: &FileIdentity) -> Vec<Unseen> {
        let mut unseen = self.unseen.clone();
        unseen.extend(self.unknown_backing_devices());
        if self.overlays.names_of(file).is_incomplete {
            unseen.push(Unseen::Layers(file.path.clone()));
        }
        unseen
    }

    fn mounts_of(&self, relative: &Relative, uses: &mut Vec<Use>) {
        let before = uses.len();
        let here = self.mounts.iter().filter(|mount| mount.devices.contains(&relative.number));
        uses.extend(here.map(|mount| mount.as_use(relative.name.clone())));
        let pool = self.pools.iter().find(|pool| pool.members.contains(&relative.number));
        if let Some(pool) = pool.filter(|_| uses.len() == before) {
            uses.push(Use::FileSystemMember { device: relative.name.clone(), uuid: pool.uuid.clone() });
        }
    }

    fn kernel_uses_of(&self, relative: &Relative, uses: &mut Vec<Use>) {
        let is_it = |device: Option<DeviceNumber>| device == Some(relative.number);
        if let Relation::BuiltOn(base) = &relative.relation {
            let holder = Holder::read(&self.system, relative.number, &relative.name);
            uses.push(Use::Held { device: base.clone(), by: relative.name.clone(), holder });
        }
        let swaps = self.swaps.iter().filter(|swap| is_it(swap.device));
        uses.extend(swaps.map(|swap| swap.used.clone()));
        if relative.relation != Relation::Parent {
            let hibernation =
                self.hibernation.iter().find(|place| place.is_on(&self.system, relative.number));
            uses.extend(hibernation.map(|place| Use::Hibernation {
                device: relative.name.clone(),
                told_by: place.told_by.clone(),
            }));
        }
        let backing_devices = self.backing_devices.iter().filter(|stand_in| is_it(stand_in.device));
        uses.extend(backing_devices.map(|stand_in| Use::StandIn(stand_in.name.clone())));
        let exports = self.exports.iter().filter(|export| is_it(export.device));
        uses.extend(exports.map(|export| export.used.clone()));
    }

    fn openers_of(&self, relative: &Relative, openers: OpenHandles, uses: &mut Vec<Use>) {
        let is_open = |opener: &&Opener| opener.opened == OpenedFile::Device(relative.number);
        // A reader of the whole drive or of another partition does not mind what happens to this one.
        let aside = matches!(relative.relation, Relation::Parent | Relation::Overlapping);
        let counted = self.opening.openers.iter().filter(is_open);
        let counted = counted.filter(|opener| openers.count(opener) && (opener.writes || !aside));
        uses.extend(counted.map(|opener| open_use(opener, Some(relative.name.clone()))));
    }

    fn output_use(&self, relatives: &[Relative], folder: &Path) -> Option<Use> {
        // The folder may not be there yet: then the nearest one above it decides.
        let absolute = std::path::absolute(folder).ok()?;
        let nearest = absolute.ancestors().find_map(|above| fs::canonicalize(above).ok())?;
        let number = DeviceNumber::from_raw(fs::metadata(&nearest).ok()?.dev());
        let carriers = mounts::devices_under(&self.mounts, &nearest, number);
        let carrier = relatives.iter().find(|relative| carriers.contains(&relative.number))?;
        Some(Use::HoldsOutput { device: carrier.name.clone(), folder: absolute })
    }
}

fn open_use(opener: &Opener, device: Option<String>) -> Use {
    let (process, command) = (opener.process, opener.command.clone());
    if opener.is_mapped {
        Use::Mapped { device, process, command }
    } else {
        Use::Open { device, process, command, writes: opener.writes }
    }
}
