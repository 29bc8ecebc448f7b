//! One run of one cell on a drive: choose the scheduler, make and mount the file system, work, put everything back.

use drivelab_analysis::{Distribution, MatrixRun, RunLatency};
use drivelab_block::{ByteCount, Caching};
use drivelab_method::Interrupt;
use drivelab_method::matrix::Step;
use drivelab_plain::{Crew, CrewError, Done, Scratch, ScratchError};
use drivelab_safety::{Identity, Released};
use drivelab_sharing::{Places, Scheduler};

use super::kept::Outcome;
use super::settled::Settled;
use crate::bench::Real;
use crate::exit::Failure;

/// Measures cells on a claimed drive.
pub struct Measure<'a> {
    /// What is measured.
    pub settled: &'a Settled,
    /// The claim; given up while a cell has the drive.
    pub real: Option<Real>,
    /// The user's wish to stop.
    pub interrupt: &'a Interrupt,
}

impl Measure<'_> {
    /// Runs a cell; `None` where the user ended it.
    pub fn run(&mut self, step: &Step) -> Result<Option<Outcome>, Failure> {
        let real = self
            .real
            .take()
            .ok_or_else(|| Failure::Environment("the claim on the target is lost".to_owned()))?;
        let chosen = step.cell.scheduler.as_deref().map(|name| choose(&real, name)).transpose();
        // Held until the end of the cell, which puts the scheduler back.
        let _scheduler = match chosen {
            Ok(scheduler) => scheduler,
            Err(why) => {
                self.real = Some(real);
                return Ok(Some(Err(why)));
            }
        };
        let clock = real.clock();
        let (real, done) = real.lend(|released| self.on(released, step, || clock.now()))?;
        self.real = Some(real);
        match done {
            _ if self.interrupt.is_raised() => Ok(None),
            Ok(done) => Ok(Some(Ok(run_of(step, &done)))),
            Err(CrewError::Scratch(ScratchError::Safety(error))) => Err(error.into()),
            Err(error) => Ok(Some(Err(error.to_string()))),
        }
    }

    fn on(
        &self,
        drive: &Released,
        step: &Step,
        now: impl Fn() -> drivelab_block::Instant + Sync,
    ) -> Result<Done, CrewError> {
        let cell = &step.cell;
        let missing = || ScratchError::NotMade("the cell names no file system".to_owned());
        let kind = cell.fs.ok_or_else(missing)?;
        let size = ByteCount::new(self.settled.fs_bytes.unwrap_or_default());
        let scratch = Scratch::make(drive, kind, size)?;
        let caching = cell.caching.unwrap_or(Caching::Buffered);
        let task = self.settled.task(cell.work, caching, cell.threads, step.place);
        let is_over = || self.interrupt.is_raised();
        let crew = Crew::ready(drive, scratch, task, &is_over)?;
        crew.work(now, is_over)
    }
}

/// The kernel's name of the drive that has the scheduler: of a partition, the whole drive.
pub fn scheduled_name(identity: &Identity) -> Option<String> {
    match identity {
        Identity::Drive(drive) => {
            let whole = drive.parent.as_ref().map_or(&drive.kernel_name, |parent| &parent.kernel_name);
            Some(whole.clone())
        }
        Identity::File(_) => None,
    }
}

fn choose(real: &Real, name: &str) -> Result<Scheduler, String> {
    let drive = scheduled_name(real.identity()).unwrap_or_default();
    Scheduler::choose(&Places::live(), &drive, name)
        .map_err(|error| format!("the I/O scheduler {name} cannot be chosen: {error}"))
}

fn run_of(step: &Step, done: &Done) -> MatrixRun {
    MatrixRun {
        cell: step.cell.clone(),
        run: step.run,
        position: step.position,
        place: step.place,
        operations: done.operations,
        bytes: done.bytes,
        elapsed: done.elapsed,
        latency: latency_of(&done.latencies),
    }
}

/// What is kept of a distribution of latencies; none of an empty one.
pub fn latency_of(latencies: &Distribution) -> Option<RunLatency> {
    let quantile = |q| latencies.quantile(q);
    let moments = latencies.moments();
    Some(RunLatency { mean: moments.mean()?, p50: quantile(0.5)?, p99: quantile(0.99)?, max: moments.max()? })
}
