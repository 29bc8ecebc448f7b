//! One run of one cell on a drive: choose the scheduler, make and mount the file system, work, put everything back.

use crate::sharing::{Places, Scheduler};
use drivelab_block::{ByteCount, Caching};
use drivelab_kinds::matrix::{CellOutcome, MatrixSettings, PlannedCell};
use drivelab_method::Interrupt;
use drivelab_safety::Released;
use drivelab_stats::{Distribution, MatrixRun, RunLatency};
use drivelab_system_calls::{Crew, Done, Scratch, ScratchError, Task};
use drivelab_uring::Clock;
use drivelab_workload::Seed;

use crate::{Failure, Real, gone};

pub struct DriveCells {
    pub settings: MatrixSettings,
    pub seed: Seed,
    /// The claim; given up while a cell has the drive.
    pub real: Option<Real>,
}

impl DriveCells {
    /// Measures a cell; none where the user ended it.
    pub fn measure(
        &mut self,
        step: &PlannedCell,
        interrupt: &Interrupt,
    ) -> Result<Option<CellOutcome>, Failure> {
        let real = self
            .real
            .take()
            .ok_or_else(|| Failure::Environment("the claim on the target is lost".to_owned()))?;
        let scheduled = real.whole_device().map(str::to_owned).unwrap_or_default();
        let (clock, device) = (real.clock, real.device());
        let lent = real.lend(|released| self.on(released, &scheduled, step, (clock, interrupt)));
        let is_bad = lent.as_ref().map_or(true, |(_, done)| done.is_err());
        if let Some(failure) = is_bad.then(|| gone(device, &scheduled, "a cell failed")).flatten() {
            return Err(failure);
        }
        let (real, done) = lent?;
        self.real = Some(real);
        match done {
            _ if interrupt.is_raised() => Ok(None),
            Ok(done) => Ok(Some(Ok(MatrixRun {
                operations: done.operations,
                bytes: done.bytes,
                elapsed: done.elapsed,
                latency: latency_of(&done.latencies),
                ..step.unmeasured()
            }))),
            Err(ScratchError::Safety(error)) => Err(error.into()),
            Err(error) => Ok(Some(Err(error.to_string()))),
        }
    }

    fn on(
        &self,
        drive: &Released,
        scheduled: &str,
        step: &PlannedCell,
        (clock, interrupt): (Clock, &Interrupt),
    ) -> Result<Done, ScratchError> {
        let cell = &step.cell;
        let missing = || ScratchError::Environment("the cell names no file system".to_owned());
        let kind = cell.fs.ok_or_else(missing)?;
        let size = ByteCount::new(self.settings.file_system_bytes.unwrap_or_default());
        let scratch = Scratch::make(drive, kind, size)?;
        let caching = cell.caching.unwrap_or(Caching::Buffered);
        let task = self.task(step, caching);
        let is_over = || interrupt.is_raised();
        let crew = Crew::ready(drive, scratch, task, &is_over)?;
        // Chosen once nobody closes the drive any more, at which udev may choose another.
        let chosen = cell.scheduler.as_deref().map(|name| choose(scheduled, name)).transpose()?;
        let done = crew.work(|| clock.now(), is_over)?;
        chosen.map_or(Ok(()), Scheduler::end).map_err(ScratchError::Environment)?;
        Ok(done)
    }

    /// What the threads of a cell do.
    fn task(&self, step: &PlannedCell, caching: Caching) -> Task {
        let settings = &self.settings;
        Task {
            work: step.cell.work,
            caching,
            threads: step.cell.threads,
            bytes: ByteCount::new(settings.working_set_bytes),
            request: ByteCount::new(settings.block_size_bytes),
            files: settings.files.unwrap_or_default(),
            duration: settings.cell_duration(),
            seed: self.seed.child("cell").numbered(step.place),
        }
    }
}

fn choose(drive: &str, name: &str) -> Result<Scheduler, ScratchError> {
    Scheduler::choose(&Places::live(), drive, name).map_err(|error| {
        ScratchError::Environment(format!("the I/O scheduler {name} cannot be chosen: {error}"))
    })
}

/// What is kept of a distribution of latencies; none of an empty one.
pub fn latency_of(latencies: &Distribution) -> Option<RunLatency> {
    let quantile = |q| latencies.quantile(q);
    let moments = latencies.moments();
    Some(RunLatency { mean: moments.mean()?, p50: quantile(0.5)?, p99: quantile(0.99)?, max: moments.max()? })
}
