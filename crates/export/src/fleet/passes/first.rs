//! The first time: all counts, and the percentiles that say which I/Os are slow.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::rollup::{RollupInterval, RollupRow};
use drivelab_block::Op;

use super::run_sums::{RunDevices, RunName, RunSums};
use super::{OPS, Pass, grown, place_of};
use crate::fleet::bucket_counts::BucketCounts;
use crate::fleet::machines::Machines;
use crate::fleet::registry::DeviceNumbers;
use crate::fleet::source::RollupPlace;

/// Measured I/Os of one operation of a model and firmware.
#[derive(Debug, Default)]
pub struct VersionSums {
    pub drives: HashSet<usize>,
    pub machines: Machines<Arc<str>, usize>,
    pub ios: u64,
    pub failed_ios: u64,
    pub bytes: u64,
    pub times: BucketCounts,
}

/// Measured I/Os of a drive.
#[derive(Debug, Default)]
pub struct DriveSums {
    pub of_op: [OpSums; OPS],
    /// The last five minutes in which there are reads.
    pub last_read: Option<RollupInterval>,
}

/// Those of one operation whose service time is known.
#[derive(Debug, Default)]
pub struct OpSums {
    pub ios: u64,
    /// A drive that answers many I/Os at the same time has more than a second of it in each second.
    pub service_ns: u128,
    /// The first of its machines in the order of names.
    pub host: Option<Arc<str>>,
}

impl DriveSums {
    pub fn ios(&self) -> u64 {
        self.of_op.iter().fold(0, |ios, sums| ios.saturating_add(sums.ios))
    }

    /// The first of its machines in the order of names.
    pub fn host(&self) -> Option<&Arc<str>> {
        self.of_op.iter().filter_map(|sums| sums.host.as_ref()).min()
    }
}

#[derive(Debug, Default)]
pub struct FirstPass {
    /// By model and firmware, then operation.
    pub versions: Vec<[VersionSums; OPS]>,
    /// By peers, then operation.
    pub peers: Vec<[BucketCounts; OPS]>,
    pub drives: Vec<DriveSums>,
    pub runs: BTreeMap<RunName, RunDevices>,
    /// Devices by host and run that the table of drives does not know.
    pub unknown: BTreeSet<(String, String, Arc<str>)>,
    host: Arc<str>,
    run: RunSums,
}

impl FirstPass {
    /// All files were read.
    pub fn end(&mut self) {
        let ended = std::mem::take(&mut self.run);
        if let Some((of, devices)) = ended.finish() {
            self.runs.insert(of, devices);
        }
    }

    fn add(&mut self, row: &RollupRow, device: DeviceNumbers) {
        let op = place_of(row.op);
        let version = &mut grown(&mut self.versions, device.version)[op];
        version.drives.insert(device.drive);
        version.machines.add(Arc::clone(&self.host), device.machine);
        version.ios = version.ios.saturating_add(row.sums.ios);
        version.failed_ios = version.failed_ios.saturating_add(row.sums.failed_ios);
        version.bytes = version.bytes.saturating_add(row.sums.bytes);
        let Some(bucket) = row.bucket else { return };
        version.times.add(bucket, row.sums.ios);
        grown(&mut self.peers, device.peers)[op].add(bucket, row.sums.ios);
        let drive = grown(&mut self.drives, device.drive);
        let sums = &mut drive.of_op[op];
        sums.ios = sums.ios.saturating_add(row.sums.ios);
        sums.service_ns += u128::from(row.sums.service_ns);
        if sums.host.as_ref().is_none_or(|host| self.host < *host) {
            sums.host = Some(Arc::clone(&self.host));
        }
        if row.op == Op::Read {
            drive.last_read = drive.last_read.max(Some(row.interval));
        }
    }
}

impl Pass for FirstPass {
    fn begin(&mut self, place: &RollupPlace) {
        if *self.host != *place.host {
            self.host = Arc::from(place.host.as_str());
        }
        if !self.run.is_of(place) {
            self.end();
            self.run = RunSums::new(place);
        }
    }

    fn take(&mut self, row: &RollupRow, device: Option<DeviceNumbers>) {
        self.run.add(row);
        match device {
            Some(device) if row.is_measured => self.add(row, device),
            Some(_) => {}
            None => {
                if let Some((host, run)) = &self.run.of {
                    self.unknown.insert((host.clone(), run.clone(), Arc::clone(&row.device)));
                }
            }
        }
    }
}

/// Which I/Os of each peers and operation are slow: those in a bucket above this one, which holds the 99.9th percentile.
#[derive(Clone, Debug)]
pub struct SlowLimits(Vec<[Option<u16>; OPS]>);

impl SlowLimits {
    pub fn from_first_pass(first: &FirstPass) -> SlowLimits {
        let limits = |counts: &[BucketCounts; OPS]| [0, 1, 2, 3].map(|op| counts[op].bucket_at(999));
        SlowLimits(first.peers.iter().map(limits).collect())
    }

    pub fn is_slow(&self, device: DeviceNumbers, op: Op, bucket: u16) -> bool {
        let limit = self.0.get(device.peers).and_then(|limits| limits[place_of(op)]);
        limit.is_some_and(|limit| bucket > limit)
    }
}
