//! The document `drivelab.pts/1`.

use drivelab_analysis::{CellSample, Distribution, LogBins};
use serde::Serialize;

use crate::Condition;
use crate::energy::EnergyDocument;

use super::{PtsReport, PtsTestReport};

/// The name and version of the document.
pub const PTS_SCHEMA: &str = "drivelab.pts/1";

/// What tests in rounds come to. `mb_s` are decimal megabytes a second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PtsDocument {
    /// [`PTS_SCHEMA`].
    pub schema: &'static str,
    /// What is claimed: the style, not conformance.
    pub style: &'static str,
    /// What was tested.
    pub target: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// Bytes of the target.
    pub size_bytes: u64,
    /// How long a cell of a round lasted.
    pub round_s: f64,
    /// The tests, in the order in which they ran.
    pub tests: Vec<PtsTestDocument>,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know.
    pub notices: Vec<String>,
    /// What it took by a meter; absent where none was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PtsTestDocument {
    /// Its name.
    pub test: &'static str,
    /// Whether its rounds became steady; none where it does not wait for that.
    pub steady: Option<bool>,
    /// Whether it came to its end.
    pub whole: bool,
    /// The cell by whose rate the state is judged, by its place in `cells`.
    pub tracked: Option<usize>,
    /// Its cells.
    pub cells: Vec<PtsCellDocument>,
    /// The service times of the long look at its end; none where it has none, or was not come to.
    pub histogram: Option<PtsHistogramDocument>,
}

/// How often times of each length were.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PtsHistogramDocument {
    /// Where each bin begins, and where the last one ends, in nanoseconds: an eighth of an octave each.
    pub edges_ns: Vec<u64>,
    /// I/Os in each.
    pub counts: Vec<u64>,
}

/// One load among the others of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PtsCellDocument {
    /// What tells it from the others.
    pub name: String,
    /// Bytes of an I/O.
    pub block_bytes: u64,
    /// Reads of a hundred I/Os.
    pub read_percent: u8,
    /// Whether places follow each other.
    pub sequential: bool,
    /// Requests in flight, for each worker.
    pub queue_depth: u32,
    /// Workers.
    pub workers: u16,
    /// Seconds of idle time before it.
    pub idle_s: u64,
    /// Every measurement, in the order of time.
    pub samples: Vec<PtsSampleDocument>,
    /// Over the rounds that count: the last five where the state is judged, else all. Means of rates and of the mean time, the
    /// median of medians, the worst of higher percentiles and longest times. None where it was not measured.
    pub result: Option<PtsSampleDocument>,
}

/// What a cell came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PtsSampleDocument {
    /// I/Os a second.
    pub iops: f64,
    /// Decimal megabytes a second.
    pub mb_s: f64,
    /// The mean service time, in nanoseconds.
    pub mean_ns: f64,
    /// The median.
    pub p50_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The 99.9th percentile.
    pub p99_9_ns: u64,
    /// The 99.99th percentile.
    pub p99_99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl PtsDocument {
    /// The document of tests.
    pub fn of(report: &PtsReport) -> PtsDocument {
        PtsDocument {
            schema: PTS_SCHEMA,
            style: "PTS-style: conformance is not claimed",
            target: report.target.clone(),
            seed: report.seed,
            size_bytes: report.size_bytes,
            round_s: report.round_s,
            tests: report.tests.iter().map(PtsTestDocument::of).collect(),
            interrupted: report.interrupted,
            conditions: report.conditions.clone(),
            notices: report.notices.clone(),
            energy: report.energy.clone(),
        }
    }
}

fn histogram(service: &Distribution) -> PtsHistogramDocument {
    let LogBins { edges, counts } = LogBins::of(service.histogram());
    PtsHistogramDocument { edges_ns: edges, counts }
}

impl PtsTestDocument {
    fn of(test: &PtsTestReport) -> PtsTestDocument {
        let cells = test.cells.iter().zip(test.table.samples()).enumerate();
        PtsTestDocument {
            test: test.name,
            steady: test.steady,
            whole: test.is_whole,
            tracked: test.table.tracked(),
            histogram: test.long_look.as_ref().map(histogram),
            cells: cells
                .map(|(index, (cell, samples))| PtsCellDocument {
                    name: cell.name.clone(),
                    block_bytes: cell.block_bytes,
                    read_percent: cell.read_percent,
                    sequential: cell.is_sequential,
                    queue_depth: cell.queue_depth,
                    workers: cell.workers,
                    idle_s: cell.idle_s,
                    samples: samples.iter().map(PtsSampleDocument::of).collect(),
                    result: test.table.result(index).as_ref().map(PtsSampleDocument::of),
                })
                .collect(),
        }
    }
}

impl PtsSampleDocument {
    fn of(sample: &CellSample) -> PtsSampleDocument {
        PtsSampleDocument {
            iops: sample.iops,
            mb_s: sample.rate / 1e6,
            mean_ns: sample.mean_ns,
            p50_ns: sample.p50_ns,
            p99_ns: sample.p99_ns,
            p99_9_ns: sample.p99_9_ns,
            p99_99_ns: sample.p99_99_ns,
            max_ns: sample.max_ns,
        }
    }
}
