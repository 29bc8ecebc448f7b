//! The rates and percentiles of one run.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::rollup::{INTERVAL_SECONDS, RollupInterval, RollupRow};
use drivelab_block::Op;

use crate::fleet::bucket_counts::BucketCounts;
use crate::fleet::source::RollupPlace;

/// Host and ID of a run.
pub type RunName = (String, String);
pub type RunDevices = Vec<(Arc<str>, RunDevice)>;

/// Reads and writes of a device of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunDevice {
    /// None where no reads or writes were measured.
    pub measured: Option<MeasuredRun>,
    /// Whether there are reads or writes that were not measured.
    pub has_others: bool,
    pub read_p99_us: Option<f64>,
    pub write_p99_us: Option<f64>,
}

/// Reads and writes that were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeasuredRun {
    pub ios: u64,
    pub bytes: u64,
    /// Those in the intervals that hold no others, between the first and the last one with measured I/Os.
    pub inner_ios: u64,
    pub inner_bytes: u64,
    /// How long these intervals are.
    pub inner_seconds: u64,
}

/// A run of which files are being read.
#[derive(Debug, Default)]
pub struct RunSums {
    pub of: Option<RunName>,
    devices: Vec<(Arc<str>, DeviceSums)>,
}

#[derive(Debug, Default)]
struct DeviceSums {
    intervals: BTreeMap<RollupInterval, IntervalSums>,
    reads: BucketCounts,
    writes: BucketCounts,
}

#[derive(Clone, Copy, Debug, Default)]
struct IntervalSums {
    ios: u64,
    bytes: u64,
    others: u64,
    has_measured: bool,
}

impl RunSums {
    pub fn new(place: &RollupPlace) -> RunSums {
        RunSums { of: Some((place.host.clone(), place.run.clone())), devices: Vec::new() }
    }

    pub fn is_of(&self, place: &RollupPlace) -> bool {
        self.of.as_ref().is_some_and(|(host, run)| (host, run) == (&place.host, &place.run))
    }

    pub fn add(&mut self, row: &RollupRow) {
        if !matches!(row.op, Op::Read | Op::Write) {
            return;
        }
        let known = self.devices.iter().position(|(name, _)| *name == row.device);
        let place = known.unwrap_or_else(|| {
            self.devices.push((Arc::clone(&row.device), DeviceSums::default()));
            self.devices.len() - 1
        });
        self.devices[place].1.add(row);
    }

    pub fn finish(self) -> Option<(RunName, RunDevices)> {
        let devices = self.devices.into_iter().map(|(name, sums)| (name, sums.finish()));
        Some((self.of?, devices.collect()))
    }
}

impl DeviceSums {
    fn add(&mut self, row: &RollupRow) {
        let interval = self.intervals.entry(row.interval).or_default();
        if !row.is_measured {
            interval.others =
                interval.others.saturating_add(row.sums.ios).saturating_add(row.sums.failed_ios);
            return;
        }
        interval.has_measured = true;
        interval.ios = interval.ios.saturating_add(row.sums.ios);
        interval.bytes = interval.bytes.saturating_add(row.sums.bytes);
        if let Some(bucket) = row.bucket {
            let counts = if row.op == Op::Read { &mut self.reads } else { &mut self.writes };
            counts.add(bucket, row.sums.ios);
        }
    }

    fn finish(self) -> RunDevice {
        let measured = || self.intervals.iter().filter(|(_, sums)| sums.has_measured);
        let ends = measured().next().zip(measured().next_back());
        let measured = ends.map(|((first, _), (last, _))| self.measured(*first, *last));
        RunDevice {
            measured,
            has_others: self.intervals.values().any(|sums| sums.others > 0),
            read_p99_us: self.reads.micros_at(990),
            write_p99_us: self.writes.micros_at(990),
        }
    }

    fn measured(&self, first: RollupInterval, last: RollupInterval) -> MeasuredRun {
        let mut run = MeasuredRun::default();
        for (start, sums) in &self.intervals {
            run.ios = run.ios.saturating_add(sums.ios);
            run.bytes = run.bytes.saturating_add(sums.bytes);
            if sums.others == 0 && *start > first && *start < last {
                run.inner_ios = run.inner_ios.saturating_add(sums.ios);
                run.inner_bytes = run.inner_bytes.saturating_add(sums.bytes);
                run.inner_seconds += INTERVAL_SECONDS;
            }
        }
        run
    }
}
