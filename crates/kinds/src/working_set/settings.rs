//! What a test of working sets is asked.

use serde::{Deserialize, Serialize};

use crate::RangeOption;

/// What a test of working sets is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkingSetSettings {
    /// The part of the drive of which growing parts are read.
    pub range: RangeOption,
    /// Bytes of a read.
    pub block_size_bytes: u64,
    /// Reads in flight.
    pub queue_depth: u32,
    /// How long each part is read, after half as long to warm up.
    pub cell_duration_ns: u64,
    /// Whether the range is written first.
    pub fill: bool,
    /// How long the drive is read at most until it is warm, before it is measured; absent where that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_warm_ns: Option<u64>,
}
