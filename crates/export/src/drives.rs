//! The table of drives: a Parquet file for each run, of a row for each of its devices, so that hosts which export at once need
//! no lock.

use std::sync::Arc;

use drivelab_block::name_digits;
use drivelab_documents::{Drive, MachineId};
use parquet::basic::FieldRepetitionType::{OPTIONAL, REQUIRED};
use parquet::data_type::{BoolType, Int64Type};
use parquet::errors::Result;

use crate::layout::{RunKey, id};
use crate::rollup::FORMAT_WORD;
use crate::small_file::{SmallFile, int};
use crate::whole::RUN_WORD;

/// The name and version of the format, kept in each file under the key `drivelab.format` and in the column `format`.
pub const DRIVES_FORMAT: &str = "drivelab.drives/1";

/// A device of a result, and the drive behind it as it may be shown; none where the result does not say which one it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveEntry {
    /// The name of the device, as the rollup has it.
    pub device: Arc<str>,
    pub drive: Option<Drive>,
}

impl DriveEntry {
    /// What the drive is called in all results of all machines: made from its model and serial number, or from what stands in
    /// their place, and where it has one from its own world-wide name, or the number of its namespace. That of the first one is
    /// left out: earlier versions did not keep the number. One without a serial number is known by its world-wide name, and one
    /// without both by its machine and the name of its device.
    fn drive_id(&self, key: &RunKey) -> String {
        let names = self.drive.as_ref().and_then(|drive| {
            let which = drive.which();
            let serial = drive.serial.as_deref().map(str::trim).filter(|serial| !serial.is_empty());
            let wwn = which.own_wwn().map(name_digits);
            if serial.is_none() && wwn.is_none() {
                return None;
            }
            let later = which.namespace.filter(|number| *number > 1);
            let own = wwn.or_else(|| later.map(|number| format!("namespace {number}")));
            Some((drive.model.trim().to_owned(), serial.unwrap_or_default().to_owned(), own))
        });
        match (names, key.machine.as_ref().filter(|machine| machine.is_lasting())) {
            (Some((model, serial, None)), _) => id('d', &("serial", model, serial)),
            (Some((model, serial, Some(own))), _) => id('d', &("serial", model, serial, own)),
            (None, None) => id('d', &("place", key.host.text(), &*self.device)),
            (None, Some(machine)) => id('d', &("place", key.host.text(), &*self.device, machine.text())),
        }
    }
}

/// The file of the devices of a result. Equal devices give equal bytes.
pub fn file_of(key: &RunKey, entries: &[DriveEntry]) -> Result<Vec<u8>> {
    let drives = || entries.iter().map(|entry| entry.drive.as_ref());
    let ids: Vec<String> = entries.iter().map(|entry| entry.drive_id(key)).collect();
    let is_simulated = |drive: Option<&Drive>| Some(drive.is_some_and(|drive| drive.simulated));
    let mut out = SmallFile::new("drives");
    out.texts(REQUIRED, "run", entries.iter().map(|_| Some(key.run.as_str())));
    out.texts(REQUIRED, "host", entries.iter().map(|_| Some(key.host.text())));
    out.texts(REQUIRED, "device", entries.iter().map(|entry| Some(&*entry.device)));
    out.texts(REQUIRED, "drive", ids.iter().map(|id| Some(id.as_str())));
    out.texts(OPTIONAL, "drive_model", drives().map(|drive| Some(drive?.model.as_str())));
    out.texts(OPTIONAL, "firmware", drives().map(|drive| drive?.firmware.as_deref()));
    out.texts(OPTIONAL, "serial", drives().map(|drive| drive?.serial.as_deref()));
    out.values::<Int64Type>(OPTIONAL, "capacity_bytes", drives().map(|drive| Some(int(drive?.size_bytes))));
    out.values::<BoolType>(REQUIRED, "simulated", drives().map(is_simulated));
    out.texts(REQUIRED, "format", entries.iter().map(|_| Some(DRIVES_FORMAT)));
    out.texts(OPTIONAL, "machine", entries.iter().map(|_| key.machine.as_ref().map(MachineId::text)));
    out.finish(&[(FORMAT_WORD, DRIVES_FORMAT), (RUN_WORD, key.run.as_str())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_one_name_in_every_machine_and_under_every_name_of_a_device() {
        let key =
            |host: &str| RunKey { run: String::new(), host: host.parse().expect("a name"), machine: None };
        let entry = |device: &str, serial: Option<&str>| {
            let serial = serial.map(str::to_owned);
            let drive = Drive { model: "A drive".to_owned(), serial, ..Drive::default() };
            DriveEntry { device: Arc::from(device), drive: Some(drive) }
        };
        let moved = entry("sda", Some("S3Z9")).drive_id(&key("lab"));
        assert_eq!(moved, entry("sdb", Some(" S3Z9 ")).drive_id(&key("rack")));
        assert!(moved.len() == 17 && moved.starts_with('d'), "{moved}");
        assert_ne!(moved, entry("sda", Some("S3Z8")).drive_id(&key("lab")));
        let placed = entry("sda", None).drive_id(&key("lab"));
        assert_eq!(placed, entry("sda", Some(" ")).drive_id(&key("lab")));
        assert_eq!(placed, DriveEntry { device: Arc::from("sda"), drive: None }.drive_id(&key("lab")));
        assert_ne!(placed, entry("sda", None).drive_id(&key("rack")));
        assert_ne!(placed, entry("sdb", None).drive_id(&key("lab")));
    }

    #[test]
    fn drives_of_one_serial_number_are_told_by_their_own_names_and_machines_of_one_name_by_their_ids() {
        let key = |id: &str| RunKey {
            run: String::new(),
            host: "web1".parse().expect("a name"),
            machine: MachineId::from_ids(Some(&id.repeat(32)), None),
        };
        let entry = |serial: Option<&str>, wwn: Option<&str>, namespace| {
            let [serial, wwn] = [serial, wwn].map(|text| text.map(str::to_owned));
            let drive = Drive { model: "A drive".to_owned(), serial, wwn, namespace, ..Drive::default() };
            DriveEntry { device: Arc::from("sda"), drive: Some(drive) }.drive_id(&key("a"))
        };
        let own = entry(Some("SAME"), Some("naa.5"), None);
        assert_eq!(own, entry(Some("SAME"), Some("0x5"), None), "however the name is written");
        assert_ne!(own, entry(Some("SAME"), Some("naa.6"), None));
        assert_ne!(own, entry(Some("SAME"), None, None), "of that one it is not known");
        assert_ne!(entry(Some("SAME"), None, Some(1)), entry(Some("SAME"), None, Some(2)));
        assert_eq!(
            entry(Some("SAME"), None, None),
            entry(Some("SAME"), None, Some(1)),
            "as earlier versions kept it"
        );
        // A name that the kernel has made from the serial number tells nothing.
        assert_eq!(entry(Some("SAME"), Some("t10.ATA SAME"), None), entry(Some("SAME"), None, None));
        let nameless = |device: &str, wwn: &str| {
            let drive = Drive { wwn: Some(wwn.to_owned()), ..Drive::default() };
            DriveEntry { device: Arc::from(device), drive: Some(drive) }.drive_id(&key("a"))
        };
        assert_eq!(nameless("sda", "naa.5"), nameless("sdb", "naa.5"), "the name is enough");
        assert_ne!(nameless("sda", "naa.5"), nameless("sda", "naa.6"));
        let placed = |id: &str| DriveEntry { device: Arc::from("vda"), drive: None }.drive_id(&key(id));
        assert_ne!(placed("a"), placed("b"));
    }
}
