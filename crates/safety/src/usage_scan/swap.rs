//! What the kernel swaps to, and where the system writes its memory when it hibernates: that is to be left alone even while it is
//! not in use.

use std::path::Path;

use super::exports::KernelUse;
use crate::names::UdevRecord;
use crate::system::{System, text, unescape};
use crate::{DeviceNumber, FileIdentity, Use};

/// Every swap area in use.
pub(crate) fn all(system: &System) -> Vec<KernelUse> {
    let table = text(&system.proc("swaps")).unwrap_or_default();
    table.lines().skip(1).filter_map(|line| swap(system, line)).collect()
}

fn swap(system: &System, line: &str) -> Option<KernelUse> {
    let path = unescape(line.split_whitespace().next()?);
    let (device, file) = (system.number_of_node(&path), FileIdentity::at(system, &path));
    Some(KernelUse { used: Use::Swap(path), device, file })
}

/// The place that hibernation was told to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hibernation {
    /// What told it, for a message: `resume=UUID=... on the kernel's command line`.
    pub told_by: String,
    place: ImagePlace,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ImagePlace {
    Number(DeviceNumber),
    /// A tag that no link in /dev resolves: compared with what udev recorded.
    Tag(&'static [&'static str], String),
}

impl Hibernation {
    /// Whether the system hibernates to this device.
    pub(crate) fn is_on(&self, system: &System, device: DeviceNumber) -> bool {
        match &self.place {
            ImagePlace::Number(number) => *number == device,
            ImagePlace::Tag(keys, value) => {
                let recorded = UdevRecord::read(system, device).property(keys);
                recorded.is_some_and(|recorded| recorded.eq_ignore_ascii_case(value))
            }
        }
    }
}

/// Every place that hibernation was told of.
pub(crate) fn hibernation(system: &System) -> Vec<Hibernation> {
    let mut places = Vec::new();
    let set = text(&system.sys("power/resume")).and_then(|text| DeviceNumber::parse(&text));
    // The kernel shows 0:0 where nothing was set.
    if let Some(number) = set.filter(|number| number.major != 0) {
        places
            .push(Hibernation { told_by: "/sys/power/resume".to_owned(), place: ImagePlace::Number(number) });
    }
    let command_line = text(&system.proc("cmdline")).unwrap_or_default();
    for value in command_line.split_whitespace().filter_map(|word| word.strip_prefix("resume=")) {
        if let Some(place) = place(system, value) {
            places
                .push(Hibernation { told_by: format!("resume={value} on the kernel's command line"), place });
        }
    }
    places
}

fn place(system: &System, value: &str) -> Option<ImagePlace> {
    if let Some(number) = DeviceNumber::parse(value) {
        return Some(ImagePlace::Number(number));
    }
    if value.starts_with('/') {
        return system.number_of_node(Path::new(value)).map(ImagePlace::Number);
    }
    let (tag, value) = value.split_once('=')?;
    let (folder, keys): (_, &[&str]) = match tag {
        "UUID" => ("by-uuid", &["ID_FS_UUID"]),
        "LABEL" => ("by-label", &["ID_FS_LABEL"]),
        "PARTUUID" => ("by-partuuid", &["ID_PART_ENTRY_UUID"]),
        "PARTLABEL" => ("by-partlabel", &["ID_PART_ENTRY_NAME"]),
        _ => return None,
    };
    let value = value.trim_matches('"');
    let linked = system.number_of_node(&Path::new("/dev/disk").join(folder).join(value));
    Some(linked.map_or_else(|| ImagePlace::Tag(keys, value.to_owned()), ImagePlace::Number))
}
