//! From which service time on an I/O is slow.

use drivelab_block::Op;

use super::first::FirstPass;
use super::{OPS, place_of};
use crate::fleet::bucket_counts::BucketCounts;
use crate::fleet::registry::DeviceNumbers;

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
