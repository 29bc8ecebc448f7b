//! Cells: files of one length by one path, over all their runs, and what the processors of the machine did meanwhile.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DataPath;
use crate::MeanOverRuns;

/// Files of one length, written by one path, over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathCell {
    /// The path.
    pub path: DataPath,
    /// The length of a file.
    pub file_bytes: u64,
    /// Files that each run writes.
    pub files: u64,
    /// Bytes of the longest write: less than other paths have where this one takes no more at once.
    pub request_bytes: u64,
    /// The rate in decimal megabytes a second.
    pub rate_mb_s: MeanOverRuns,
    /// The time that one file takes, in nanoseconds.
    pub file_time_ns: MeanOverRuns,
    /// The machine's processors, all runs together; none on a simulated drive.
    pub processors: Option<ProcessorUse>,
    /// Where the time went, all runs together.
    pub time_shares: TimeShares,
    /// The runs, in the order in which they were made.
    pub runs: Vec<PathRun>,
}

/// Where a cell's time went, as shares of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeShares {
    /// Making the data.
    pub preparing: f64,
    /// The program's other processor time: system calls, copies into the page cache. None where the program had less processor
    /// time than making the data took, because other programs had the processor meanwhile.
    pub processor: Option<f64>,
    /// The rest: the program waits for the device; none where the program's other processor time is not known.
    pub waiting: Option<f64>,
    /// The device has nothing to do; none where the kernel does not report it.
    pub device_idle: Option<f64>,
}

/// One run of a cell. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathRun {
    /// The block of runs that it belongs to, from 0.
    pub run: u16,
    /// Its place in the random order of all runs, from 0.
    pub place: u64,
    /// Files that were written.
    pub files: u64,
    /// From the first write to the end of the last.
    pub elapsed_ns: u64,
    /// What of it went into making the data.
    pub preparing_ns: u64,
    /// The program's own processor time meanwhile in user mode.
    pub own_user_ns: u64,
    /// The same in the kernel.
    pub own_system_ns: u64,
    /// How long the device had something to do meanwhile; none where the kernel does not report it.
    pub device_busy_ns: Option<u64>,
    /// What the machine's processors did; none on a simulated drive.
    pub processors: Option<Windows>,
}

impl PathRun {
    /// Decimal megabytes a second, of files of this length.
    pub fn rate_mb_s(&self, file_bytes: u64) -> f64 {
        (file_bytes * self.files) as f64 / 1e6 / (self.elapsed_ns as f64 / 1e9).max(1e-9)
    }

    /// Nanoseconds a file.
    pub fn file_time_ns(&self) -> f64 {
        self.elapsed_ns as f64 / self.files.max(1) as f64
    }
}

impl PathCell {
    /// A cell with its first run.
    pub fn begin((path, file_bytes, request_bytes): (DataPath, u64, u64), run: PathRun) -> PathCell {
        let mut cell = PathCell {
            path,
            file_bytes,
            files: run.files,
            request_bytes,
            rate_mb_s: MeanOverRuns::default(),
            file_time_ns: MeanOverRuns::default(),
            processors: None,
            time_shares: TimeShares::default(),
            runs: Vec::new(),
        };
        cell.add(run);
        cell
    }

    /// Adds a run.
    pub fn add(&mut self, run: PathRun) {
        self.runs.push(run);
        let rates: Vec<f64> = self.runs.iter().map(|run| run.rate_mb_s(self.file_bytes)).collect();
        let times: Vec<f64> = self.runs.iter().map(PathRun::file_time_ns).collect();
        let windows: Vec<Windows> = self.runs.iter().filter_map(|run| run.processors).collect();
        self.rate_mb_s = MeanOverRuns::from_values(&rates);
        self.file_time_ns = MeanOverRuns::from_values(&times);
        self.processors = ProcessorUse::from_runs(&windows);
        self.time_shares = TimeShares::from_runs(&self.runs);
    }
}

impl TimeShares {
    fn from_runs(runs: &[PathRun]) -> TimeShares {
        let sum = |part: fn(&PathRun) -> u64| runs.iter().map(part).sum::<u64>() as f64;
        let elapsed = sum(|run| run.elapsed_ns).max(1.0);
        let preparing = (sum(|run| run.preparing_ns) / elapsed).min(1.0);
        let own = sum(|run| run.own_user_ns + run.own_system_ns) / elapsed;
        let processor = (own >= preparing).then_some(own - preparing);
        let busy: Option<Vec<u64>> = runs.iter().map(|run| run.device_busy_ns).collect();
        TimeShares {
            preparing,
            processor,
            waiting: processor.map(|processor| (1.0 - preparing - processor).max(0.0)),
            device_idle: busy.map(|busy| (1.0 - busy.iter().sum::<u64>() as f64 / elapsed).max(0.0)),
        }
    }
}

/// A window of time in which the processors were watched, and the kernel's ticks in it, of all processors together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Its begin in seconds on the kernel's monotonic clock.
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
    /// Ticks that a hypervisor gave to others.
    pub steal_ticks: u64,
}

/// The windows of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// Idle, before the writing.
    pub before: Window,
    /// From the first write to the end of the last.
    pub during: Window,
    /// Idle, after it.
    pub after: Window,
}

/// Shares of the time of all processors, which add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessorShares {
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

/// The processors before, during and after the writing, all runs of a cell together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessorUse {
    /// Idle, before.
    pub before: ProcessorShares,
    /// While it was written.
    pub during: ProcessorShares,
    /// Idle, after.
    pub after: ProcessorShares,
}

impl Window {
    /// All ticks.
    pub fn ticks(&self) -> u64 {
        self.user_ticks + self.system_ticks + self.iowait_ticks + self.idle_ticks + self.steal_ticks
    }
}

impl ProcessorShares {
    /// The shares in all of these windows together; `None` where no tick fell into them. Ticks are coarse, so they are added up
    /// before shares are taken.
    pub fn from_windows(windows: &[Window]) -> Option<ProcessorShares> {
        let total = windows.iter().map(Window::ticks).sum::<u64>();
        let share = |part: fn(&Window) -> u64| windows.iter().map(part).sum::<u64>() as f64 / total as f64;
        (total > 0).then(|| ProcessorShares {
            user: share(|window| window.user_ticks),
            system: share(|window| window.system_ticks),
            iowait: share(|window| window.iowait_ticks),
            idle: share(|window| window.idle_ticks),
            steal: share(|window| window.steal_ticks),
        })
    }

    /// The share in programs and in the kernel.
    pub fn busy(&self) -> f64 {
        self.user + self.system
    }
}

impl ProcessorUse {
    /// The shares of all runs with these windows; `None` where any part has no tick.
    pub fn from_runs(runs: &[Windows]) -> Option<ProcessorUse> {
        let shares = |part: fn(&Windows) -> Window| {
            ProcessorShares::from_windows(&runs.iter().map(part).collect::<Vec<Window>>())
        };
        Some(ProcessorUse {
            before: shares(|all| all.before)?,
            during: shares(|all| all.during)?,
            after: shares(|all| all.after)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: u64 = 1_000_000;

    fn run(millis: u64) -> PathRun {
        PathRun {
            run: 0,
            place: 0,
            files: 10,
            elapsed_ns: millis * MILLI,
            preparing_ns: 10 * MILLI,
            own_user_ns: 10 * MILLI,
            own_system_ns: 20 * MILLI,
            device_busy_ns: Some(millis * MILLI / 2),
            processors: None,
        }
    }

    #[test]
    fn a_cell_is_the_mean_of_its_runs() {
        let mut cell = PathCell::begin((DataPath::Raw, 1_000_000, 1 << 20), run(100));
        assert_eq!((cell.rate_mb_s.runs, cell.rate_mb_s.interval), (1, None), "one run has no interval");
        cell.add(run(120));
        assert!((cell.rate_mb_s.mean - 91.666_666_7).abs() < 1e-6, "{:?}", cell.rate_mb_s);
        // Two runs: t(0.975, 1) = 12.706, times half their distance.
        let half = cell.file_time_ns.interval.expect("two runs").high - 11e6;
        assert!((half / 1e6 - 12.706_205).abs() < 1e-6, "{half}");
    }

    #[test]
    fn the_shares_of_the_time_are_those_of_all_runs() {
        let mut cell = PathCell::begin((DataPath::Raw, 1_000_000, 1 << 20), run(100));
        cell.add(run(100));
        let TimeShares { preparing, processor, waiting, device_idle } = cell.time_shares;
        let (processor, waiting) = (processor.expect("known"), waiting.expect("known"));
        assert!((preparing - 0.1).abs() < 1e-9 && (processor - 0.2).abs() < 1e-9);
        assert!((waiting - 0.7).abs() < 1e-9 && device_idle == Some(0.5));
    }

    /// Making the data took 10 ms of the clock, and the program had a processor for 5 ms in all.
    #[test]
    fn what_a_program_without_its_processor_did_is_not_known() {
        let kept_away = PathRun { own_user_ns: 4 * MILLI, own_system_ns: MILLI, ..run(100) };
        let cell = PathCell::begin((DataPath::Raw, 1_000_000, 1 << 20), kept_away);
        assert_eq!((cell.time_shares.processor, cell.time_shares.waiting), (None, None));
    }

    #[test]
    fn shares_are_those_of_all_ticks_together() {
        let one = Window {
            user_ticks: 10,
            system_ticks: 20,
            iowait_ticks: 30,
            idle_ticks: 40,
            ..Window::default()
        };
        let other = Window { idle_ticks: 100, ..Window::default() };
        let shares = ProcessorShares::from_windows(&[one, other]).expect("ticks");
        assert!((shares.user - 0.05).abs() < 1e-12 && (shares.busy() - 0.15).abs() < 1e-12);
        assert!((shares.iowait - 0.15).abs() < 1e-12 && (shares.idle - 0.7).abs() < 1e-12);
        assert_eq!(ProcessorShares::from_windows(&[Window::default()]), None);
    }
}
