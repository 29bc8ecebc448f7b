//! What a test at offered loads is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LoadOption;
use crate::RangeOption;
use crate::load::Operation;

/// What a test at offered loads is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfferedLoadSettings {
    /// What is done.
    pub operation: Operation,
    /// The part of the drive.
    pub range: RangeOption,
    /// Bytes of an I/O.
    pub block_size_bytes: u64,
    /// I/Os in flight while the peak is measured.
    pub queue_depth: u32,
    /// The loads.
    pub loads: Vec<LoadOption>,
    /// How long the peak and each load last.
    pub cell_duration_ns: u64,
    /// The p99 of the response time that is looked for; null where none is.
    pub limit_ns: Option<u64>,
    /// Whether the range is written first.
    pub fill: bool,
    /// How long the drive is read at most until it is warm, before it is measured; absent where that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_warm_ns: Option<u64>,
}
