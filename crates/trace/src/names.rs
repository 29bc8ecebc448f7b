//! The devices and processes that a trace names, as numbers.

use ahash::AHashMap;
use drivelab_block::{DeviceId, ProcessId};

use crate::manifest::{Device, Measured};

/// Gives each name a number; the last one asked for is at hand, since traces repeat themselves.
#[derive(Debug, Default)]
struct NameTable {
    numbers: AHashMap<Vec<u8>, usize>,
    last_name: Vec<u8>,
    last_number: usize,
    /// The length of all names.
    bytes: usize,
}

impl NameTable {
    /// Whether there is no room for this name: a damaged source can have a new one in every row.
    #[inline]
    fn is_full_for(&self, name: &[u8], most: usize) -> bool {
        (self.numbers.len() >= most || self.bytes + name.len() > MAX_BYTES)
            && !self.numbers.contains_key(name)
    }

    /// The number of the name, and whether it is new.
    #[inline]
    fn number(&mut self, name: &[u8]) -> (usize, bool) {
        if self.last_name == name && !self.numbers.is_empty() {
            return (self.last_number, false);
        }
        let next = self.numbers.len();
        let number = if let Some(number) = self.numbers.get(name) {
            *number
        } else {
            self.bytes += name.len();
            *self.numbers.entry(name.to_vec()).or_insert(next)
        };
        self.last_name.clear();
        self.last_name.extend_from_slice(name);
        self.last_number = number;
        (number, number == next)
    }
}

/// The names of a trace. Beyond 65,536 devices, the rest share the last number; beyond a million processes, they are
/// unknown. So it is where the names of either are longer than 64 MiB together.
#[derive(Debug)]
pub struct Names {
    device_table: NameTable,
    /// The devices until now, each under its number.
    pub devices: Vec<Device>,
    process_table: NameTable,
    /// The processes until now, each under its number.
    pub processes: Vec<String>,
}

const MAX_DEVICES: usize = 1 << 16;
const MAX_PROCESSES: usize = 1 << 20;
const MAX_BYTES: usize = 64 << 20;

impl Default for Names {
    fn default() -> Names {
        let mut names = Names {
            device_table: NameTable::default(),
            devices: Vec::new(),
            process_table: NameTable::default(),
            processes: Vec::new(),
        };
        // Number 0 is the process of which nothing is known.
        names.process(b"");
        names
    }
}

impl Names {
    /// The number of a device.
    #[inline]
    pub fn device(&mut self, name: &[u8]) -> DeviceId {
        if self.device_table.is_full_for(name, MAX_DEVICES) {
            return DeviceId(u16::try_from(self.devices.len().saturating_sub(1)).unwrap_or(u16::MAX));
        }
        let (number, is_new) = self.device_table.number(name);
        if is_new {
            let name = String::from_utf8_lossy(name).replace(',', ":");
            self.devices.push(Device { name, measured: Measured::Nothing });
        }
        DeviceId(u16::try_from(number).unwrap_or(u16::MAX))
    }

    /// Notes what the durations of the device's I/Os span.
    #[inline]
    pub fn measured(&mut self, device: DeviceId, measured: Measured) {
        if let Some(known) = self.devices.get_mut(usize::from(device.0))
            && known.measured == Measured::Nothing
        {
            known.measured = measured;
        }
    }

    /// The number of a process.
    #[inline]
    pub fn process(&mut self, name: &[u8]) -> ProcessId {
        if self.process_table.is_full_for(name, MAX_PROCESSES) {
            return ProcessId(0);
        }
        let (number, is_new) = self.process_table.number(name);
        if is_new {
            self.processes.push(String::from_utf8_lossy(name).into_owned());
        }
        ProcessId(u32::try_from(number).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_with_ever_new_names_fills_no_memory() {
        let mut names = Names::default();
        let long = |number: usize| [&number.to_le_bytes()[..], &vec![b'x'; 1 << 20]].concat();
        let numbers: Vec<DeviceId> = (0..80).map(|number| names.device(&long(number))).collect();
        assert_eq!(names.device(&long(3)), numbers[3], "a known name keeps its number");
        let devices = names.devices;
        assert!(devices.len() < 64 && numbers.iter().all(|number| usize::from(number.0) < devices.len()));
    }

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = Names::default();
        assert_eq!(names.process(b""), ProcessId(0));
        let (a, b) = (names.device(b"hm,0"), names.device(b"hm,1"));
        assert_eq!((names.device(b"hm,0"), names.device(b"hm,1")), (a, b));
        assert_eq!(names.process(b"fio"), ProcessId(1));
        names.measured(a, Measured::QueueToComplete);
        let Names { devices, processes, .. } = names;
        assert_eq!(devices[0], Device { name: "hm:0".into(), measured: Measured::QueueToComplete });
        assert_eq!(processes, ["", "fio"]);
    }
}
