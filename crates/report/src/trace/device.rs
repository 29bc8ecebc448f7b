//! What each device of a trace did.

use drivelab_analysis::DeviceOp;
use serde::{Deserialize, Serialize};

use super::TraceReport;

/// A device of a trace, with what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceDocument {
    /// Its name, as the source has it.
    pub name: String,
    /// What its durations span: `D2C`, `Q2C` or `nothing`.
    pub measured: String,
    /// Reads.
    pub read: DeviceOpDocument,
    /// Writes.
    pub write: DeviceOpDocument,
}

/// One direction on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceOpDocument {
    /// Requests.
    pub requests: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// Service times; none where none is known.
    pub service_ns: Option<BriefLatencyDocument>,
}

/// One latency in nanoseconds, without percentiles; all exact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BriefLatencyDocument {
    /// How many values.
    pub count: u64,
    /// The mean.
    pub mean: f64,
    /// The sample deviation; none for a single value.
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

/// All devices of a trace, those that nothing was asked of included.
pub fn documents(report: &TraceReport<'_>) -> Vec<DeviceDocument> {
    let found = report.analysis.devices();
    let found = |place: usize| found.get(place).copied().unwrap_or_default();
    let devices = report.devices.iter().enumerate().map(|(place, device)| DeviceDocument {
        name: device.name.clone(),
        measured: device.measured.clone(),
        read: direction(&found(place).reads),
        write: direction(&found(place).writes),
    });
    devices.collect()
}

fn direction(op: &DeviceOp) -> DeviceOpDocument {
    DeviceOpDocument { requests: op.requests, bytes: op.bytes, service_ns: latency(op) }
}

fn latency(op: &DeviceOp) -> Option<BriefLatencyDocument> {
    let (moments, shares) = (op.service.moments, op.service.shares()?);
    Some(BriefLatencyDocument {
        count: moments.count(),
        mean: moments.mean()?,
        stddev: moments.stddev(),
        max: moments.max()?,
        under_1ms: shares.under_1ms,
        from_1_to_100ms: shares.from_1_to_100ms,
        over_100ms: shares.over_100ms,
    })
}
