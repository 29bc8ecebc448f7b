//! What was found of drives' lives, and what they report of their own health.

use drivelab_block::{ByteCount, DrivePlace, WhichDrive};
use drivelab_documents::{Notice, Started, WriteCounter, WriteCounters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// How a drive is, by what it reports itself; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Nothing speaks against it now.
    Well,
    /// Something does, and it may go on for long.
    Doubtful,
    /// Many of its sectors were replaced, or cannot be read.
    Damaged,
    /// It reports that it fails, or is about to.
    Failing,
}

/// What a drive reports of its own health.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveHealth {
    /// Whether it passes its own check; null where it does not say.
    pub passed: Option<bool>,
    /// How it is.
    pub state: HealthState,
    /// What speaks against it, the worst first.
    pub findings: Vec<DriveHealthFinding>,
}

/// One thing that speaks against a drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveHealthFinding {
    /// What it is.
    pub kind: DriveHealthKind,
    /// How the drive is by it alone.
    pub state: HealthState,
    /// How many sectors, errors, or per cent; null where nothing is counted.
    pub count: Option<u64>,
    /// A sentence without its final stop.
    pub words: String,
}

/// What can speak against a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriveHealthKind {
    /// Its own check fails.
    OwnCheckFails,
    /// An attribute has reached the threshold of failure.
    AttributeFails,
    /// An attribute is past the threshold of wear.
    AttributeWorn,
    /// An NVMe drive warns.
    CriticalWarning,
    /// Its rated endurance is used up.
    EnduranceUsed,
    /// Sectors were replaced by spare ones.
    ReallocatedSectors,
    /// Sectors cannot be read, and wait to be replaced.
    PendingSectors,
    /// Sectors could not be read when the drive looked.
    UncorrectableSectors,
    /// The drive has counted errors of its media.
    MediaErrors,
    /// An attribute was at or below its threshold at some time.
    AttributeWasLow,
    /// Its log of errors has entries.
    ErrorsLogged,
    /// Its log of self-tests has failures.
    SelfTestsFailed,
}

impl DriveHealth {
    /// Whether the drive fails, or is damaged.
    pub fn is_bad(&self) -> bool {
        self.state >= HealthState::Damaged
    }

    /// What makes the drive what it is, in words; empty where it is well.
    pub(super) fn reasons(&self) -> Vec<&str> {
        let worst = self.findings.iter().filter(|one| one.state == self.state);
        worst.filter(|_| self.state > HealthState::Well).map(|one| one.words.as_str()).collect()
    }

    /// What else the drive reports, in words.
    pub(super) fn lesser(&self) -> Vec<&str> {
        let lesser =
            self.findings.iter().filter(|one| one.state < self.state || one.state == HealthState::Well);
        lesser.map(|one| one.words.as_str()).collect()
    }
}
