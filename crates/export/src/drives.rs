//! The table of drives: a Parquet file for each run, of a row for each of its devices, so that hosts which export at once need
//! no lock.

use std::sync::{Arc, LazyLock};

use drivelab_record::Drive;
use parquet::data_type::{BoolType, Int64Type};
use parquet::errors::Result;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;

use crate::layout::{RunKey, id};
use crate::small_file::{int, small_file};
use crate::whole::{FORMAT_WORD, RUN_WORD};

/// The name and version of the format, kept in each file under the key `drivelab.format` and in the column `format`.
pub const DRIVES_FORMAT: &str = "drivelab.drives/1";

/// The columns, which docs/exporting.md describes.
const MESSAGE: &str = "
message drives {
  REQUIRED BYTE_ARRAY run (STRING);
  REQUIRED BYTE_ARRAY host (STRING);
  REQUIRED BYTE_ARRAY device (STRING);
  REQUIRED BYTE_ARRAY drive (STRING);
  OPTIONAL BYTE_ARRAY drive_model (STRING);
  OPTIONAL BYTE_ARRAY firmware (STRING);
  OPTIONAL BYTE_ARRAY serial (STRING);
  OPTIONAL INT64 capacity_bytes;
  REQUIRED BOOLEAN simulated;
  REQUIRED BYTE_ARRAY format (STRING);
}";

static SCHEMA: LazyLock<TypePtr> =
    LazyLock::new(|| Arc::new(parse_message_type(MESSAGE).expect("the schema above is well formed")));

/// A device of a result, and the drive behind it as it may be shown; none where the result does not say which one it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveEntry {
    /// The name of the device, as the rollup has it.
    pub device: Arc<str>,
    pub drive: Option<Drive>,
}

impl DriveEntry {
    /// What the drive is called in all results of all machines: made from its model and serial number, or from what stands in
    /// its place. One without a serial number is known by its machine and the name of its device.
    fn drive_id(&self, key: &RunKey) -> String {
        let serial = |drive: &Drive| {
            let serial = drive.serial.as_deref().unwrap_or_default().trim().to_owned();
            (!serial.is_empty()).then(|| ("serial", drive.model.trim().to_owned(), serial))
        };
        match self.drive.as_ref().and_then(serial) {
            Some(own) => id('d', &own),
            None => id('d', &("place", key.host.text(), &*self.device)),
        }
    }
}

/// The file of the devices of a result. Equal devices give equal bytes.
pub fn file_of(key: &RunKey, entries: &[DriveEntry]) -> Result<Vec<u8>> {
    let words = [(FORMAT_WORD, DRIVES_FORMAT), (RUN_WORD, key.run.as_str())];
    let drives = || entries.iter().map(|entry| entry.drive.as_ref());
    small_file(&SCHEMA, &words, |out| {
        let ids: Vec<String> = entries.iter().map(|entry| entry.drive_id(key)).collect();
        out.texts(entries.iter().map(|_| Some(key.run.as_str())))?;
        out.texts(entries.iter().map(|_| Some(key.host.text())))?;
        out.texts(entries.iter().map(|entry| Some(&*entry.device)))?;
        out.texts(ids.iter().map(|id| Some(id.as_str())))?;
        out.texts(drives().map(|drive| Some(drive?.model.as_str())))?;
        out.texts(drives().map(|drive| drive?.firmware.as_deref()))?;
        out.texts(drives().map(|drive| drive?.serial.as_deref()))?;
        out.values::<Int64Type>(drives().map(|drive| Some(int(drive?.size_bytes))))?;
        out.values::<BoolType>(drives().map(|drive| Some(drive.is_some_and(|drive| drive.simulated))))?;
        out.texts(entries.iter().map(|_| Some(DRIVES_FORMAT)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_one_name_in_every_machine_and_under_every_name_of_a_device() {
        let key = |host: &str| RunKey { run: String::new(), host: host.parse().expect("a name") };
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
}
