//! What a matrix finds.

use drivelab_block::Work;
use drivelab_stats::{CellComparison, IntervalEnds, LeaderFindings, MatrixCell, RunLatency};
use drivelab_view::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MeanOverRuns;

/// What a matrix found. Units last: `_ns` nanoseconds, `_bytes` bytes. Rates are in the unit of their cell, and cells are named
/// by their places in `cells`, from 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixFindings {
    /// Measurements that were planned, controls included.
    pub planned: u64,
    /// Measurements that were made.
    pub measured: u64,
    /// The image or the simulated drive that it is on, so that it goes on with no other one; absent for a drive, which the run
    /// itself names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_on: Option<String>,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOutCell>,
    /// Measurements that failed.
    pub failed: Vec<FailedCell>,
    /// The control at the end of each block of runs against its begin; null where no block has both.
    pub control: Option<ControlFindings>,
    /// The runs of the control, before and after each block of runs; none of a run that an earlier version kept.
    #[serde(default)]
    pub controls: Vec<CellRun>,
    /// Every cell that was measured.
    pub cells: Vec<CellFindings>,
    /// Cells that differ in one thing, against each other.
    pub comparisons: Vec<CellComparison>,
    /// The fastest of each group of cells that differ in one thing; threads are no contest.
    pub leaders: Vec<LeaderFindings>,
}

/// Something that was asked for and left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOutCell {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A measurement that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedCell {
    /// Of which cell.
    pub cell: MatrixCell,
    /// In which block of runs, from 0.
    pub run: u16,
    /// Why.
    pub why: String,
}

/// What the control says of the time between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControlFindings {
    /// The cell.
    pub cell: MatrixCell,
    /// Blocks of runs that have both.
    pub blocks: u64,
    /// Its rate after a block over its rate before.
    pub ratio: f64,
    /// The 95 % confidence interval of that; null below three blocks.
    pub interval: Option<IntervalEnds>,
    /// Whether a drift is more than chance (p below 0.05); null below three blocks.
    pub drifts: Option<bool>,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RateUnit {
    /// Decimal megabytes a second.
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
    /// I/Os a second.
    #[serde(rename = "IOPS")]
    Iops,
    /// Files a second.
    #[serde(rename = "files/s")]
    FilesPerSecond,
}

impl RateUnit {
    /// All of them, in the order in which their tables are shown.
    pub(super) const ALL: [RateUnit; 3] =
        [RateUnit::MegabytesPerSecond, RateUnit::Iops, RateUnit::FilesPerSecond];

    /// The unit of a kind of work: of bytes in order, of single blocks anywhere, or of small files.
    pub(super) fn from_work(work: Work) -> RateUnit {
        match () {
            () if work.is_metadata() => RateUnit::FilesPerSecond,
            () if work.is_random() => RateUnit::Iops,
            () => RateUnit::MegabytesPerSecond,
        }
    }

    /// What such rates measure, and what they are multiplied by to be in its base unit.
    pub(super) fn quantity(self) -> (Quantity, f64) {
        match self {
            RateUnit::MegabytesPerSecond => (Quantity::BytesPerSecond, 1e6),
            RateUnit::Iops => (Quantity::Iops, 1.0),
            RateUnit::FilesPerSecond => (Quantity::FilesPerSecond, 1.0),
        }
    }
}

/// One cell over its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellFindings {
    /// Which.
    pub cell: MatrixCell,
    /// What its rates are in.
    pub unit: RateUnit,
    /// The rate.
    pub rate: MeanOverRuns,
    /// How long an operation took; null where none ended.
    pub latency_ns: Option<CellLatency>,
    /// The runs.
    pub runs: Vec<CellRun>,
}

/// The latencies of one cell over its runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellLatency {
    /// The mean latency of each run, over runs.
    pub mean: MeanOverRuns,
    /// The mean over runs of the median latency.
    pub p50: f64,
    /// The mean over runs of the 99th percentile.
    pub p99: f64,
}

/// One run of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellRun {
    /// The block of runs, from 0.
    pub run: u16,
    /// When in the random order, from 0.
    pub place: u64,
    /// Which start of the program measured it: absent for the first one, and one more with each that went on.
    #[serde(default, skip_serializing_if = "drivelab_stats::is_zero")]
    pub start: u64,
    /// The rate.
    pub rate: f64,
    /// Reads, writes, rewrites or files.
    pub operations: u64,
    /// Bytes that these moved.
    pub bytes: u64,
    /// From the common start to the end of the last thread.
    pub elapsed_ns: u64,
    /// How long operations took; null where none ended.
    pub latency_ns: Option<RunLatency>,
}
