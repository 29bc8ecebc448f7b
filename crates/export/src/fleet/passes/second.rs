//! The second time: how many I/Os are slow, and reads before and after a moment of each drive.

use crate::rollup::{RollupInterval, RollupRow};
use drivelab_block::Op;

use super::first::{FirstPass, SlowLimits};
use super::{OPS, Pass, grown, place_of};
use crate::fleet::bucket_counts::BucketCounts;
use crate::fleet::places::RollupPlace;
use crate::fleet::registry::DeviceNumbers;

/// How long the last time of a drive is that is compared with the time before, in milliseconds: 7 days.
const LATE_MILLIS: i64 = 7 * 86_400 * 1_000;
const MILLIS_PER_HOUR: i64 = 3_600 * 1_000;
/// The hours of a day.
pub const HOURS: usize = 24;

/// The service times of reads of a drive.
#[derive(Debug, Default)]
pub struct ReadTimes {
    pub before: BucketCounts,
    /// Those of its last seven days.
    pub late: BucketCounts,
}

/// I/Os of an hour of the day.
#[derive(Debug, Default)]
pub struct HourSums {
    pub times: BucketCounts,
    pub slow_ios: u64,
}

/// What the second reading gives.
#[derive(Debug)]
pub struct SecondPass<'a> {
    first: &'a FirstPass,
    limits: &'a SlowLimits,
    /// The slow I/Os of each drive.
    pub slow_ios: Vec<u64>,
    /// The reads of each drive.
    pub reads: Vec<ReadTimes>,
    /// By operation, then hour in UTC.
    pub hours: [[HourSums; HOURS]; OPS],
}

impl<'a> SecondPass<'a> {
    pub fn new(first: &'a FirstPass, limits: &'a SlowLimits) -> SecondPass<'a> {
        SecondPass { first, limits, slow_ios: Vec::new(), reads: Vec::new(), hours: Default::default() }
    }

    fn is_late(&self, drive: usize, interval: RollupInterval) -> bool {
        let last = self.first.drives.get(drive).and_then(|sums| sums.last_read);
        last.is_some_and(|last| interval.start_unix_millis() > last.start_unix_millis() - LATE_MILLIS)
    }
}

impl Pass for SecondPass<'_> {
    fn begin(&mut self, _: &RollupPlace) {}

    fn take(&mut self, row: &RollupRow, device: Option<DeviceNumbers>) {
        let (Some(device), Some(bucket), true) = (device, row.bucket, row.is_measured) else { return };
        let ios = row.sums.ios;
        let slow = if self.limits.is_slow(device, row.op, bucket) { ios } else { 0 };
        let slow_ios = grown(&mut self.slow_ios, device.drive);
        *slow_ios = slow_ios.saturating_add(slow);
        let hour = usize::try_from(row.interval.start_unix_millis() / MILLIS_PER_HOUR).unwrap_or(0) % HOURS;
        let sums = &mut self.hours[place_of(row.op)][hour];
        sums.times.add(bucket, ios);
        sums.slow_ios = sums.slow_ios.saturating_add(slow);
        if row.op == Op::Read {
            let is_late = self.is_late(device.drive, row.interval);
            let reads = grown(&mut self.reads, device.drive);
            if is_late { reads.late.add(bucket, ios) } else { reads.before.add(bucket, ios) }
        }
    }
}
