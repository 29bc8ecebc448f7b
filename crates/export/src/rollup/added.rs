//! A rollup in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use drivelab_block::Op;

use crate::rollup::sums::BucketSums;
use crate::rollup::{RollupInterval, RollupSums};

/// One row of a rollup. Rows are ordered by their fields, from the first to `bucket`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollupRow {
    /// When the I/Os were submitted, or in a trace issued to the device.
    pub interval: RollupInterval,
    /// The name of the device: the model of a drive, or the name that a trace has for it.
    pub device: Arc<str>,
    /// Whether the figures of the result speak of the I/Os. Those that prepare a drive or read back what was written are none
    /// of these; those of a trace always are.
    pub is_measured: bool,
    /// What was asked for.
    pub op: Op,
    /// The bucket of the service times, by [`drivelab_stats::bucket_of`]; none of I/Os that failed or whose service time is
    /// not known.
    pub bucket: Option<u16>,
    /// How many I/Os, their bytes and times.
    pub sums: RollupSums,
}

/// What the sums of a rollup are of, but for the bucket.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RollupGroup {
    interval: RollupInterval,
    device: Arc<str>,
    is_measured: bool,
    op: Op,
}

/// Sums of I/Os by interval, device, operation and bucket of the service time. It takes up to 240 KB of memory for each
/// interval, device and operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rollup {
    groups: BTreeMap<RollupGroup, BucketSums>,
}

impl Rollup {
    /// Adds what a row says, or what an I/O adds to it ([`IoOutcome::counted`](super::IoOutcome::counted)).
    pub fn add(&mut self, row: RollupRow) {
        let RollupRow { interval, device, is_measured, op, bucket, sums } = row;
        let group = RollupGroup { interval, device, is_measured, op };
        self.groups.entry(group).or_default().add(bucket, &sums);
    }

    /// Takes out everything before an interval.
    #[must_use]
    pub fn take_before(&mut self, interval: RollupInterval) -> Rollup {
        // The least group of the interval: no name comes before the empty one.
        let first = RollupGroup { interval, device: Arc::from(""), is_measured: false, op: Op::Read };
        let rest = self.groups.split_off(&first);
        Rollup { groups: std::mem::replace(&mut self.groups, rest) }
    }

    /// The rows that hold something, in their order.
    pub fn rows(&self) -> impl Iterator<Item = RollupRow> {
        self.groups.iter().flat_map(|(group, buckets)| {
            buckets.occupied().map(|(bucket, sums)| RollupRow {
                interval: group.interval,
                device: Arc::clone(&group.device),
                is_measured: group.is_measured,
                op: group.op,
                bucket,
                sums: *sums,
            })
        })
    }
}
