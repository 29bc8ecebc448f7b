//! fio's output, as `--output-format=json` has it.
//!
//! Source: fio's documentation (HOWTO), "Normal output" and "JSON+ output", and its program, version 3.33.

use std::collections::BTreeMap;

use serde::Serialize;

/// The document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FioOutput {
    /// The program that made it, and its version.
    #[serde(rename = "fio version")]
    pub version: String,
    /// When it was made, in seconds of Unix time.
    pub timestamp: u64,
    /// The same in milliseconds.
    pub timestamp_ms: u64,
    /// The jobs; those of one group are one.
    pub jobs: Vec<JobOutput>,
}

/// What a job did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JobOutput {
    /// Its name.
    pub jobname: String,
    /// The number of its group.
    pub groupid: u32,
    /// The error that ended it; 0 where none did.
    pub error: i32,
    /// How long it lasted, in seconds, rounded up.
    pub elapsed: u64,
    /// What was asked, as fio's options.
    #[serde(rename = "job options")]
    pub options: BTreeMap<&'static str, String>,
    /// Reads.
    pub read: DirectionOutput,
    /// Writes.
    pub write: DirectionOutput,
    /// Discards.
    pub trim: DirectionOutput,
    /// How long it lasted, in milliseconds.
    pub job_runtime: u64,
    /// Processor time of the program in user mode, in per cent of the time that the job lasted.
    pub usr_cpu: f64,
    /// The same in the kernel.
    pub sys_cpu: f64,
    /// Shares of all I/Os in per cent by latencies in nanoseconds up to the key, and above the key before it.
    pub latency_ns: BTreeMap<String, f64>,
    /// The same in microseconds.
    pub latency_us: BTreeMap<String, f64>,
    /// The same in milliseconds.
    pub latency_ms: BTreeMap<String, f64>,
    /// The I/Os in flight that were asked for.
    pub latency_depth: u32,
}

/// What the I/Os of one direction did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DirectionOutput {
    /// Bytes.
    pub io_bytes: u64,
    /// The same in KiB.
    pub io_kbytes: u64,
    /// Bytes a second.
    pub bw_bytes: u64,
    /// KiB a second.
    pub bw: u64,
    /// I/Os a second.
    pub iops: f64,
    /// How long they went on, in milliseconds.
    pub runtime: u64,
    /// How many there were.
    pub total_ios: u64,
    /// How many moved less than was asked.
    pub short_ios: u64,
    /// How many were never sent.
    pub drop_ios: u64,
    /// From the begin of a submission to its end; nothing here.
    pub slat_ns: LatencyOutput,
    /// From submission to completion, with percentiles.
    pub clat_ns: LatencyOutput,
    /// From the begin of the submission to completion.
    pub lat_ns: LatencyOutput,
    /// KiB of the slowest second.
    pub bw_min: u64,
    /// Of the fastest.
    pub bw_max: u64,
    /// The share of all bytes, in per cent.
    pub bw_agg: f64,
    /// The mean over seconds.
    pub bw_mean: f64,
    /// Their standard deviation.
    pub bw_dev: f64,
    /// How many seconds these are taken from.
    pub bw_samples: u64,
    /// I/Os of the slowest second.
    pub iops_min: u64,
    /// Of the fastest.
    pub iops_max: u64,
    /// The mean over seconds.
    pub iops_mean: f64,
    /// Their standard deviation.
    pub iops_stddev: f64,
    /// How many seconds these are taken from.
    pub iops_samples: u64,
}

/// Latencies, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LatencyOutput {
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub stddev: f64,
    /// How many they are.
    #[serde(rename = "N")]
    pub count: u64,
    /// Percentiles by their numbers in per cent, such as "99.900000"; absent where there are none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub percentile: BTreeMap<String, u64>,
}
