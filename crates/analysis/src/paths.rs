//! The same data by several paths: what each costs, over runs.

use drivelab_block::{ByteCount, Nanos};

use crate::MeanInterval;

/// A way from a program to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataPath {
    /// Files of a file system, through the page cache, each followed by `fsync`.
    FileBuffered,
    /// Files of a file system, past the page cache (`O_DIRECT`).
    FileDirect,
    /// The device file, through the page cache, `fsync` after each file's length.
    DeviceBuffered,
    /// The device file, past the page cache.
    DeviceDirect,
    /// The ring: registered buffers, batched submission, several requests in flight, past the page cache.
    Raw,
    /// The same with the drive's own commands (`NVMe` passthrough), past the block layer, too.
    Passthrough,
}

impl DataPath {
    /// Every path, from the longest to the shortest.
    pub const ALL: [DataPath; 6] = [
        DataPath::FileBuffered,
        DataPath::FileDirect,
        DataPath::DeviceBuffered,
        DataPath::DeviceDirect,
        DataPath::Raw,
        DataPath::Passthrough,
    ];

    /// Its name in documents.
    pub fn word(self) -> &'static str {
        match self {
            DataPath::FileBuffered => "file-buffered",
            DataPath::FileDirect => "file-direct",
            DataPath::DeviceBuffered => "device-buffered",
            DataPath::DeviceDirect => "device-direct",
            DataPath::Raw => "raw",
            DataPath::Passthrough => "raw-passthrough",
        }
    }

    /// Whether it goes through a file system.
    pub fn is_file(self) -> bool {
        matches!(self, DataPath::FileBuffered | DataPath::FileDirect)
    }

    /// Whether it passes the page cache by.
    pub fn is_direct(self) -> bool {
        !matches!(self, DataPath::FileBuffered | DataPath::DeviceBuffered)
    }
}

/// What the processors of the machine did, in ticks of the kernel, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTicks {
    /// In programs.
    pub user: u64,
    /// In the kernel, interrupts included.
    pub system: u64,
    /// Idle while a task waited for I/O.
    pub iowait: u64,
    /// Idle.
    pub idle: u64,
    /// Given to others by a hypervisor.
    pub steal: u64,
}

impl ProcessorTicks {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.user + self.system + self.iowait + self.idle + self.steal
    }

    fn plus(self, other: ProcessorTicks) -> ProcessorTicks {
        ProcessorTicks {
            user: self.user + other.user,
            system: self.system + other.system,
            iowait: self.iowait + other.iowait,
            idle: self.idle + other.idle,
            steal: self.steal + other.steal,
        }
    }

    /// The shares of all processors' time; `None` where no tick fell into it.
    pub fn shares(&self) -> Option<ProcessorShares> {
        let total = self.total();
        let share = |part: u64| part as f64 / total as f64;
        (total > 0).then(|| ProcessorShares {
            user: share(self.user),
            system: share(self.system),
            iowait: share(self.iowait),
            idle: share(self.idle),
            steal: share(self.steal),
        })
    }
}

/// The same as shares of the time of all processors, which add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// A window of time in which the processors were watched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its begin and its end, in seconds on the kernel's monotonic clock.
    pub span_s: (f64, f64),
    /// What the processors did in it.
    pub ticks: ProcessorTicks,
}

/// The windows of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// Idle, before the writing.
    pub before: Window,
    /// From the first write to the end of the last.
    pub during: Window,
    /// Idle, after it.
    pub after: Window,
}

/// One run of one cell: files of one size, written by one path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathRun {
    /// The block of runs it belongs to, from 0.
    pub run: u16,
    /// The path.
    pub path: DataPath,
    /// The length of a file.
    pub file: ByteCount,
    /// How many were written.
    pub files: u64,
    /// The longest write.
    pub request: ByteCount,
    /// From the first write to the end of the last.
    pub elapsed: Nanos,
    /// What of it went into making the data.
    pub preparing: Nanos,
    /// The program's own processor time meanwhile in user mode.
    pub own_user: Nanos,
    /// The same in the kernel.
    pub own_system: Nanos,
    /// How long the device had something to do meanwhile, where the kernel tells.
    pub busy: Option<Nanos>,
    /// The machine's processors; none on a simulated drive.
    pub windows: Option<Windows>,
}

impl PathRun {
    /// Bytes a second.
    pub fn rate(&self) -> f64 {
        (self.file.get() * self.files) as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Nanoseconds a file.
    pub fn file_nanos(&self) -> f64 {
        self.elapsed.get() as f64 / self.files.max(1) as f64
    }
}

/// Where a cell's time went, as shares of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeParts {
    /// Making the data.
    pub preparing: f64,
    /// The program's processor time besides: system calls, copies into the page cache.
    pub processor: f64,
    /// The rest: the program waits for the device.
    pub waiting: f64,
    /// The device has nothing to do: it waits for work. None where the kernel does not tell.
    pub device_idle: Option<f64>,
}

/// One cell over all its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PathCell {
    /// The path.
    pub path: DataPath,
    /// The length of a file.
    pub file: ByteCount,
    /// Files a run.
    pub files: u64,
    /// Bytes a second.
    pub rate: MeanInterval,
    /// Nanoseconds a file.
    pub file_nanos: MeanInterval,
    /// What the machine's processors did before, during and after, all runs together.
    pub processors: Option<[ProcessorShares; 3]>,
    /// Where the time went, all runs together.
    pub parts: TimeParts,
}

/// The cells that these runs belong to: by size, and by path within a size.
pub fn path_cells(runs: &[PathRun]) -> Vec<PathCell> {
    let mut keys: Vec<(ByteCount, DataPath)> = runs.iter().map(|run| (run.file, run.path)).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |key: (ByteCount, DataPath)| -> Vec<&PathRun> {
        runs.iter().filter(|run| (run.file, run.path) == key).collect()
    };
    keys.into_iter().filter_map(|key| cell(&of(key))).collect()
}

fn cell(runs: &[&PathRun]) -> Option<PathCell> {
    let first = runs.first()?;
    let rates: Vec<f64> = runs.iter().map(|run| run.rate()).collect();
    let times: Vec<f64> = runs.iter().map(|run| run.file_nanos()).collect();
    Some(PathCell {
        path: first.path,
        file: first.file,
        files: first.files,
        rate: MeanInterval::of(&rates)?,
        file_nanos: MeanInterval::of(&times)?,
        processors: processors(runs),
        parts: parts(runs),
    })
}

/// Ticks are coarse, so runs are added up before shares are taken.
fn processors(runs: &[&PathRun]) -> Option<[ProcessorShares; 3]> {
    let windows: Vec<Windows> = runs.iter().filter_map(|run| run.windows).collect();
    let sum = |window: fn(&Windows) -> Window| {
        let ticks = windows.iter().map(|all| window(all).ticks);
        ticks.fold(ProcessorTicks::default(), ProcessorTicks::plus).shares()
    };
    Some([sum(|all| all.before)?, sum(|all| all.during)?, sum(|all| all.after)?])
}

fn parts(runs: &[&PathRun]) -> TimeParts {
    let sum = |part: fn(&PathRun) -> Nanos| runs.iter().map(|run| part(run).get()).sum::<u64>() as f64;
    let elapsed = sum(|run| run.elapsed).max(1.0);
    let preparing = (sum(|run| run.preparing) / elapsed).min(1.0);
    let own = sum(|run| run.own_user + run.own_system) / elapsed;
    let processor = (own - preparing).max(0.0);
    let busy: Option<Vec<u64>> = runs.iter().map(|run| Some(run.busy?.get())).collect();
    TimeParts {
        preparing,
        processor,
        waiting: (1.0 - preparing - processor).max(0.0),
        device_idle: busy.map(|busy| (1.0 - busy.iter().sum::<u64>() as f64 / elapsed).max(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(path: DataPath, millis: u64, own: u64) -> PathRun {
        PathRun {
            run: 0,
            path,
            file: ByteCount::new(1_000_000),
            files: 10,
            request: ByteCount::new(1 << 20),
            elapsed: Nanos::from_millis(millis),
            preparing: Nanos::from_millis(10),
            own_user: Nanos::from_millis(10),
            own_system: Nanos::from_millis(own),
            busy: Some(Nanos::from_millis(millis / 2)),
            windows: None,
        }
    }

    #[test]
    fn a_cell_is_the_mean_of_its_runs_and_of_no_others() {
        let runs =
            [run(DataPath::Raw, 100, 20), run(DataPath::FileDirect, 50, 0), run(DataPath::Raw, 100, 20)];
        let cells = path_cells(&runs);
        assert_eq!(
            cells.iter().map(|cell| cell.path).collect::<Vec<_>>(),
            [DataPath::FileDirect, DataPath::Raw]
        );
        let raw = &cells[1];
        assert_eq!((raw.rate.count, raw.rate.half_width), (2, Some(0.0)));
        assert!((raw.rate.mean - 1e8).abs() < 1.0 && (raw.file_nanos.mean - 1e7).abs() < 1.0);
        let expected = TimeParts { preparing: 0.1, processor: 0.2, waiting: 0.7, device_idle: Some(0.5) };
        let TimeParts { preparing, processor, waiting, device_idle } = raw.parts;
        assert!(
            (preparing - expected.preparing).abs() < 1e-9 && (processor - expected.processor).abs() < 1e-9
        );
        assert!((waiting - expected.waiting).abs() < 1e-9, "{waiting}");
        assert_eq!(device_idle, expected.device_idle);
    }

    #[test]
    fn shares_of_the_processors_add_up() {
        let ticks = ProcessorTicks { user: 10, system: 20, iowait: 30, idle: 40, steal: 0 };
        let shares = ticks.shares().expect("ticks");
        assert!((shares.user + shares.system + shares.iowait + shares.idle - 1.0).abs() < 1e-12);
        assert_eq!(ProcessorTicks::default().shares(), None);
    }
}
