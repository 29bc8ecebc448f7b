//! What each device of a trace did.

use drivelab_stats::DeviceOp;
use drivelab_stats::waiting::{PartyTally, Waits, Work};
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
    /// Those that programs waited for, for 100 ms or longer; none where durations are not known.
    pub waits: Option<DeviceWaits>,
}

/// Waits for one direction on one device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceWaits {
    /// How many.
    pub count: u64,
    /// The sum of their service times, in seconds.
    pub waited_s: f64,
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
    pub(super) fn all(report: &TraceReport, waits: Option<&Waits<'_>>) -> Vec<TraceDeviceFindings> {
        let found = report.analysis.devices();
        let found = |place: usize| found.get(place).copied().unwrap_or_default();
        let waits_of = |place: usize, works: [Work; 2]| {
            let is_own = |one: &&PartyTally| {
                usize::from(one.party.device.0) == place && works.contains(&one.party.work)
            };
            waits.map(|waits| DeviceWaits::from_waits(waits.waiters.iter().filter(is_own)))
        };
        let devices = report.devices.iter().enumerate().map(|(place, device)| TraceDeviceFindings {
            name: device.name.clone(),
            measured: device.measured,
            read: DeviceOpFindings::from_op(
                &found(place).reads,
                waits_of(place, [Work::SequentialReads, Work::ScatteredReads]),
            ),
            write: DeviceOpFindings::from_op(
                &found(place).writes,
                waits_of(place, [Work::SequentialWrites, Work::ScatteredWrites]),
            ),
        });
        devices.collect()
    }

    /// Reads and writes.
    pub fn requests(&self) -> u64 {
        self.read.requests + self.write.requests
    }
}

impl DeviceOpFindings {
    fn from_op(op: &DeviceOp, waits: Option<DeviceWaits>) -> DeviceOpFindings {
        DeviceOpFindings { requests: op.requests, bytes: op.bytes, service_ns: summary(op), waits }
    }
}

impl DeviceWaits {
    fn from_waits<'a>(waits: impl Iterator<Item = &'a PartyTally>) -> DeviceWaits {
        waits.fold(DeviceWaits::default(), |sum, one| DeviceWaits {
            count: sum.count + one.tally.ios,
            waited_s: sum.waited_s + one.tally.nanos as f64 / 1e9,
        })
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
