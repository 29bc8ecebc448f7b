//! What a fill is asked.

use drivelab_block::{ByteCount, ByteRange, Geometry};
use serde::{Deserialize, Serialize};

use crate::{PurgeOption, RangeOption};

/// What a fill is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillSettings {
    /// The part of the drive.
    pub range: RangeOption,
    /// How much of it is written; null for all of it.
    pub bytes: Option<u64>,
    /// Bytes of an I/O.
    pub block_size_bytes: u64,
    /// I/Os in flight.
    pub queue_depth: u32,
    /// How the drive is purged before.
    pub purge: PurgeOption,
    /// The rests after which recovery is measured; none where it is not.
    pub rests_ns: Vec<u64>,
    /// How far the range is filled before each of them, in per cent.
    pub filled_percent: Vec<f64>,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
    /// How long the drive is read at most until it is warm, before it is measured; absent where that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_warm_ns: Option<u64>,
}

impl FillSettings {
    /// The first byte that is written on a drive of this geometry, and the one past the last, in whole blocks.
    pub(super) fn written(&self, geometry: &Geometry) -> ByteRange {
        let range = self.range.on(geometry);
        let (all, block) = (range.length().get(), self.block_size_bytes.max(1));
        let length = self.bytes.map_or(all, |bytes| bytes.min(all)) / block * block;
        ByteRange::new(range.start, ByteCount::new(range.start.get() + length))
    }
}
