//! What a test at offered loads is asked.

use drivelab_block::ByteCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AskedRange;
use crate::load::Operation;

/// What a test at offered loads is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfferedLoadSettings {
    /// What is done.
    pub operation: Operation,
    /// The part of the drive.
    pub range: AskedRange,
    /// Bytes of an I/O.
    pub block_size_bytes: u64,
    /// I/Os in flight while the peak is measured.
    pub queue_depth: u32,
    /// The loads, in per cent of the peak.
    pub loads_percent: Vec<f64>,
    /// How long the peak and each load last.
    pub cell_duration_ns: u64,
    /// The p99 of the response time that is looked for; null where none is.
    pub limit_ns: Option<u64>,
    /// Whether the range is written first.
    pub fill: bool,
}

impl OfferedLoadSettings {
    pub(super) fn block_size(&self) -> ByteCount {
        ByteCount::new(self.block_size_bytes)
    }
}
