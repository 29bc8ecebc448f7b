//! The sums of one interval, device and operation.

use crate::rollup::RollupSums;

/// Sums by the bucket of the service time, those of I/Os without one first.
#[derive(Clone, Debug, Default)]
pub struct BucketSums(Vec<RollupSums>);

/// Buckets after the last that holds something make no difference.
impl PartialEq for BucketSums {
    fn eq(&self, other: &BucketSums) -> bool {
        self.occupied().eq(other.occupied())
    }
}

impl Eq for BucketSums {}

impl BucketSums {
    /// Adds to the sums of a bucket, or to those of I/Os without a service time.
    pub fn add(&mut self, bucket: Option<u16>, sums: &RollupSums) {
        let place = bucket.map_or(0, |bucket| usize::from(bucket) + 1);
        if place >= self.0.len() {
            self.0.resize(place + 1, RollupSums::default());
        }
        self.0[place].add(sums);
    }

    /// Adds the sums of others.
    pub fn merge(&mut self, other: &BucketSums) {
        other.occupied().for_each(|(bucket, sums)| self.add(bucket, sums));
    }

    /// The buckets that hold something, in rising order; I/Os without a service time come first.
    pub fn occupied(&self) -> impl Iterator<Item = (Option<u16>, &RollupSums)> {
        let numbers = std::iter::once(None).chain((0..=u16::MAX).map(Some));
        numbers.zip(&self.0).filter(|(_, sums)| !sums.is_empty())
    }
}
