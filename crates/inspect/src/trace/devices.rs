//! What each device of a trace did.

use drivelab_analysis::DeviceOp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TraceReport, TraceSpan};

/// A device of a trace, with what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceDeviceFindings {
    /// Its name, as the source has it.
    pub name: String,
    /// What its durations span.
    pub measured: TraceSpan,
    /// Reads.
    pub read: DeviceOpFindings,
    /// Writes.
    pub write: DeviceOpFindings,
}

/// One direction on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceOpFindings {
    /// Requests.
    pub requests: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// Service times; none where none is known.
    pub service_ns: Option<ServiceSummary>,
}

/// One latency in nanoseconds, without percentiles; all exact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceSummary {
    /// How many values.
    pub count: u64,
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation; none for a single value.
    pub stddev: Option<f64>,
    /// The greatest value.
    pub max: u64,
    /// The share below 1 ms.
    pub under_1ms: f64,
    /// The share from 1 to 100 ms.
    pub from_1_to_100ms: f64,
    /// The share above 100 ms.
    pub over_100ms: f64,
}

impl TraceDeviceFindings {
    /// All devices of a trace, those without a request included.
    pub(super) fn all(report: &TraceReport<'_>) -> Vec<TraceDeviceFindings> {
        let found = report.analysis.devices();
        let found = |place: usize| found.get(place).copied().unwrap_or_default();
        let devices = report.devices.iter().enumerate().map(|(place, device)| TraceDeviceFindings {
            name: device.name.clone(),
            measured: device.measured,
            read: DeviceOpFindings::of(&found(place).reads),
            write: DeviceOpFindings::of(&found(place).writes),
        });
        devices.collect()
    }

    /// Reads and writes.
    pub fn requests(&self) -> u64 {
        self.read.requests + self.write.requests
    }
}

impl DeviceOpFindings {
    fn of(op: &DeviceOp) -> DeviceOpFindings {
        DeviceOpFindings { requests: op.requests, bytes: op.bytes, service_ns: summary(op) }
    }
}

fn summary(op: &DeviceOp) -> Option<ServiceSummary> {
    let (moments, shares) = (op.service.moments, op.service.shares()?);
    Some(ServiceSummary {
        count: moments.count(),
        mean: moments.mean()?,
        stddev: moments.stddev(),
        max: moments.max()?,
        under_1ms: shares.under_1ms,
        from_1_to_100ms: shares.from_1_to_100ms,
        over_100ms: shares.over_100ms,
    })
}
