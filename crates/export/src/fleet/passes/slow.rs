//! The second time: how many I/Os are slow, and reads before and after a moment of each drive. The third time: how the slow I/Os
//! of each drive are spread over intervals of five minutes.

use std::collections::HashMap;

use crate::rollup::{RollupInterval, RollupRow};
use drivelab_block::Op;

use super::first::{DriveSums, FirstPass, SlowLimits};
use super::{OPS, Pass, grown, place_of};
use crate::fleet::bucket_counts::BucketCounts;
use crate::fleet::registry::DeviceNumbers;
use crate::fleet::source::RollupPlace;

/// How long the last time of a drive is that is compared with the time before, in milliseconds: 7 days.
const LATE_MILLIS: i64 = 7 * 86_400 * 1_000;
const MILLIS_PER_HOUR: i64 = 3_600 * 1_000;
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

#[derive(Debug)]
pub struct SecondPass<'a> {
    first: &'a FirstPass,
    limits: &'a SlowLimits,
    pub slow_ios: Vec<u64>,
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

/// Parts of which the squares are summed: whole numbers, and these parts of them. The order of such sums does not matter.
const PARTS: f64 = 1e6;

/// The intervals of a drive as units of a ratio estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlowUnits {
    pub intervals: u64,
    /// The sum of (s - r * n)^2, where an interval has s slow ones of n I/Os and r is the drive's share of slow I/Os.
    whole: i64,
    /// What is left of each square, in millionths.
    parts: i64,
}

impl SlowUnits {
    pub fn squares(&self) -> f64 {
        self.whole as f64 + self.parts as f64 / PARTS
    }

    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
    fn add(&mut self, square: f64) {
        self.intervals += 1;
        self.whole = self.whole.saturating_add(square.floor() as i64);
        self.parts = self.parts.saturating_add(((square - square.floor()) * PARTS).floor() as i64);
    }
}

/// What the third reading gives. Rollups come by their dates, so that only the intervals of a day are in memory.
#[derive(Debug)]
pub struct ThirdPass<'a> {
    limits: &'a SlowLimits,
    shares: Vec<f64>,
    pub units: Vec<SlowUnits>,
    date: String,
    /// I/Os and slow ones of the day, by drive and interval.
    day: HashMap<(usize, RollupInterval), (u64, u64)>,
}

impl<'a> ThirdPass<'a> {
    pub fn new(first: &FirstPass, slow_ios: &[u64], limits: &'a SlowLimits) -> ThirdPass<'a> {
        let ios = |place: usize| first.drives.get(place).map_or(0, DriveSums::ios);
        let shares = slow_ios.iter().enumerate().map(|(place, slow)| *slow as f64 / ios(place) as f64);
        ThirdPass {
            limits,
            shares: shares.collect(),
            units: Vec::new(),
            date: String::new(),
            day: HashMap::new(),
        }
    }

    /// The intervals of a day are all there.
    pub fn end_day(&mut self) {
        for ((drive, _), (ios, slow)) in self.day.drain() {
            let share = self.shares.get(drive).copied().unwrap_or(0.0);
            let distance = slow as f64 - share * ios as f64;
            grown(&mut self.units, drive).add(distance * distance);
        }
    }
}

impl Pass for ThirdPass<'_> {
    fn begin(&mut self, place: &RollupPlace) {
        if self.date != place.date {
            self.end_day();
            self.date.clone_from(&place.date);
        }
    }

    fn take(&mut self, row: &RollupRow, device: Option<DeviceNumbers>) {
        let (Some(device), Some(bucket), true) = (device, row.bucket, row.is_measured) else { return };
        let (ios, slow) = self.day.entry((device.drive, row.interval)).or_default();
        *ios = ios.saturating_add(row.sums.ios);
        if self.limits.is_slow(device, row.op, bucket) {
            *slow = slow.saturating_add(row.sums.ios);
        }
    }
}
