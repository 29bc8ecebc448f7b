//! The document `drivelab.paths/1`.

use drivelab_analysis::{
    MeanInterval, PathCell, PathRun, ProcessorShares, ProcessorTicks, TimeParts, Window, path_cells,
};
use serde::Serialize;

use crate::energy::EnergyDocument;

use super::PathsReport;

/// The name and version of the document.
pub const PATHS_SCHEMA: &str = "drivelab.paths/1";

/// What a comparison of paths comes to. Units last: `_s` seconds, `_ns` nanoseconds, `_bytes` bytes, `mb_s` decimal
/// megabytes a second; shares are between 0 and 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathsDocument {
    /// [`PATHS_SCHEMA`].
    pub schema: &'static str,
    /// What was written to.
    pub target: String,
    /// The seed of the order of cells.
    pub seed: u64,
    /// Runs of each cell that were asked for.
    pub runs_asked: u16,
    /// Requests in flight on the raw paths.
    pub queue_depth: u32,
    /// Bytes of a write.
    pub request_bytes: u64,
    /// The idle time before and after each cell; null on a simulated drive.
    pub idle_s: Option<f64>,
    /// The folder of the files of the file-system paths.
    pub directory: Option<String>,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// Paths that were left out.
    pub left_out: Vec<LeftOutPath>,
    /// Every path with every size.
    pub cells: Vec<PathCellDocument>,
    /// What the reader has to know.
    pub notices: Vec<String>,
    /// What it took by a meter; absent where none was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
}

/// A path that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOutPath {
    /// Which.
    pub path: &'static str,
    /// Why.
    pub why: String,
}

/// One path with files of one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathCellDocument {
    /// The path.
    pub path: &'static str,
    /// The length of a file.
    pub file_bytes: u64,
    /// Files a run.
    pub files: u64,
    /// Bytes of a write: less than the others where the path takes no more at once.
    pub request_bytes: u64,
    /// The rate over runs.
    pub mb_s: IntervalDocument,
    /// The time a file over runs.
    pub file_ns: IntervalDocument,
    /// The machine's processors, all runs together; null on a simulated drive.
    pub cpu: Option<ProcessorsDocument>,
    /// Where the time went, all runs together.
    pub time: PartsDocument,
    /// The runs, in the order in which they were made.
    pub runs: Vec<PathRunDocument>,
}

/// A mean over runs with its 95 % confidence interval (Student's t); the interval is null below two runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IntervalDocument {
    /// Runs.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl IntervalDocument {
    fn of(interval: MeanInterval, unit: f64) -> IntervalDocument {
        let end = |sign: f64| interval.half_width.map(|half| (interval.mean + sign * half) / unit);
        IntervalDocument { n: interval.count, mean: interval.mean / unit, low: end(-1.0), high: end(1.0) }
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> Option<f64> {
        Some((self.high? - self.low?) / 2.0)
    }
}

/// The machine's processors before, during and after the writing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProcessorsDocument {
    /// Idle, before.
    pub before: SharesDocument,
    /// While it was written.
    pub during: SharesDocument,
    /// Idle, after.
    pub after: SharesDocument,
}

/// Shares of the time of all processors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SharesDocument {
    /// In programs.
    pub user: f64,
    /// In the kernel, interrupts included.
    pub system: f64,
    /// Idle while a task waited for I/O.
    pub iowait: f64,
    /// Idle.
    pub idle: f64,
    /// Given to others by a hypervisor.
    pub steal: f64,
}

impl SharesDocument {
    fn of(shares: ProcessorShares) -> SharesDocument {
        let ProcessorShares { user, system, iowait, idle, steal } = shares;
        SharesDocument { user, system, iowait, idle, steal }
    }

    /// The share in programs and in the kernel.
    pub fn busy(&self) -> f64 {
        self.user + self.system
    }
}

/// Where the time went, as shares of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PartsDocument {
    /// Making the data.
    pub preparing: f64,
    /// The program's processor time besides: system calls, copies into the page cache.
    pub processor: f64,
    /// The rest: waiting for the device.
    pub waiting: f64,
    /// The device had nothing to do; null where the kernel does not tell.
    pub device_idle: Option<f64>,
}

/// One run of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PathRunDocument {
    /// The block of runs, from 0.
    pub run: u16,
    /// When in the random order, from 0.
    pub place: usize,
    /// Files that were written.
    pub files: u64,
    /// From the first write to the end of the last.
    pub elapsed_ns: u64,
    /// What of it went into making the data.
    pub preparing_ns: u64,
    /// The program's own time in user mode.
    pub own_user_ns: u64,
    /// The program's own time in the kernel.
    pub own_system_ns: u64,
    /// How long the device had something to do.
    pub device_busy_ns: Option<u64>,
    /// What the processors did before.
    pub before: Option<WindowDocument>,
    /// What they did during the writing.
    pub during: Option<WindowDocument>,
    /// What they did after.
    pub after: Option<WindowDocument>,
}

/// A window of time, and the kernel's ticks in it, of all processors together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WindowDocument {
    /// Its begin, on the kernel's monotonic clock.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Ticks in programs.
    pub user_ticks: u64,
    /// Ticks in the kernel, interrupts included.
    pub system_ticks: u64,
    /// Idle ticks while a task waited for I/O.
    pub iowait_ticks: u64,
    /// Idle ticks.
    pub idle_ticks: u64,
    /// Ticks given to others by a hypervisor.
    pub steal_ticks: u64,
}

impl WindowDocument {
    fn of(window: Window) -> WindowDocument {
        let ProcessorTicks { user, system, iowait, idle, steal } = window.ticks;
        WindowDocument {
            from_s: window.span_s.0,
            to_s: window.span_s.1,
            user_ticks: user,
            system_ticks: system,
            iowait_ticks: iowait,
            idle_ticks: idle,
            steal_ticks: steal,
        }
    }
}

impl PathsDocument {
    /// The document of a comparison.
    pub fn of(report: &PathsReport) -> PathsDocument {
        let left_out = report.left_out.iter();
        PathsDocument {
            schema: PATHS_SCHEMA,
            target: report.target.clone(),
            seed: report.seed,
            runs_asked: report.runs_asked,
            queue_depth: report.queue_depth,
            request_bytes: report.request_bytes,
            idle_s: report.idle_s,
            directory: report.directory.clone(),
            interrupted: report.interrupted,
            left_out: left_out
                .map(|(path, why)| LeftOutPath { path: path.word(), why: why.clone() })
                .collect(),
            cells: path_cells(&report.runs).iter().map(|cell| cell_of(cell, &report.runs)).collect(),
            notices: report.notices.clone(),
            energy: report.energy.clone(),
        }
    }
}

fn cell_of(cell: &PathCell, runs: &[PathRun]) -> PathCellDocument {
    let own = runs.iter().enumerate().filter(|(_, run)| (run.path, run.file) == (cell.path, cell.file));
    let TimeParts { preparing, processor, waiting, device_idle } = cell.parts;
    PathCellDocument {
        path: cell.path.word(),
        file_bytes: cell.file.get(),
        files: cell.files,
        request_bytes: runs
            .iter()
            .find(|run| (run.path, run.file) == (cell.path, cell.file))
            .map_or(0, |run| run.request.get()),
        mb_s: IntervalDocument::of(cell.rate, 1e6),
        file_ns: IntervalDocument::of(cell.file_nanos, 1.0),
        cpu: cell.processors.map(|[before, during, after]| ProcessorsDocument {
            before: SharesDocument::of(before),
            during: SharesDocument::of(during),
            after: SharesDocument::of(after),
        }),
        time: PartsDocument { preparing, processor, waiting, device_idle },
        runs: own.map(|(place, run)| run_of(place, run)).collect(),
    }
}

fn run_of(place: usize, run: &PathRun) -> PathRunDocument {
    PathRunDocument {
        run: run.run,
        place,
        files: run.files,
        elapsed_ns: run.elapsed.get(),
        preparing_ns: run.preparing.get(),
        own_user_ns: run.own_user.get(),
        own_system_ns: run.own_system.get(),
        device_busy_ns: run.busy.map(drivelab_block::Nanos::get),
        before: run.windows.map(|all| WindowDocument::of(all.before)),
        during: run.windows.map(|all| WindowDocument::of(all.during)),
        after: run.windows.map(|all| WindowDocument::of(all.after)),
    }
}
