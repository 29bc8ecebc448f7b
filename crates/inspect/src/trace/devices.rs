//! What each device of a trace did, what its durations span, and its name as readers are shown it.

use std::borrow::Cow;

use drivelab_block::worded_enum;
use drivelab_stats::waiting::{IoWork, PartyTally, Waits};
use drivelab_stats::{DeviceOp, TraceAnalysis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A device of a trace, with what it did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The same with what it did as the device of this number.
    pub(super) fn with_figures(
        self,
        place: usize,
        analysis: &TraceAnalysis,
        waits: Option<&Waits<'_>>,
    ) -> TraceDeviceFindings {
        let found = analysis.devices().get(place).copied().unwrap_or_default();
        let waits_of = |works: [IoWork; 2]| {
            let is_own = |one: &&PartyTally| {
                usize::from(one.party.device.0) == place && works.contains(&one.party.work)
            };
            waits.map(|waits| DeviceWaits::from_waits(waits.waiters.iter().filter(is_own)))
        };
        let reads = waits_of([IoWork::SequentialReads, IoWork::ScatteredReads]);
        let writes = waits_of([IoWork::SequentialWrites, IoWork::ScatteredWrites]);
        TraceDeviceFindings {
            read: findings_of(&found.reads, reads),
            write: findings_of(&found.writes, writes),
            ..self
        }
    }

    /// Reads and writes.
    pub fn requests(&self) -> u64 {
        self.read.requests + self.write.requests
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

fn findings_of(op: &DeviceOp, waits: Option<DeviceWaits>) -> DeviceOpFindings {
    let moments = op.service.moments;
    let summary = || {
        let shares = op.service.shares()?;
        Some(ServiceSummary {
            count: moments.count(),
            mean: moments.mean()?,
            stddev: moments.stddev(),
            max: moments.max()?,
            under_1ms: shares.under_1ms,
            from_1_to_100ms: shares.from_1_to_100ms,
            over_100ms: shares.over_100ms,
        })
    };
    DeviceOpFindings { requests: op.requests, bytes: op.bytes, service_ns: summary(), waits }
}

worded_enum! {
    /// What the durations of a trace span.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum TraceSpan {
        /// From the issue to the device to its completion: the device's own time.
        #[serde(rename = "D2C")]
        IssueToComplete = "D2C",
        /// From when the I/O was asked for to its completion: waiting above the device is part of it.
        #[serde(rename = "Q2C")]
        QueueToComplete = "Q2C",
        /// The source knows no durations.
        #[default]
        #[serde(rename = "nothing")]
        Nothing = "nothing",
        /// The devices differ.
        #[serde(rename = "mixed")]
        Mixed = "mixed",
    }
}

/// A name that is only the kernel's number of a device (major and minor, such as `8:0`) is said to be that of a device; others
/// are shown as the source has them.
pub(super) fn in_words(name: &str) -> Cow<'_, str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.split_once(':') {
        Some((major, minor)) if is_number(major) && is_number(minor) => Cow::Owned(format!("device {name}")),
        _ => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_alone_is_said_to_be_a_device() {
        assert_eq!(in_words("8:0"), "device 8:0");
        for name in ["sda", "hm:0", "8:", "nvme0n1", ""] {
            assert_eq!(in_words(name), name);
        }
    }
}
