//! How an I/O ended, and what it adds.

use drivelab_block::{ByteCount, Nanos};
use drivelab_stats::bucket_of;

use crate::rollup::RollupSums;

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

/// What an I/O adds, and to which bucket.
#[inline]
pub fn counted(bytes: ByteCount, outcome: IoOutcome) -> (Option<u16>, RollupSums) {
    let served = RollupSums { ios: 1, bytes: bytes.get(), ..RollupSums::default() };
    match outcome {
        IoOutcome::Served(service) => {
            (Some(bucket_of(service.get())), RollupSums { service_ns: service.get(), ..served })
        }
        IoOutcome::ServedWithoutTime => (None, served),
        IoOutcome::Failed => (None, RollupSums { failed_ios: 1, ..RollupSums::default() }),
    }
}
