//! What a matrix is, once everything about it is settled: kept in its folder, so that it can go on after a kill.

use drivelab_block::{ByteCount, Caching, FileSystem, Nanos, Work};
use drivelab_method::matrix::MatrixPlan;
use drivelab_plain::Task;
use drivelab_runner::{Failure, SafetyOptions};
use drivelab_workload::Seed;
use serde::{Deserialize, Serialize};

/// The name and version of the kept plan.
pub const PLAN_SCHEMA: &str = "drivelab.matrix-plan/1";

/// A matrix with nothing left open. Units last: `_ns` nanoseconds, `_bytes` bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// [`PLAN_SCHEMA`].
    pub schema: String,
    /// What is written to, as the user named it.
    pub target: String,
    /// Which drive, image or simulated drive that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// File systems, by their names.
    pub fs: Vec<String>,
    /// I/O schedulers.
    pub schedulers: Vec<String>,
    /// Ways of caching.
    pub caching: Vec<String>,
    /// Numbers of threads.
    pub threads: Vec<u16>,
    /// Kinds of work.
    pub work: Vec<String>,
    /// Runs of each cell.
    pub runs: u16,
    /// How long the threads of a cell begin new steps.
    pub cell_duration_ns: u64,
    /// The seed.
    pub seed: u64,
    /// The size of each file system; none on a simulated drive.
    pub fs_bytes: Option<u64>,
    /// What the large files of a cell hold together.
    pub bytes: u64,
    /// The length of a sequential read or write.
    pub request_bytes: u64,
    /// Small files of a cell.
    pub files: u64,
    /// What was left out, and why.
    pub left_out: Vec<(String, String)>,
    /// What was confirmed: the serial number typed.
    pub serial: Vec<String>,
    /// What was confirmed: that contents may be destroyed.
    pub destroy_data: bool,
    /// The size that the image was made with.
    pub file_bytes: Option<u64>,
    /// In degrees Celsius.
    pub temperature_limit: i32,
    /// Whether a failing drive is to be tested.
    pub ignore_health: bool,
}

impl Settled {
    /// The plan, checked.
    pub fn plan(&self) -> Result<MatrixPlan, Failure> {
        let plan = MatrixPlan {
            file_systems: all(&self.fs, FileSystem::of_word)?,
            schedulers: self.schedulers.clone(),
            cachings: all(&self.caching, Caching::of_word)?,
            threads: self.threads.clone(),
            works: all(&self.work, Work::of_word)?,
            runs: self.runs,
            duration: Nanos::new(self.cell_duration_ns),
            seed: Seed::new(self.seed),
        };
        plan.check().map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(plan)
    }

    /// What the threads of a cell do.
    pub fn task(&self, work: Work, caching: Caching, threads: u16, place: u64) -> Task {
        Task {
            work,
            caching,
            threads,
            bytes: ByteCount::new(self.bytes),
            request: ByteCount::new(self.request_bytes),
            files: self.files,
            duration: Nanos::new(self.cell_duration_ns),
            seed: Seed::new(self.seed).child("cell").numbered(place),
        }
    }

    /// Refuses to go on elsewhere: what was confirmed was confirmed for one drive, and so are the cells that are there.
    pub fn check_identity(&self, found: &str) -> Result<(), Failure> {
        match &self.identity {
            Some(kept) if kept != found => Err(Failure::Refused(format!(
                "--resume: the run was begun on {kept}, and {} is {found} now: begin a new run",
                self.target
            ))),
            _ => Ok(()),
        }
    }

    /// What was confirmed before anything was written, together with what is confirmed now.
    pub fn safety(&self, now: &SafetyOptions) -> SafetyOptions {
        let serial = if now.serial.is_empty() { self.serial.clone() } else { now.serial.clone() };
        SafetyOptions {
            serial,
            destroy_data: self.destroy_data || now.destroy_data,
            file_size: self.file_bytes.map(ByteCount::new),
            temperature_limit: self.temperature_limit,
            ignore_health: self.ignore_health || now.ignore_health,
            dry_run: now.dry_run,
        }
    }
}

fn all<T>(words: &[String], of_word: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, Failure> {
    let one = |word: &String| {
        let unknown =
            || Failure::Usage(format!("the kept plan names {word:?}, which is not known: begin a new run"));
        of_word(word).ok_or_else(unknown)
    };
    words.iter().map(one).collect()
}
