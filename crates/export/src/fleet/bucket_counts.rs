//! Counts of I/Os by the bucket of their service time.

use drivelab_stats::bucket_range;

/// Counts by bucket, from the first one that holds something to the last: some kilobytes where a drive is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketCounts {
    first: usize,
    counts: Vec<u64>,
    pub ios: u64,
}

impl BucketCounts {
    /// Counts I/Os of a bucket. Counts end at the largest number: a file of another program may claim any.
    pub fn add(&mut self, bucket: u16, ios: u64) {
        let bucket = usize::from(bucket);
        if self.counts.is_empty() {
            self.first = bucket;
        } else if bucket < self.first {
            let missing = self.first - bucket;
            self.counts.splice(..0, std::iter::repeat_n(0, missing));
            self.first = bucket;
        }
        let place = bucket - self.first;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] = self.counts[place].saturating_add(ios);
        self.ios = self.ios.saturating_add(ios);
    }

    /// The bucket of the I/O of rank ceil(`share` * n), where `share` is parts of a thousand; none where there is no I/O.
    pub fn bucket_at(&self, thousandths: u64) -> Option<u16> {
        let wanted = u128::from(self.ios) * u128::from(thousandths);
        let mut reached = 0_u128;
        let place = self.counts.iter().position(|ios| {
            reached += u128::from(*ios);
            reached > 0 && reached * 1000 >= wanted
        })?;
        u16::try_from(self.first + place).ok()
    }

    /// The least value of that bucket in nanoseconds.
    pub fn nanos_at(&self, thousandths: u64) -> Option<u64> {
        self.bucket_at(thousandths).map(|bucket| bucket_range(bucket).0)
    }

    pub fn micros_at(&self, thousandths: u64) -> Option<f64> {
        self.nanos_at(thousandths).map(|nanos| nanos as f64 / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_sorted_buckets_in_whatever_order_they_come() {
        let buckets = [900_u16, 3, 7_000, 3, 450, 900, 900];
        let mut counts = BucketCounts::default();
        buckets.iter().for_each(|bucket| counts.add(*bucket, 1));
        let mut sorted = buckets;
        sorted.sort_unstable();
        for thousandths in 1..=1000_u64 {
            let rank = (thousandths * 7).div_ceil(1000);
            let expected = sorted[usize::try_from(rank).expect("up to 7") - 1];
            assert_eq!(counts.bucket_at(thousandths), Some(expected), "{thousandths}");
        }
        assert_eq!((counts.ios, BucketCounts::default().bucket_at(500)), (7, None));
    }
}
