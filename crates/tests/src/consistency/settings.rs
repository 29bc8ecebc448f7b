//! What a consistency test is asked.

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_workload::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::ConsistencyPlan;
use crate::{AskedPurge, AskedRange, PlanError};

/// What a consistency test is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    /// How the drive is purged before.
    #[serde(deserialize_with = "purge_or_flag")]
    pub purge: AskedPurge,
    /// Whether the range is filled before.
    pub fill: bool,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
}

impl ConsistencySettings {
    /// The test on a drive of this geometry, which is not yet checked.
    ///
    /// # Errors
    /// Where a purge of the whole drive was asked for with a part of it.
    pub(super) fn plan(&self, geometry: Geometry, seed: Seed) -> Result<ConsistencyPlan, PlanError> {
        Ok(ConsistencyPlan {
            over_provisioning_percent: self.over_provisioning_percent,
            range: self.range.on(&geometry),
            block_size: ByteCount::new(self.block_size_bytes),
            queue_depth: self.queue_depth,
            duration: Nanos::new(self.duration_ns),
            purge: self.purge.of_range(&self.range)?,
            fill: self.fill,
            geometry,
            seed,
        })
    }

    /// The over-provisioning in words, such as "25 % over-provisioning".
    pub(super) fn over_provisioning(&self) -> String {
        let of = if self.range.is_whole() { "" } else { " of the range" };
        format!("{} % over-provisioning{of}", self.over_provisioning_percent)
    }
}

/// The purge of a result: earlier ones only say whether there was one, by a discard.
fn purge_or_flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AskedPurge, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Asked(AskedPurge),
        Flag(bool),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::Asked(asked) => asked,
        Either::Flag(true) => AskedPurge::Discard,
        Either::Flag(false) => AskedPurge::None,
    })
}
