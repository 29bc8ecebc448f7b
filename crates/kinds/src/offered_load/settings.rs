//! What a test at offered loads is asked.

use std::fmt;

use drivelab_view::format::{percent, plain_digits, rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RangeOption;
use crate::load::Operation;

/// What a test at offered loads is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// A load that is asked for: a share of the peak of the drive, or I/Os a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadOption {
    /// In per cent of the peak.
    Percent(f64),
    /// I/Os a second.
    Iops(f64),
}

impl LoadOption {
    /// I/Os a second, where the peak has this many.
    pub(super) fn iops(self, peak_iops: f64) -> f64 {
        match self {
            LoadOption::Percent(percent) => peak_iops * percent / 100.0,
            LoadOption::Iops(iops) => iops,
        }
    }

    /// In per cent of the peak, which has this many I/Os a second.
    pub(super) fn percent(self, peak_iops: f64) -> f64 {
        match self {
            LoadOption::Percent(percent) => percent,
            LoadOption::Iops(iops) => 100.0 * iops / peak_iops,
        }
    }
}

impl fmt::Display for LoadOption {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadOption::Percent(percent) => out.write_str(&share(*percent)),
            LoadOption::Iops(iops) => write!(out, "{} IOPS", rate(*iops)),
        }
    }
}

/// A share of the peak, given in per cent: as it was typed where it has one decimal at most, else as tables show it.
pub(super) fn share(of_peak: f64) -> String {
    if (of_peak * 10.0).fract() == 0.0 {
        format!("{} %", plain_digits(of_peak))
    } else {
        percent(of_peak / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_shown_as_it_was_typed_and_a_computed_one_as_in_tables() {
        assert_eq!(
            [10.0, 12.5, 120.0, 2.433_6, 33.333].map(share),
            ["10 %", "12.5 %", "120 %", "2.4 %", "33 %"]
        );
    }
}
