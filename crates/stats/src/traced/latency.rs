//! A latency, and the shares of it that are told first.

use crate::{Distribution, Moments};

/// Up to where an I/O counts as quick, and from where as long, in nanoseconds: the headline buckets.
const QUICK: u64 = 1_000_000;
const LONG: u64 = 100_000_000;

/// How many values were quick, and how many long.
#[derive(Clone, Copy, Debug, Default)]
struct Buckets {
    quick: u64,
    long: u64,
}

impl Buckets {
    fn add(&mut self, nanos: u64) {
        self.quick += u64::from(nanos < QUICK);
        self.long += u64::from(nanos > LONG);
    }

    fn shares(self, all: u64) -> Option<Shares> {
        let share = |count: u64| count as f64 / all as f64;
        (all > 0).then(|| Shares {
            under_1ms: share(self.quick),
            from_1_to_100ms: share(all - self.quick - self.long),
            over_100ms: share(self.long),
        })
    }
}

/// The shares of the headline buckets; together they are 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Of values below 1 ms.
    pub under_1ms: f64,
    /// Of values from 1 to 100 ms, both included.
    pub from_1_to_100ms: f64,
    /// Of values above 100 ms.
    pub over_100ms: f64,
}

/// A latency with its distribution.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    /// How it is distributed.
    pub distribution: Distribution,
    buckets: Buckets,
}

impl Latency {
    pub(super) fn add(&mut self, nanos: u64) {
        self.distribution.add(nanos);
        self.buckets.add(nanos);
    }

    pub(super) fn merge(&mut self, other: &Latency) {
        self.distribution.merge(&other.distribution);
        self.buckets.quick += other.buckets.quick;
        self.buckets.long += other.buckets.long;
    }

    /// Without the distribution.
    pub(super) fn brief(&self) -> BriefLatency {
        BriefLatency { moments: *self.distribution.moments(), buckets: self.buckets }
    }

    /// The shares of the headline buckets, exact; `None` without a value.
    pub fn shares(&self) -> Option<Shares> {
        self.buckets.shares(self.distribution.moments().count())
    }
}

/// A latency without its distribution: little enough for thousands of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct BriefLatency {
    /// Count, mean, deviation, least and greatest: all exact.
    pub moments: Moments,
    buckets: Buckets,
}

impl BriefLatency {
    pub(super) fn add(&mut self, nanos: u64) {
        self.moments.add(nanos);
        self.buckets.add(nanos);
    }

    /// The shares of the headline buckets, exact; `None` without a value.
    pub fn shares(&self) -> Option<Shares> {
        self.buckets.shares(self.moments.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_millisecond_is_not_quick_and_a_hundred_are_not_long() {
        let (mut latency, mut brief) = (Latency::default(), BriefLatency::default());
        assert_eq!((latency.shares(), brief.shares()), (None, None));
        for nanos in [0, 999_999, 1_000_000, 100_000_000, 100_000_001, 5, 7, 9] {
            latency.add(nanos);
            brief.add(nanos);
        }
        let expected = Shares { under_1ms: 5.0 / 8.0, from_1_to_100ms: 2.0 / 8.0, over_100ms: 1.0 / 8.0 };
        assert_eq!((latency.shares(), brief.shares()), (Some(expected), Some(expected)));
        assert_eq!(latency.brief().shares(), Some(expected));
    }
}
