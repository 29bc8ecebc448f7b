//! What was found of drives' lives.

use drivelab_block::{ByteCount, DrivePlace, WhichDrive};
use drivelab_record::{Notice, Started, WriteCounter, WriteCounters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::health::DriveHealth;
use crate::Inspection;

/// What was ever written to drives, at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifetimeFindings {
    /// When, in seconds since 1970.
    pub taken_unix_s: u64,
    /// The same by the clock of the machine, and its name; null in a document that lacks it.
    #[serde(default)]
    pub started: Option<Started>,
    /// The version of drivelab that looked; null in a document that lacks it.
    #[serde(default)]
    pub version: Option<String>,
    /// Each drive.
    pub drives: Vec<DriveLifetime>,
}

impl Inspection for LifetimeFindings {
    const NAME: &'static str = "lifetime";
    const VERSION: u32 = 2;
}

/// One drive. What is not known is null, and `notices` says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveLifetime {
    /// Its device file.
    pub device: String,
    /// Its model.
    pub model: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Its world-wide name; absent where it has none, or an earlier version looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wwn: Option<String>,
    /// The number of the NVMe namespace, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u32>,
    /// Its name by its path, such as `pci-0000:00:17.0-ata-1`, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its size.
    pub size_bytes: u64,
    /// What it reports of its own health; null where that is not known.
    #[serde(default)]
    pub health: Option<DriveHealth>,
    /// Hours it has been powered.
    pub power_on_hours: Option<u64>,
    /// The share of its rated endurance that is used, as the drive itself reports it, in percent; it may exceed 100.
    pub percentage_used: Option<u32>,
    /// What the host wrote, each counter by itself, the best first.
    pub host: Vec<WriteCounter>,
    /// What was written to its flash.
    pub flash: Vec<WriteCounter>,
    /// Pages programmed for the host.
    pub host_pages: Option<u64>,
    /// Pages programmed by the translation layer for itself.
    pub own_pages: Option<u64>,
    /// The mounted ext4 file systems on it.
    pub ext4: Vec<Ext4Counters>,
    /// The endurance that it is rated for, where the user gave it.
    pub rated: Option<RatedEndurance>,
    /// What happened since an earlier document.
    pub since: Option<LifetimeSince>,
    /// What the reader has to know.
    pub notices: Vec<Notice>,
}

/// What an ext4 file system was ever written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ext4Counters {
    /// Its block device.
    pub device: String,
    /// What identifies it; none where it cannot be read.
    pub uuid: Option<String>,
    /// Since it was made.
    pub lifetime_bytes: Option<u64>,
    /// Since it was mounted.
    pub session_bytes: Option<u64>,
}

/// Rated endurance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatedEndurance {
    /// Bytes that may be written.
    pub bytes: u64,
    /// The share of them that the host wrote; none where that is not known.
    pub used_share: Option<f64>,
}

/// What happened between two moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifetimeSince {
    /// How long it was.
    pub seconds: u64,
    /// What the host wrote.
    pub host_bytes: Option<u64>,
    /// What was written to the flash.
    pub flash_bytes: Option<u64>,
    /// Flash writes / host writes; none where either is not known, or too little was written to tell.
    pub write_amplification: Option<f64>,
    /// The most by which that may be off, by the steps of both counters.
    pub write_amplification_error: Option<f64>,
    /// What was written to its ext4 file systems that were mounted both times.
    pub ext4: Vec<Ext4Since>,
}

/// What was written to an ext4 file system between two moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ext4Since {
    /// Its block device.
    pub device: String,
    /// By its own counter.
    pub bytes: u64,
}

impl DriveLifetime {
    /// Which drive it is, as far as the document says it.
    pub fn which(&self) -> WhichDrive {
        WhichDrive {
            model: self.model.clone(),
            serial: self.serial.clone(),
            wwn: self.wwn.clone(),
            namespace: self.namespace,
            // Counters are those of whole drives.
            partition: Some(0),
            size: Some(self.size_bytes).filter(|size| *size > 0).map(ByteCount::new),
            ..WhichDrive::default()
        }
    }

    /// Where it was connected.
    pub fn place(&self) -> DrivePlace {
        let name = self.device.strip_prefix("/dev/").unwrap_or(&self.device);
        DrivePlace { kernel_name: Some(name.to_owned()), path: self.path.clone() }
    }

    /// What is not to be shown of it where serial numbers are hidden.
    pub fn hidden_names(&self) -> impl Iterator<Item = &str> {
        [&self.serial, &self.wwn, &self.path].into_iter().flatten().map(String::as_str)
    }

    /// Bytes that the host ever wrote, by the best counter.
    pub fn host_bytes(&self) -> Option<u64> {
        self.host.iter().find_map(|counter| counter.bytes)
    }

    /// Its counters.
    pub(super) fn counters(&self) -> WriteCounters {
        WriteCounters {
            host: self.host.clone(),
            flash: self.flash.clone(),
            host_pages: self.host_pages,
            own_pages: self.own_pages,
        }
    }

    /// Notes the endurance that the drive is rated for.
    pub fn rate(&mut self, bytes: u64) {
        let used_share = self.host_bytes().map(|host| host as f64 / bytes.max(1) as f64);
        self.rated = Some(RatedEndurance { bytes, used_share });
    }
}
