//! Which devices a write to the target would reach: itself, its partitions, whatever is built on them.

use std::path::Path;

use crate::system::{System, names_in, number, text};
use crate::{DeviceNumber, DriveIdentity, DriveKind};

/// How a device comes to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The target itself.
    Itself,
    /// A partition of the target, or of something built on it.
    Partition,
    /// The target itself, by another path.
    Twin,
    /// The drive that the target is a partition of.
    Parent,
    /// Another partition of the same drive that shares sectors with the target.
    Overlapping,
    /// Built on the device with this name: an array, a volume, a cache.
    BuiltOn(String),
}

/// A device that a write to the target would reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relative {
    pub number: DeviceNumber,
    pub name: String,
    pub relation: Relation,
}

/// More devices than any machine stacks on one drive: the walk ends there whatever sysfs shows.
const MOST_RELATIVES: usize = 4096;

/// The target first, then everything else that a write to it would reach, each once.
pub(crate) fn find(system: &System, drive: &DriveIdentity) -> Vec<Relative> {
    let mut relatives =
        vec![Relative { number: drive.number, name: drive.kernel_name.clone(), relation: Relation::Itself }];
    if let Some(parent) = &drive.parent {
        let name = parent.kernel_name.clone();
        relatives.push(Relative { number: parent.number, name, relation: Relation::Parent });
        relatives.extend(overlapping(system, drive, parent.number));
    }
    relatives.extend(twins(system, drive));
    // The list grows while it is walked: partitions and holders have holders of their own.
    let mut next = 0;
    while let Some(device) = relatives.get(next).cloned() {
        for found in built_on(system, &device) {
            let known = relatives.iter().any(|relative| relative.number == found.number);
            if !known && relatives.len() < MOST_RELATIVES {
                relatives.push(found);
            }
        }
        next += 1;
    }
    relatives
}

/// The partitions of a drive, in order of their names; none for a partition.
pub(crate) fn partitions(system: &System, drive: DeviceNumber) -> Vec<(DeviceNumber, String)> {
    let Some(folder) = system.block_folder(drive) else { return Vec::new() };
    let partition = |name: String| {
        let own = folder.join(&name);
        number(&own.join("partition"))?;
        Some((device_of(&own)?, name))
    };
    names_in(&folder).into_iter().filter_map(partition).collect()
}

fn built_on(system: &System, device: &Relative) -> Vec<Relative> {
    let mut found = Vec::new();
    if device.relation != Relation::Parent {
        let shown =
            |name: String| if device.relation == Relation::Twin { by_another_path(&name) } else { name };
        let partition =
            |(number, name)| Relative { number, name: shown(name), relation: Relation::Partition };
        found.extend(partitions(system, device.number).into_iter().map(partition));
    }
    if let Some(folder) = system.block_folder(device.number) {
        let holders = folder.join("holders");
        found.extend(names_in(&holders).into_iter().filter_map(|name| {
            let number = device_of(&holders.join(&name)).or_else(|| system.number_of_name(&name))?;
            Some(Relative { number, name, relation: Relation::BuiltOn(device.name.clone()) })
        }));
    }
    found
}

fn device_of(folder: &Path) -> Option<DeviceNumber> {
    DeviceNumber::parse(&text(&folder.join("dev"))?)
}

/// Partition tables may be wrong, or hybrid: two partitions can then share sectors, and writing to one of
/// them destroys what is mounted from the other.
fn overlapping(system: &System, drive: &DriveIdentity, whole: DeviceNumber) -> Vec<Relative> {
    let Some(own) = span(system, drive.number) else { return Vec::new() };
    let shares =
        |number: DeviceNumber| span(system, number).is_some_and(|other| other.0 < own.1 && own.0 < other.1);
    partitions(system, whole)
        .into_iter()
        .filter(|(number, _)| *number != drive.number && shares(*number))
        .map(|(number, name)| Relative { number, name, relation: Relation::Overlapping })
        .collect()
}

/// The same drive seen by another path, with what of it the target shares. Without the device mapper's
/// multipath the kernel takes the paths for different drives, and a claim of one says nothing of the other.
fn twins(system: &System, drive: &DriveIdentity) -> Vec<Relative> {
    let mut found = Vec::new();
    for twin in other_paths(system, drive) {
        let mut shared = match &drive.parent {
            None => vec![],
            Some(_) => overlapping(system, drive, twin.number),
        };
        let relation = if drive.parent.is_some() { Relation::Parent } else { Relation::Twin };
        shared.push(Relative { number: twin.number, name: twin.kernel_name, relation });
        for relative in shared {
            found.push(Relative { name: by_another_path(&relative.name), ..relative });
        }
    }
    found
}

fn by_another_path(name: &str) -> String {
    format!("{name} (another path to the same drive)")
}

/// Every other whole drive that says of itself what this one, or the drive it is a part of, says.
pub(crate) fn other_paths(system: &System, drive: &DriveIdentity) -> Vec<DriveIdentity> {
    let whole = drive.whole_number();
    let has_paths = |other: &DriveIdentity| matches!(other.kind, DriveKind::Scsi | DriveKind::Nvme);
    let Some(own) = DriveIdentity::read(system, whole).filter(has_paths) else { return Vec::new() };
    // A cheap bridge gives every drive the same name; model and size then still tell most of them apart.
    let is_same = |other: &DriveIdentity| {
        let has_one_name = own.wwn.is_some() && other.wwn == own.wwn;
        other.number != whole
            && has_paths(other)
            && has_one_name
            && own.which().compare(&other.which()).fits()
    };
    DriveIdentity::drives(system).filter(is_same).collect()
}

/// First sector, and the one after the last.
fn span(system: &System, partition: DeviceNumber) -> Option<(u64, u64)> {
    let folder = system.block_folder(partition)?;
    let start = number(&folder.join("start"))?;
    Some((start, start.saturating_add(number(&folder.join("size"))?)))
}
