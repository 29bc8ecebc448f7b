//! What is added up.

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
