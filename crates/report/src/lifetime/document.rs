//! The document `drivelab.lifetime/1`.

use serde::{Deserialize, Serialize};

/// The name and version of the document.
pub const LIFETIME_SCHEMA: &str = "drivelab.lifetime/1";

/// What was ever written to drives, at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LifetimeDocument {
    /// [`LIFETIME_SCHEMA`].
    pub schema: String,
    /// When, in seconds since 1970.
    pub taken_unix_s: u64,
    /// Each drive.
    pub drives: Vec<LifetimeDrive>,
}

/// One drive. What is not known is left out, and `notices` says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LifetimeDrive {
    /// Its device file.
    pub device: String,
    /// Its model.
    pub model: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Its size.
    pub size_bytes: u64,
    /// Hours it has been powered.
    pub power_on_hours: Option<u64>,
    /// The share of its rated endurance that is used, by its own account, in percent; it may exceed 100.
    pub percentage_used: Option<u32>,
    /// What the host wrote, each counter by itself, the best first.
    pub host: Vec<WrittenDocument>,
    /// What was written to its flash.
    pub flash: Vec<WrittenDocument>,
    /// Pages programmed for the host.
    pub host_pages: Option<u64>,
    /// Pages programmed by the translation layer for itself.
    pub own_pages: Option<u64>,
    /// The mounted ext4 file systems on it.
    pub ext4: Vec<Ext4Document>,
    /// The endurance that it is rated for, where the user said so.
    pub rated: Option<RatedDocument>,
    /// What happened since an earlier document.
    pub since: Option<SinceDocument>,
    /// What the reader has to know.
    pub notices: Vec<String>,
}

/// A counter of what was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrittenDocument {
    /// Where it is from.
    pub source: String,
    /// Its raw value.
    pub raw: u64,
    /// Bytes of a step, where that is known.
    pub unit_bytes: Option<u64>,
    /// What it comes to.
    pub bytes: Option<u64>,
}

/// What an ext4 file system was ever written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ext4Document {
    /// Its block device.
    pub device: String,
    /// What tells it from any other; none where nobody says.
    #[serde(default)]
    pub uuid: Option<String>,
    /// Since it was made.
    pub lifetime_bytes: Option<u64>,
    /// Since it was mounted.
    pub session_bytes: Option<u64>,
}

/// Rated endurance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatedDocument {
    /// Bytes that may be written.
    pub bytes: u64,
    /// The share of them that the host wrote; none where that is not known.
    pub used_share: Option<f64>,
}

/// What happened between two moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SinceDocument {
    /// How long it was.
    pub seconds: u64,
    /// What the host wrote.
    pub host_bytes: Option<u64>,
    /// What was written to the flash.
    pub flash_bytes: Option<u64>,
    /// Flash writes / host writes; none where either is not known, or too little was written to tell.
    pub write_amplification: Option<f64>,
    /// How far that may be off by the steps of both counters.
    pub write_amplification_error: Option<f64>,
    /// What was written to its ext4 file systems that were mounted both times.
    #[serde(default)]
    pub ext4: Vec<Ext4SinceDocument>,
}

/// What was written to an ext4 file system between two moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ext4SinceDocument {
    /// Its block device.
    pub device: String,
    /// By its own counter.
    pub bytes: u64,
}

impl LifetimeDrive {
    /// Bytes that the host ever wrote, by the best counter.
    pub fn host_bytes(&self) -> Option<u64> {
        self.host.iter().find_map(|counter| counter.bytes)
    }

    /// Notes the endurance that the drive is rated for.
    pub fn rate(&mut self, bytes: u64) {
        let used_share = self.host_bytes().map(|host| host as f64 / bytes.max(1) as f64);
        self.rated = Some(RatedDocument { bytes, used_share });
    }
}
