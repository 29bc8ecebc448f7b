//! What a test at offered loads is asked.

use drivelab_block::ByteCount;
use drivelab_record::Condition;
use drivelab_view::format::nanos;
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

impl OfferedLoadSettings {
    /// The settings as the conditions of a run have them.
    pub(super) fn conditions(&self) -> Vec<Condition> {
        let line = |name: &str, value: String| Condition::new("Workload", name, value);
        let precondition = if self.fill { "fill" } else { "none" };
        let loads: Vec<String> = self.loads.iter().map(LoadOption::to_string).collect();
        let mut lines = vec![
            line("I/Os", format!("{}, {} bytes each", self.operation, self.block_size_bytes)),
            line("Peak", format!("closed loop, {} in flight", self.queue_depth)),
            line(
                "Loads",
                format!("{} (per cent: of the peak), exponential gaps (Poisson)", loads.join("; ")),
            ),
            line(
                "Duration",
                format!("{} s for the peak and for each load", self.cell_duration_ns as f64 / 1e9),
            ),
            line("Range", self.range.to_string()),
            line("Precondition", precondition.to_owned()),
        ];
        lines.extend(self.limit_ns.map(|limit| line("Limit of p99", nanos(limit as f64))));
        lines
    }

    pub(super) fn block_size(&self) -> ByteCount {
        ByteCount::new(self.block_size_bytes)
    }
}
