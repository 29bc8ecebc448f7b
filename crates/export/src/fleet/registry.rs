//! Numbers for drives, models and machines, so that sums are found without comparing names.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use crate::fleet::tables::DriveRow;

/// Names, each with a number.
#[derive(Debug, Default)]
pub struct Numbers<K> {
    numbers: HashMap<K, usize>,
    /// All names, each in the place of its number.
    pub names: Vec<K>,
}

impl<K: Clone + Eq + Hash> Numbers<K> {
    /// The number of a name, which is the next one where the name is new.
    pub fn number(&mut self, name: K) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }
}

/// A drive as it is named in answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriveName {
    /// What the table of drives calls it.
    pub drive: Arc<str>,
    pub model: Option<Arc<str>>,
}

/// Model and firmware, empty where they are not known.
pub type Version = (Arc<str>, Arc<str>);

/// A device of a run: the numbers of what it is counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceNumbers {
    pub drive: usize,
    pub version: usize,
    /// The drives that it is compared with: those of its model, or itself where the model is not known.
    pub peers: usize,
    /// What tells its machine from others of the same name; none where that is not known.
    pub machine: Option<usize>,
}

/// The devices of all runs.
#[derive(Debug, Default)]
pub struct Registry {
    pub drives: Numbers<DriveName>,
    pub versions: Numbers<Version>,
    pub peers: Numbers<Arc<str>>,
    pub machines: Numbers<Arc<str>>,
    /// By host and run.
    devices: HashMap<(String, String), Vec<(String, DeviceNumbers)>>,
}

impl Registry {
    pub fn from_rows(rows: &[DriveRow]) -> Registry {
        let mut registry = Registry::default();
        for row in rows {
            let shared = |text: &Option<String>| text.as_deref().map(Arc::<str>::from);
            let (drive, model) = (Arc::<str>::from(row.drive.as_str()), shared(&row.drive_model));
            let numbers = DeviceNumbers {
                peers: registry.peers.number(model.clone().unwrap_or_else(|| Arc::clone(&drive))),
                version: registry
                    .versions
                    .number((model.clone().unwrap_or_default(), shared(&row.firmware).unwrap_or_default())),
                drive: registry.drives.number(DriveName { drive, model }),
                machine: shared(&row.machine).map(|machine| registry.machines.number(machine)),
            };
            let devices = registry.devices.entry((row.host.clone(), row.run.clone())).or_default();
            devices.push((row.device.clone(), numbers));
        }
        registry
    }

    pub fn devices_of(&self, host: &str, run: &str) -> &[(String, DeviceNumbers)] {
        self.devices.get(&(host.to_owned(), run.to_owned())).map_or(&[], Vec::as_slice)
    }
}
