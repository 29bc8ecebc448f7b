//! What tests in rounds find.

use drivelab_stats::{Distribution, LogBins, PtsSample};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::PtsTest;

/// What tests in rounds found. Rates are in decimal megabytes a second, times in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PtsFindings {
    /// The tests, in the order in which they ran; the last one may have been cut short.
    pub tests: Vec<PtsTestFindings>,
}

/// What one test found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PtsTestFindings {
    /// The test.
    pub test: PtsTest,
    /// Whether its rounds became steady; none where it does not wait for that.
    pub steady: Option<bool>,
    /// Whether it came to its end.
    pub whole: bool,
    /// The cell by whose rate the state is judged, by its place in `cells`; none where each cell is measured by itself.
    pub tracked: Option<usize>,
    /// Its cells.
    pub cells: Vec<PtsCellFindings>,
    /// The service times of the long measurement at its end; none where it has none, or did not come to it.
    pub histogram: Option<PtsHistogram>,
}

/// How often service times of each length were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PtsHistogram {
    /// Where each bin begins, and where the last one ends: an eighth of an octave each.
    pub edges_ns: Vec<u64>,
    /// I/Os in each bin.
    pub counts: Vec<u64>,
}

/// What one load among the others of a test came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PtsCellFindings {
    /// What tells it from the others.
    pub name: String,
    /// Bytes of an I/O.
    pub block_bytes: u64,
    /// Reads of a hundred I/Os.
    pub read_percent: u8,
    /// Whether addresses follow each other.
    pub sequential: bool,
    /// I/Os in flight, for each thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u16,
    /// Seconds of idle time before it.
    pub idle_s: u64,
    /// How many rounds one measurement lasts: more than 1 for the long measurement at the end of a test.
    pub rounds_long: u64,
    /// Every measurement, in the order of time.
    pub samples: Vec<PtsSample>,
    /// Over the rounds that count: the last five where the state is judged, else all. Means of rates and of the mean time, the
    /// median of medians, the worst of higher percentiles and of maxima. None where it was not measured.
    pub result: Option<PtsSample>,
}

impl PtsFindings {
    /// What a test found; none where it did not run.
    pub fn find(&self, test: PtsTest) -> Option<&PtsTestFindings> {
        self.tests.iter().find(|found| found.test == test)
    }
}

impl PtsTestFindings {
    /// The most measurements that one of its cells has.
    pub fn rounds(&self) -> usize {
        self.cells.iter().map(|cell| cell.samples.len()).max().unwrap_or(0)
    }

    /// Random I/O with this share of reads in blocks of 4 KiB, or of the drive's own where these are longer; none where it was
    /// not measured.
    pub fn small(&self, read_percent: u8) -> Option<(u64, PtsSample)> {
        let is_small = |cell: &&PtsCellFindings| {
            cell.read_percent == read_percent && cell.rounds_long == 1 && cell.block_bytes >= 4096
        };
        let small = self.cells.iter().filter(is_small).min_by_key(|cell| cell.block_bytes)?;
        Some((small.block_bytes, small.result?))
    }
}

impl PtsHistogram {
    /// That of these service times.
    pub(super) fn from_service(service: &Distribution) -> PtsHistogram {
        let LogBins { edges, counts } = LogBins::from_histogram(service.histogram());
        PtsHistogram { edges_ns: edges, counts }
    }
}
