//! Completion times, summarised.

use drivelab_stats::{Distribution, Moments};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RequestSpan;

/// A distribution of times, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimesSummary {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation; 0 of a single one.
    pub stddev: f64,
    /// The 99th percentile, within 1 %.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// A mean and its standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation; 0 of a single one.
    pub stddev: f64,
}

/// What of the writes' times was the device's, by the kernel's block events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceTimesFindings {
    /// What is measured of a request; a write is from the issue of its first one to the completion of its last one.
    pub measured: RequestSpan,
    /// The device's times of the writes that were found among its requests, in nanoseconds.
    pub times_ns: Option<TimesSummary>,
    /// The folder of the trace, in that of the run.
    pub folder: String,
    /// The zero of the trace's times on the clock of the run, in nanoseconds.
    pub zero_ns: i64,
    /// The first sector of the target on the device that was recorded: a partition's start.
    pub first_sector: u64,
    /// Events that the kernel had no room for.
    pub lost_events: u64,
    /// Requests that belong to no write of the stream.
    pub unmatched: u64,
}

impl TimesSummary {
    /// The summary of a distribution; none of an empty one.
    pub(super) fn from_times(times: &Distribution) -> Option<TimesSummary> {
        let moments = times.moments();
        Some(TimesSummary {
            count: moments.count(),
            mean: moments.mean()?,
            stddev: moments.stddev().unwrap_or(0.0),
            p99: times.quantile(0.99)?,
            max: moments.max()?,
        })
    }
}

impl Spread {
    /// The spread of some values; none where there is no value.
    pub(super) fn from_moments(moments: &Moments) -> Option<Spread> {
        Some(Spread {
            count: moments.count(),
            mean: moments.mean()?,
            stddev: moments.stddev().unwrap_or(0.0),
        })
    }
}
