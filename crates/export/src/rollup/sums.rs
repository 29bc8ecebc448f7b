//! What is added up: the sums of I/Os, what one of them adds, and sums by bucket.

use drivelab_block::{ByteCount, Nanos};
use drivelab_stats::bucket_of;

/// The most that a column of a rollup holds: Parquet's 64 bits have a sign, and not every engine reads others.
const MAX: u64 = i64::MAX as u64;

/// Counts and sums of some I/Os. Each of them stays at 2^63 - 1 where it would be more, which is 292 years of service times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RollupSums {
    /// I/Os that succeeded.
    pub ios: u64,
    /// I/Os that failed, or transferred fewer bytes than were asked for. Their bytes and times are in no sum.
    pub failed_ios: u64,
    /// Bytes of those that succeeded.
    pub bytes: u64,
    /// The service times of those that succeeded, in nanoseconds; 0 where they are not known.
    pub service_ns: u64,
}

impl RollupSums {
    /// Adds other sums. The order in which sums are added up makes no difference.
    pub fn add(&mut self, other: &RollupSums) {
        let sum = |one: u64, other: u64| one.saturating_add(other).min(MAX);
        self.ios = sum(self.ios, other.ios);
        self.failed_ios = sum(self.failed_ios, other.failed_ios);
        self.bytes = sum(self.bytes, other.bytes);
        self.service_ns = sum(self.service_ns, other.service_ns);
    }

    /// Whether no I/O was added.
    pub const fn is_empty(&self) -> bool {
        self.ios == 0 && self.failed_ios == 0
    }
}

/// How an I/O ended, as far as a rollup counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoOutcome {
    /// It succeeded after this service time.
    Served(Nanos),
    /// It succeeded, and its service time is not known or is not the drive's: the program stood still meanwhile.
    ServedWithoutTime,
    /// It failed, or transferred fewer bytes than were asked for.
    Failed,
}

impl IoOutcome {
    /// What an I/O of so many bytes adds, and to which bucket.
    #[inline]
    pub fn counted(self, bytes: ByteCount) -> (Option<u16>, RollupSums) {
        let served = RollupSums { ios: 1, bytes: bytes.get(), ..RollupSums::default() };
        match self {
            IoOutcome::Served(service) => {
                (Some(bucket_of(service.get())), RollupSums { service_ns: service.get(), ..served })
            }
            IoOutcome::ServedWithoutTime => (None, served),
            IoOutcome::Failed => (None, RollupSums { failed_ios: 1, ..RollupSums::default() }),
        }
    }
}

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

    /// The buckets that hold something, in rising order; I/Os without a service time come first.
    pub fn occupied(&self) -> impl Iterator<Item = (Option<u16>, &RollupSums)> {
        let numbers = std::iter::once(None).chain((0..=u16::MAX).map(Some));
        numbers.zip(&self.0).filter(|(_, sums)| !sums.is_empty())
    }
}
