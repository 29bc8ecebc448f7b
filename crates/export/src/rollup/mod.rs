//! The rollup of records: how many I/Os there were, how many bytes they had and how long they took, by five minutes of clock
//! time in UTC, device, operation and bucket of the service time.
//!
//! A rollup holds no addresses, processes, file names or serial numbers. Rollups of any hosts and hours are added up by
//! adding their counts: percentiles of the sum are exact to a bucket of [`drivelab_stats::bucket_of`], whose width is at
//! most 1/128 of its value. The service time is the time from the submission of a request (in a trace: from its issue to the
//! device) to its completion; the wait in the schedule of an open loop or above the device is not part of it.
//!
//! This module knows no files, runs or traces: it writes Parquet to anything that takes bytes.

mod added;
mod format;
mod interval;
mod packed;
mod read;
mod recent;
mod sums;

pub use added::{Rollup, RollupRow};
pub(crate) use format::FORMAT_WORD;
pub use format::{FileLife, IOS_WORD, ROLLUP_FORMAT, RollupWriter};
pub use interval::{INTERVAL_SECONDS, RollupInterval};
pub use packed::{PackedInterval, PackedRow};
pub use read::{rollup_format_of, visit_rollup};
pub use recent::RecentSums;
pub use sums::{IoOutcome, RollupSums};
