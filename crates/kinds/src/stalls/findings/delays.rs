//! The delays, one by one.

use drivelab_stats::{Delay, DeviceTimes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most delays that are kept one by one; all of them are counted.
pub const DELAYS_MAX: usize = 10_000;

/// A delay: a write that took far longer than the others, or several that waited at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelayFound {
    /// When it was submitted, from the start of the stream.
    pub at_ns: u64,
    /// How long its longest write took, in nanoseconds.
    pub duration_ns: u64,
    /// What of it was the device's time; none where that was not recorded.
    pub device_ns: Option<u64>,
    /// Writes that waited for it: more than one where several are in flight.
    pub writes: u64,
    /// The first logical block of the longest write.
    pub lba: u64,
    /// Bytes that were written before its last write.
    pub bytes_before: u64,
    /// Bytes written from the end of the delay before to the end of this one; the first has none.
    pub bytes_since_previous: Option<u64>,
}

impl DelayFound {
    /// When it was submitted, in seconds from the start of the stream.
    pub fn at_s(&self) -> f64 {
        self.at_ns as f64 / 1e9
    }

    /// A delay of a stream in blocks of so many bytes, on a drive with logical blocks of so many.
    pub(super) fn from_delay(delay: &Delay, block_bytes: u64, logical_block_bytes: u32) -> DelayFound {
        DelayFound {
            at_ns: delay.at,
            duration_ns: delay.duration,
            device_ns: None,
            writes: delay.writes,
            lba: delay.sector / u64::from(logical_block_bytes / 512).max(1),
            bytes_before: delay.write as u64 * block_bytes,
            bytes_since_previous: delay.bytes_since_previous,
        }
    }

    /// The delay with the device's time of its longest write.
    pub(super) fn take_device(&mut self, delay: &Delay, times: &DeviceTimes) {
        self.device_ns = times.of_write(delay.longest);
    }
}
