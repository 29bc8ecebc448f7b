//! The answers, with the names that the queries in `sql/` give to their columns.

use drivelab_block::worded_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found in a destination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FleetFindings {
    /// Machines of which there are rollups or rows of the catalogue; several of one name by what tells them apart.
    pub hosts: u64,
    /// Runs, traces and boots in the catalogue.
    pub results: u64,
    /// Drives in the table of drives.
    pub drives: u64,
    /// Drives whose mean service time was compared with that of at least four others of their model.
    pub compared_with_peers: u64,
    /// Drives whose reads of the last 7 days were compared with those before.
    pub compared_in_time: u64,
    /// How long I/Os take on each model, firmware and operation.
    pub percentiles_by_model: Vec<PercentileRow>,
    /// The 100 drives with the largest shares of slow I/Os.
    pub slowest_drives: Vec<SlowestRow>,
    /// I/Os and slow ones by the hour of the day.
    pub hours_of_day: Vec<HourRow>,
    /// Drives that got slower.
    pub slower_drives: Vec<SlowerRow>,
    /// What drives wrote to their flash, by model and firmware.
    pub write_amplification: Vec<AmplificationRow>,
    /// Drives unlike the others of their model.
    pub outside_peers: Vec<PeerRow>,
    /// Every result, a row for each of its drives.
    pub reviews: Vec<ReviewRow>,
    /// What is in no answer or not in all of them, a sentence each.
    pub left_out: Vec<String>,
    /// What has to be known of machines and of runs that were exported more than once, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
}

worded_enum! {
    /// What was asked of a drive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Operation {
        /// Read.
        Read = "read",
        /// Write.
        Write = "write",
        /// Discard.
        Discard = "discard",
        /// Flush.
        Flush = "flush",
    }
}

impl Operation {
    /// What several of them are called.
    pub const fn plural(self) -> &'static str {
        match self {
            Operation::Read => "reads",
            Operation::Write => "writes",
            Operation::Discard => "discards",
            Operation::Flush => "flushes",
        }
    }
}

/// How long I/Os of one operation take on drives of one model and firmware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PercentileRow {
    /// Null where results do not name it.
    pub drive_model: Option<String>,
    /// Null where results do not name it.
    pub firmware: Option<String>,
    /// The operation.
    pub operation: Operation,
    /// How many drives there are.
    pub drives: u64,
    /// How many machines there are.
    pub hosts: u64,
    /// Measured I/Os that succeeded.
    pub ios: u64,
    /// Those that failed.
    pub failed_ios: u64,
    /// The bytes of those that succeeded.
    pub bytes: u64,
    /// The least value of the bucket of the median, in microseconds; null where no service time is known.
    pub p50_us: Option<f64>,
    /// The same of the 99th percentile.
    pub p99_us: Option<f64>,
    /// The same of the 99.9th percentile.
    pub p999_us: Option<f64>,
}

/// How many I/Os of a drive are slow: above the bucket of the 99.9th percentile of its model and operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowestRow {
    /// The drive, as the table of drives calls it.
    pub drive: String,
    /// Null where results do not name it.
    pub drive_model: Option<String>,
    /// The machine that has it; of several the first one in the order of names.
    pub host: String,
    /// Intervals of five minutes with I/Os.
    pub intervals: u64,
    /// Measured I/Os whose service time is known.
    pub ios: u64,
    /// The slow ones of these.
    pub slow_ios: u64,
    /// Slow ones in a million, rounded to thousandths.
    pub slow_ppm: f64,
    /// The standard error of `slow_ppm`, with the intervals as units; null of fewer than 30 intervals.
    pub standard_error_ppm: Option<f64>,
    /// The bound above which the true value is in 95 of 100 cases; null of fewer than 30 intervals.
    pub lower_bound_ppm: Option<f64>,
}

/// I/Os of an hour of the day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HourRow {
    /// The operation.
    pub operation: Operation,
    /// The hour of the day in UTC, from 0 to 23.
    pub hour_utc: u64,
    /// Measured I/Os whose service time is known.
    pub ios: u64,
    /// The slow ones of these, as in `slowest_drives`.
    pub slow_ios: u64,
    /// Slow ones in a million, rounded to thousandths.
    pub slow_ppm: f64,
    /// The least value of the bucket of the 99th percentile, in microseconds.
    pub p99_us: f64,
}

/// A drive whose reads take longer than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowerRow {
    /// The drive, as the table of drives calls it.
    pub drive: String,
    /// Null where results do not name it.
    pub drive_model: Option<String>,
    /// The machine that has it; of several the first one in the order of names.
    pub host: String,
    /// Measured reads before the last 7 days of its data.
    pub reads_before: u64,
    /// Measured reads in the last 7 days of its data.
    pub reads_last_7_days: u64,
    /// The least value of the bucket of the 99th percentile before, in microseconds.
    pub p99_before_us: f64,
    /// The same in the last 7 days.
    pub p99_last_7_days_us: f64,
    /// The later p99 by the earlier one, rounded down to thousandths.
    pub ratio: f64,
}

/// What drives of one model and firmware wrote to their flash, by their own counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmplificationRow {
    /// Null where results do not name it.
    pub drive_model: Option<String>,
    /// Null where results do not name it.
    pub firmware: Option<String>,
    /// Runs of which the counters are known.
    pub runs: u64,
    /// How many machines they are of.
    pub hosts: u64,
    /// Bytes that the hosts wrote.
    pub host_bytes_written: u64,
    /// Bytes that the drives wrote to their flash.
    pub flash_bytes_written: u64,
    /// Flash writes / host writes, rounded to thousandths.
    pub write_amplification: f64,
    /// That of the run with the least one.
    pub least: f64,
    /// That of the run with the most.
    pub most: f64,
}

/// A drive whose mean service time lies outside of those of its model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeerRow {
    /// The drive, as the table of drives calls it.
    pub drive: String,
    /// Its model.
    pub drive_model: String,
    /// The machine that has it; of several the first one in the order of names.
    pub host: String,
    /// The operation.
    pub operation: Operation,
    /// How many drives of the model were compared, this one among them.
    pub peers: u64,
    /// Its measured I/Os of the operation whose service time is known.
    pub ios: u64,
    /// Their mean service time, rounded down to nanoseconds.
    pub mean_us: f64,
    /// The median of the means of all drives of the model.
    pub median_us: f64,
    /// The median absolute deviation of these means.
    pub mad_us: f64,
    /// By how many robust standard deviations it differs, rounded to hundredths; null where the deviation is 0.
    pub deviations: Option<f64>,
}

/// A result, and one of its drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRow {
    /// The ID of the run.
    pub run: String,
    /// The machine.
    pub host: String,
    /// The drive, as the table of drives calls it; null where the result does not name it.
    pub drive: Option<String>,
    /// Null where the result does not name it.
    pub drive_model: Option<String>,
    /// Null where the result does not name it.
    pub firmware: Option<String>,
    /// The kind of test, `trace` or `boot`.
    pub kind: String,
    /// Null of a trace.
    pub label: Option<String>,
    /// When it began, in ISO 8601 with the offset from UTC.
    pub started: String,
    /// Measured reads and writes; null where there are none.
    pub ios: Option<u64>,
    /// Their bytes.
    pub bytes: Option<u64>,
    /// Reads and writes a second, rounded to tenths; null where it is not known.
    pub iops: Option<f64>,
    /// Megabytes (1,000,000 bytes) a second, rounded to tenths.
    pub mb_s: Option<f64>,
    /// The least value of the bucket of the 99th percentile of reads, in microseconds.
    pub read_p99_us: Option<f64>,
    /// The same of writes.
    pub write_p99_us: Option<f64>,
    /// Flash writes / host writes of the whole run, rounded to thousandths; null where counters were not read.
    pub write_amplification: Option<f64>,
}
