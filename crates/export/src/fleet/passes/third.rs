//! The third time: how the slow I/Os of each drive are spread over intervals of five minutes.

use std::collections::HashMap;

use crate::rollup::{RollupInterval, RollupRow};

use super::first::{FirstPass, SlowLimits};
use super::{Pass, grown};
use crate::fleet::places::RollupPlace;
use crate::fleet::registry::DeviceNumbers;

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
    /// The sum of squares.
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
    /// The share of slow I/Os of each drive.
    shares: Vec<f64>,
    /// By drive.
    pub units: Vec<SlowUnits>,
    date: String,
    /// I/Os and slow ones of the day, by drive and interval.
    day: HashMap<(usize, RollupInterval), (u64, u64)>,
}

impl<'a> ThirdPass<'a> {
    pub fn new(first: &FirstPass, slow_ios: &[u64], limits: &'a SlowLimits) -> ThirdPass<'a> {
        let ios = |place: usize| first.drives.get(place).map_or(0, super::DriveSums::ios);
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
