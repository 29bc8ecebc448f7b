//! What a consistency test is asked.

use crate::AskedRange;
use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_workload::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ConsistencyPlan;

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
    /// Whether the drive is purged before.
    pub purge: bool,
    /// Whether the range is filled before.
    pub fill: bool,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
}

impl ConsistencySettings {
    /// The test on a drive of this geometry, which is not yet checked.
    pub(super) fn plan(&self, geometry: Geometry, seed: Seed) -> ConsistencyPlan {
        ConsistencyPlan {
            over_provisioning_percent: self.over_provisioning_percent,
            range: self.range.on(&geometry),
            block_size: ByteCount::new(self.block_size_bytes),
            queue_depth: self.queue_depth,
            duration: Nanos::new(self.duration_ns),
            purge: self.purge,
            fill: self.fill,
            geometry,
            seed,
        }
    }

    /// The over-provisioning in words, such as "25 % over-provisioning".
    pub(super) fn over_provisioning(&self) -> String {
        let of = if self.range.is_whole() { "" } else { " of the range" };
        format!("{} % over-provisioning{of}", self.over_provisioning_percent)
    }
}
