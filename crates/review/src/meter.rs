//! The meter of a review.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the power is measured during the tests of a review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewMeter {
    /// The meter, as `--meter` has it.
    pub name: String,
    /// The voltage of an ammeter; null of other meters.
    pub volts: Option<f64>,
    /// The idle time before and after each test, in nanoseconds.
    pub baseline_ns: u64,
    /// The capacity of a battery in watt-hours, whose life is shown; null where none was given.
    pub battery_wh: Option<f64>,
}
