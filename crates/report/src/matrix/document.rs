//! The document `drivelab.matrix/1`.

use drivelab_analysis::{
    Comparison, Leaders, MatrixCell, MatrixRun, MatrixSummary, MeanInterval, PairedRatio, Position, Verdict,
    compare, drift, leaders, matrix_cells,
};
use drivelab_block::{Caching, FileSystem};
use serde::{Serialize, Serializer};

use crate::Condition;
use crate::energy::EnergyDocument;

use super::MatrixReport;
use super::words::{name_of, unit_of};

/// The name and version of the document.
pub const MATRIX_SCHEMA: &str = "drivelab.matrix/1";

/// What a matrix comes to. Units last: `_s` seconds, `_ns` nanoseconds, `_bytes` bytes. Rates are in the unit of their cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatrixDocument {
    /// [`MATRIX_SCHEMA`].
    pub schema: &'static str,
    /// What was written to.
    pub target: String,
    /// The seed of orders, addresses and data.
    pub seed: u64,
    /// Runs of each cell that were asked for.
    pub runs_asked: u16,
    /// How long the threads of a cell begin new steps.
    pub cell_s: f64,
    /// The size of each file system; null on a simulated drive.
    pub fs_bytes: Option<u64>,
    /// What the large files of a cell hold together.
    pub bytes: u64,
    /// Bytes of a sequential read or write.
    pub request_bytes: u64,
    /// Small files of a cell; null on a simulated drive.
    pub files: Option<u64>,
    /// Measurements that were planned, controls included.
    pub planned: u64,
    /// Measurements that were made.
    pub measured: u64,
    /// Whether it was ended early.
    pub interrupted: bool,
    /// What was left out.
    pub left_out: Vec<LeftOutOfMatrix>,
    /// Cells that came to nothing.
    pub failed: Vec<FailedCell>,
    /// The control at the end of each block against its begin; null where no block has both.
    pub control: Option<ControlDocument>,
    /// Every cell.
    pub cells: Vec<MatrixCellDocument>,
    /// Cells that differ in one thing, against each other.
    pub comparisons: Vec<ComparisonOfCells>,
    /// Who leads where cells differ in one thing.
    pub winners: Vec<LeaderDocument>,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know.
    pub notices: Vec<String>,
    /// What it took by a meter; absent where none was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
}

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOutOfMatrix {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A cell that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedCell {
    /// Which.
    pub cell: String,
    /// In which block of runs, from 0.
    pub run: u16,
    /// Why.
    pub why: String,
}

/// The ends of a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EndsDocument {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What the control tells of the time between.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlDocument {
    /// The cell.
    pub cell: String,
    /// Blocks that have both.
    pub blocks: u64,
    /// Its rate after a block over its rate before.
    pub ratio: f64,
    /// The interval of that; null below three blocks.
    pub interval: Option<EndsDocument>,
    /// Whether a drift is more than chance (p below 0.05); null below three blocks.
    pub drifts: Option<bool>,
}

/// One cell over its runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatrixCellDocument {
    /// The file system; null on a simulated drive.
    pub fs: Option<&'static str>,
    /// The I/O scheduler; null where it was left as it is.
    pub scheduler: Option<String>,
    /// `buffered` or `direct`; null on a simulated drive.
    pub caching: Option<&'static str>,
    /// Threads.
    pub threads: u16,
    /// The kind of work.
    pub work: &'static str,
    /// What rates are in: `MB/s` (decimal), `IOPS` or `files/s`.
    pub unit: &'static str,
    /// The mean rate over runs.
    pub mean: f64,
    /// Its 95 % interval (Student's t), which ends at zero where it would go below; null below two runs.
    pub interval: Option<EndsDocument>,
    /// The mean over runs of the middle latency; null where no operation ended.
    pub p50_ns: Option<f64>,
    /// The mean over runs of the latency that 1 of 100 exceeded.
    pub p99_ns: Option<f64>,
    /// The runs.
    pub runs: Vec<MatrixRunDocument>,
}

/// One run of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MatrixRunDocument {
    /// The block of runs, from 0.
    pub run: u16,
    /// When in the random order, from 0.
    pub place: u64,
    /// The rate.
    pub rate: f64,
    /// Reads, writes, rewrites or files.
    pub operations: u64,
    /// Bytes that these moved.
    pub bytes: u64,
    /// From the common start to the end of the last thread.
    pub elapsed_ns: u64,
    /// How long operations took; null where none ended.
    pub latency_ns: Option<LatencyOfRun>,
}

/// The latencies of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LatencyOfRun {
    /// The mean.
    pub mean: f64,
    /// Half were at most so long.
    pub p50: u64,
    /// 99 of 100 were at most so long.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// Two cells that differ in one thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonOfCells {
    /// In what: `fs`, `scheduler`, `caching` or `threads`.
    pub axis: &'static str,
    /// What the cells have in common.
    pub at: String,
    /// The first.
    pub first: String,
    /// The second.
    pub second: String,
    /// Blocks of runs that have both.
    pub blocks: u64,
    /// The second's rate over the first's.
    pub ratio: f64,
    /// Its 95 % interval; null below three blocks.
    pub interval: Option<EndsDocument>,
    /// The p-value of Student's paired test on logarithms, whose variance is at least what comparisons alike support; null
    /// below three blocks.
    pub p: Option<f64>,
    /// The same after Holm's adjustment over the whole matrix.
    pub p_holm: Option<f64>,
    /// What is said, in JSON `difference`, `no difference detected` or `too few runs`.
    #[serde(serialize_with = "verdict_words")]
    pub verdict: Verdict,
}

/// Who leads among cells that differ in one thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaderDocument {
    /// In what.
    pub axis: &'static str,
    /// What the cells have in common.
    pub at: String,
    /// The same as a cell.
    #[serde(skip)]
    pub common: MatrixCell,
    /// The one with the highest mean rate.
    pub best: String,
    /// Whether it wins: somebody is slower beyond doubt, nobody is level with it, and all could be compared.
    pub wins: bool,
    /// Those that no difference from it was detected of.
    pub level_with: Vec<String>,
    /// Those that too few blocks have together with it to tell.
    pub untold: Vec<String>,
    /// The fastest that is slower; null where none is.
    pub ahead_of: Option<String>,
    /// The best's rate over that one's.
    pub ratio: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<EndsDocument>,
    /// Where nobody is behind the best: differences among the others.
    pub apart: Vec<ApartDocument>,
}

/// Two that differ, neither of which is the best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApartDocument {
    /// The faster.
    pub faster: String,
    /// The slower.
    pub slower: String,
    /// The faster's rate over the slower's.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: Option<EndsDocument>,
}

impl MatrixDocument {
    /// The document of a matrix.
    pub fn of(report: &MatrixReport) -> MatrixDocument {
        let comparisons = compare(&report.runs);
        let leaders = leaders(&report.runs, &comparisons);
        let left_out = report.left_out.iter().cloned();
        let failed = report.failed.iter().cloned();
        MatrixDocument {
            schema: MATRIX_SCHEMA,
            target: report.target.clone(),
            seed: report.seed,
            runs_asked: report.runs_asked,
            cell_s: report.cell_s,
            fs_bytes: report.fs_bytes,
            bytes: report.bytes,
            request_bytes: report.request_bytes,
            files: report.files,
            planned: report.planned,
            measured: report.runs.len() as u64,
            interrupted: report.interrupted,
            left_out: left_out.map(|(what, why)| LeftOutOfMatrix { what, why }).collect(),
            failed: failed.map(|(cell, run, why)| FailedCell { cell: name_of(&cell), run, why }).collect(),
            control: control(&report.runs),
            cells: matrix_cells(&report.runs).iter().map(|cell| cell_of(cell, &report.runs)).collect(),
            comparisons: comparisons.iter().map(comparison_of).collect(),
            winners: leaders.iter().map(leader_of).collect(),
            conditions: report.conditions.clone(),
            notices: report.notices.clone(),
            energy: report.energy.clone(),
        }
    }
}

fn control(runs: &[MatrixRun]) -> Option<ControlDocument> {
    let control = runs.iter().find(|run| run.position != Position::Within)?;
    let found = drift(runs)?;
    Some(ControlDocument {
        cell: name_of(&control.cell),
        blocks: found.blocks,
        ratio: found.ratio,
        interval: ends(&found),
        drifts: found.p.map(|p| p < 0.05),
    })
}

fn cell_of(summary: &MatrixSummary, runs: &[MatrixRun]) -> MatrixCellDocument {
    let cell = &summary.cell;
    let (unit, scale) = unit_of(cell);
    let own = runs.iter().filter(|run| run.position == Position::Within && run.cell == *cell);
    let mean = |interval: MeanInterval| interval.mean;
    MatrixCellDocument {
        fs: cell.fs.map(FileSystem::word),
        scheduler: cell.scheduler.clone(),
        caching: cell.caching.map(Caching::word),
        threads: cell.threads,
        work: cell.work.word(),
        unit,
        mean: summary.rate.mean / scale,
        interval: summary.rate.half_width.map(|half| EndsDocument {
            low: (summary.rate.mean - half).max(0.0) / scale,
            high: (summary.rate.mean + half) / scale,
        }),
        p50_ns: summary.p50.map(mean),
        p99_ns: summary.p99.map(mean),
        runs: own.map(|run| run_of(run, scale)).collect(),
    }
}

fn run_of(run: &MatrixRun, scale: f64) -> MatrixRunDocument {
    MatrixRunDocument {
        run: run.run,
        place: run.place,
        rate: run.rate() / scale,
        operations: run.operations,
        bytes: run.bytes,
        elapsed_ns: run.elapsed.get(),
        latency_ns: run.latency.map(|latency| LatencyOfRun {
            mean: latency.mean,
            p50: latency.p50,
            p99: latency.p99,
            max: latency.max,
        }),
    }
}

fn comparison_of(comparison: &Comparison) -> ComparisonOfCells {
    let axis = comparison.axis;
    ComparisonOfCells {
        axis: axis.word(),
        at: name_of(&axis.rest(&comparison.first)),
        first: axis.of(&comparison.first),
        second: axis.of(&comparison.second),
        blocks: comparison.ratio.blocks,
        ratio: comparison.ratio.ratio,
        interval: ends(&comparison.ratio),
        p: comparison.ratio.p,
        p_holm: comparison.p_holm,
        verdict: comparison.verdict,
    }
}

fn leader_of(leaders: &Leaders) -> LeaderDocument {
    let axis = leaders.axis;
    let name = |cell: &MatrixCell| axis.of(cell);
    let next = leaders.next.as_ref();
    let common = axis.rest(&leaders.best);
    LeaderDocument {
        axis: axis.word(),
        at: name_of(&common),
        common,
        best: name(&leaders.best),
        wins: leaders.level.is_empty() && leaders.untold.is_empty() && next.is_some(),
        level_with: leaders.level.iter().map(name).collect(),
        untold: leaders.untold.iter().map(name).collect(),
        ahead_of: next.map(|(cell, _)| name(cell)),
        ratio: next.map(|(_, ratio)| ratio.ratio),
        interval: next.and_then(|(_, ratio)| ends(ratio)),
        apart: leaders
            .apart
            .iter()
            .map(|(faster, slower, ratio)| ApartDocument {
                faster: name(faster),
                slower: name(slower),
                ratio: ratio.ratio,
                interval: ends(ratio),
            })
            .collect(),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over so")]
fn verdict_words<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.words())
}

fn ends(ratio: &PairedRatio) -> Option<EndsDocument> {
    ratio.interval.map(|(low, high)| EndsDocument { low, high })
}
