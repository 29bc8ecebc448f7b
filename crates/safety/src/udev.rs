//! What udev has recorded of a block device, in /run/udev/data.

use std::collections::BTreeMap;

use crate::DeviceNumber;
use crate::system::{System, text};

/// One record: the names udev gave the device, and its properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UdevRecord {
    /// Names below /dev, such as `disk/by-id/wwn-0x5002538d40a1b2c3`.
    pub names: Vec<String>,
    properties: BTreeMap<String, String>,
}

impl UdevRecord {
    /// The record of a device; an empty one where udev does not run.
    pub(crate) fn read(system: &System, number: DeviceNumber) -> UdevRecord {
        text(&system.run(format!("udev/data/b{number}")))
            .map_or_else(UdevRecord::default, |text| parse(&text))
    }

    /// The first of `keys` that has a value.
    pub(crate) fn property(&self, keys: &[&str]) -> Option<String> {
        keys.iter()
            .filter_map(|key| self.properties.get(*key))
            .map(|value| value.trim().to_owned())
            .find(|value| !value.is_empty())
    }

    /// The names in a folder of /dev such as `disk/by-id/`, without the folder.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.names.iter().filter_map(|name| name.strip_prefix(folder)).map(String::from).collect();
        names.sort();
        names
    }
}

fn parse(text: &str) -> UdevRecord {
    let mut record = UdevRecord::default();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("S:") {
            record.names.push(name.to_owned());
        } else if let Some((key, value)) = line.strip_prefix("E:").and_then(|entry| entry.split_once('=')) {
            record.properties.insert(key.to_owned(), value.to_owned());
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_properties_are_told_apart() {
        let record = parse("S:disk/by-id/ata-X_1\nS:disk/by-path/p\nI:12\nE:ID_MODEL=X=1\nE:EMPTY=\nnoise\n");
        assert_eq!(record.names_in("disk/by-id/"), ["ata-X_1"]);
        assert_eq!(record.property(&["ABSENT", "EMPTY", "ID_MODEL"]).as_deref(), Some("X=1"));
    }
}
