//! Requests of an open loop that were due and never sent.

use std::collections::BTreeMap;

use crate::{bucket_of, bucket_range};

/// How long requests had waited for a slot when their load ended: their response times are at least that.
///
/// Without them an open loop would hide what it is for: the slower the drive, the more of the longest response
/// times belong to requests that were never sent. Waits are kept by the floor of their bucket, within 0.8 %.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsent {
    waits: BTreeMap<u64, u64>,
}

impl Unsent {
    /// Counts a request that had waited so many nanoseconds.
    pub fn add(&mut self, nanos: u64) {
        *self.waits.entry(bucket_range(bucket_of(nanos)).0).or_default() += 1;
    }

    /// Adds those of another worker.
    pub fn merge(&mut self, other: &Unsent) {
        for (nanos, count) in other.waits() {
            *self.waits.entry(nanos).or_default() += count;
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.waits.values().sum()
    }

    /// The waits in rising order: at least so many nanoseconds, and how many requests.
    pub fn waits(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.waits.iter().map(|(nanos, count)| (*nanos, *count))
    }
}

impl FromIterator<(u64, u64)> for Unsent {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(waits: I) -> Unsent {
        Unsent { waits: waits.into_iter().collect() }
    }
}
