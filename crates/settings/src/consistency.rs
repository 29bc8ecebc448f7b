//! The settings of a consistency run.

use drivelab_block::{ByteCount, Nanos};
use serde::{Deserialize, Serialize};

use crate::{AskedRange, Operation, SettingValue, ShareOf};

/// What a consistency run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsistencySettings {
    /// The share of the range that is left unwritten, in per cent.
    pub over_provisioning_percent: f64,
    /// The part of the drive that this is a share of.
    pub range: AskedRange,
    /// Bytes of a random write.
    pub block_size_bytes: u64,
    /// Writes in flight.
    pub queue_depth: u32,
    /// How long the random writes last.
    pub duration_ns: u64,
    /// The windows by which steady state is judged, in whole seconds.
    pub window_s: u64,
    /// Whether the drive is purged before.
    pub purge: bool,
    /// Whether the range is filled before.
    pub fill: bool,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
}

impl ConsistencySettings {
    /// What the over-provisioning is a share of.
    pub fn share_of(&self) -> ShareOf {
        if self.range == AskedRange::WHOLE { ShareOf::Drive } else { ShareOf::Range }
    }

    pub(crate) fn values(&self) -> Vec<SettingValue> {
        let ConsistencySettings {
            over_provisioning_percent,
            range,
            block_size_bytes,
            queue_depth,
            duration_ns,
            window_s,
            purge,
            fill,
            compressibility_percent,
        } = self;
        vec![
            SettingValue::Operation(Operation::Randwrite),
            SettingValue::BlockSize(ByteCount::new(*block_size_bytes)),
            SettingValue::QueueDepth(*queue_depth),
            SettingValue::Range(*range),
            SettingValue::OverProvisioning(*over_provisioning_percent),
            SettingValue::Duration(Some(Nanos::new(*duration_ns))),
            SettingValue::Window(Nanos::from_secs(*window_s)),
            SettingValue::Purge(*purge),
            SettingValue::Fill(*fill),
            SettingValue::Compressibility(*compressibility_percent),
        ]
    }
}
