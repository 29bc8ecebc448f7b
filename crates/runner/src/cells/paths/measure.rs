//! One run of one cell: idle, write, idle, put things in order.

use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{ByteCount, Caching, Engine, FileSystem, Nanos};
use drivelab_kinds::paths::{Cell, DataPath, PathRun, Paths, PathsPlan, REQUEST, Windows, WrittenCell};
use drivelab_method::{Interrupt, Workers};
use drivelab_record::{Notice, OnFull, Severity};
use drivelab_system_calls::{CellWriter, Folder, InPlace, Job, PlainError, Scratch, ScratchError, Spent};
use drivelab_uring::{Clock, FIRST_FAILURE, FeatureReport, PassthroughEngine};
use drivelab_workload::{Compressibility, Incompressible, Seed};

use super::machine::MachineReading;
use super::raw::{self, Timed};
use super::targets::{Files, PathTargets};
use crate::cells::MeasureCells;
use crate::{Failure, Real, Served, nap};

/// Measures cells on a real target.
pub struct PathMeasure {
    /// What is to be written.
    pub plan: PathsPlan,
    /// Where.
    pub targets: PathTargets,
    /// The clock of the run.
    pub clock: Clock,
    /// The idle time before and after each cell.
    pub idle: Nanos,
    /// The seed of the data.
    pub seed: Seed,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
    /// What the drive did of what it was asked.
    pub served: Served,
    /// What the ring asked for and did not get.
    pub refused: Vec<String>,
}

/// What a cell's writing took, and the machine at its begin and end.
struct Writing {
    elapsed: Nanos,
    preparing: Nanos,
    bytes: ByteCount,
    request: ByteCount,
    started: MachineReading,
    ended: MachineReading,
}

impl MeasureCells<Paths> for PathMeasure {
    fn check_target(&mut self) -> Result<(), Failure> {
        self.targets.real.as_ref().map_or(Ok(()), Real::verify_again)
    }

    fn measure(&mut self, cell: &Cell) -> Result<Option<WrittenCell>, Failure> {
        if self.targets.scratch && cell.path.is_file() { self.on_scratch(cell) } else { self.here(cell) }
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        let refused = std::mem::take(&mut self.refused).into_iter();
        let text = |refused| format!("A ring did not get what it asked for: {refused}.");
        refused.map(|refused| Notice { severity: Severity::Note, text: text(refused) }).collect()
    }
}

impl PathMeasure {
    /// Runs a cell on a new file system, for which the claim is given up meanwhile.
    fn on_scratch(&mut self, cell: &Cell) -> Result<Option<WrittenCell>, Failure> {
        let device = self.targets.device(cell.path);
        let real = self.targets.real.take().ok_or_else(nothing_there)?;
        let (real, run) = real.lend(|released| {
            let scratch = Scratch::make(released, FileSystem::Ext4, self.plan.range.end).map_err(not_made)?;
            let folder = Folder::of_scratch(scratch)
                .map_err(|error| Failure::io("the new file system could not be opened", &error))?;
            self.targets.files = Some(Files { folder, parent: released.path().to_path_buf(), device });
            let run = self.here(cell);
            self.targets.files = None;
            run
        })?;
        self.targets.real = Some(real);
        run
    }

    fn here(&mut self, cell: &Cell) -> Result<Option<WrittenCell>, Failure> {
        let device = self.targets.device(cell.path);
        let seed = self.seed.child("data").numbered(cell.place);
        let payload = Incompressible::new(seed, Compressibility::default());
        let idle_from = MachineReading::now(device);
        nap(self.idle, &self.interrupt);
        let idle_to = MachineReading::now(device);
        let written = match cell.path {
            DataPath::Raw => self.raw(cell, payload)?,
            DataPath::Passthrough => self.passthrough(cell, payload)?,
            _ => self.plain(cell, payload)?,
        };
        nap(self.idle, &self.interrupt);
        let after = MachineReading::now(device);
        self.put_in_order(cell)?;
        if written.bytes != self.plan.cell_bytes(cell.file) || self.interrupt.is_raised() {
            return Ok(None);
        }
        let own = written.ended.own.since(written.started.own);
        // The kernel's account of a device leaves passthrough out.
        let busy = written.ended.busy_ns_since(&written.started);
        let run = PathRun {
            files: self.plan.files(cell.file),
            elapsed_ns: written.elapsed.get(),
            preparing_ns: written.preparing.get(),
            own_user_ns: own.user.get(),
            own_system_ns: own.system.get(),
            device_busy_ns: busy.filter(|_| cell.path != DataPath::Passthrough),
            processors: Some(Windows {
                before: idle_to.window_since(&idle_from),
                during: written.ended.window_since(&written.started),
                after: after.window_since(&written.ended),
            }),
            ..PathRun::default()
        };
        Ok(Some(WrittenCell { request_bytes: written.request.min(cell.file).get(), run }))
    }

    fn raw(&mut self, cell: &Cell, payload: Incompressible) -> Result<Writing, Failure> {
        let (payload, preparing) = Timed::new(payload, self.clock);
        let Some(real) = &self.targets.real else { return Err(nothing_there()) };
        let engine = real.engine(payload, &[]);
        let obtained = engine.obtained.clone();
        self.through(cell, REQUEST, (engine, obtained), &preparing)
    }

    fn passthrough(&mut self, cell: &Cell, payload: Incompressible) -> Result<Writing, Failure> {
        let (payload, preparing) = Timed::new(payload, self.clock);
        let namespace = self.targets.namespace();
        let namespace = namespace.map_err(|why| Failure::Environment(format!("NVMe passthrough: {why}")))?;
        let request = REQUEST.min(namespace.longest);
        let engine = PassthroughEngine::new(namespace, self.clock, payload);
        let obtained = engine.obtained.clone();
        self.through(cell, request, (engine, obtained), &preparing)
    }

    /// Writes through an engine.
    fn through<E: Engine + Send + 'static>(
        &mut self,
        cell: &Cell,
        request: ByteCount,
        (engine, obtained): (E, FeatureReport),
        preparing: &AtomicU64,
    ) -> Result<Writing, Failure> {
        let device = self.targets.device(cell.path);
        let interrupt = self.interrupt.clone();
        let mut stage = Workers { engines: vec![engine], queues: 1, on_full: OnFull::Lose, interrupt };
        let through = (&mut stage, &self.served);
        let spent =
            raw::write(&self.plan, (cell.file, request), through, || Some(MachineReading::now(device)));
        let spent = spent.map_err(|failure| {
            let text = told(cell, &failure, &obtained);
            match failure {
                Failure::DriveFailed(_) => Failure::DriveFailed(text),
                _ => Failure::Environment(text),
            }
        })?;
        let ended = MachineReading::now(device);
        let word = cell.path.word();
        self.refused =
            obtained.refusals().into_iter().map(|(name, why)| format!("{word}: {name}: {why}")).collect();
        Ok(Writing {
            elapsed: spent.elapsed,
            preparing: Nanos::new(preparing.load(Ordering::Relaxed)),
            bytes: spent.bytes,
            request,
            started: spent.started.unwrap_or(ended),
            ended,
        })
    }

    fn plain(&mut self, cell: &Cell, payload: Incompressible) -> Result<Writing, Failure> {
        let device = self.targets.device(cell.path);
        let caching = if cell.path.is_direct() { Caching::Direct } else { Caching::Buffered };
        let job = Job { files: self.plan.files(cell.file), file: cell.file, request: REQUEST };
        let mut writer = CellWriter::new(job, payload);
        let (clock, interrupt, range) = (self.clock, self.interrupt.clone(), self.plan.range);
        let (now, is_over) = (|| clock.now(), || interrupt.is_raised());
        let in_folder = cell.path.is_file() && self.targets.files.is_some();
        let (started, spent) = if let (true, Some(files)) = (in_folder, self.targets.files.as_mut()) {
            files.folder.set_caching(caching);
            let started = MachineReading::now(device);
            (started, writer.write(&mut files.folder, now, is_over))
        } else {
            let grant = self.targets.grant().ok_or_else(nothing_there)?;
            let mut place = InPlace::new(grant, caching, range, cell.file)
                .map_err(|error| Failure::io("the target could not be switched between its paths", &error))?;
            let started = MachineReading::now(device);
            let spent = writer.write(&mut place, now, is_over);
            return written(started, MachineReading::now(device), spent, cell);
        };
        written(started, MachineReading::now(device), spent, cell)
    }

    /// Takes away what a cell has left, so that the next one finds what this one found.
    fn put_in_order(&mut self, cell: &Cell) -> Result<(), Failure> {
        match self.targets.files.as_mut().filter(|_| cell.path.is_file()) {
            Some(files) => files.folder.clear().map_err(|error| {
                Failure::io(&format!("files in {} could not be removed", files.parent.display()), &error)
            }),
            None => Ok(()),
        }
    }
}

fn written(
    started: MachineReading,
    ended: MachineReading,
    spent: Result<Spent, PlainError>,
    cell: &Cell,
) -> Result<Writing, Failure> {
    let spent = spent.map_err(|error| Failure::Environment(format!("{}: {error}", cell.path.word())))?;
    Ok(Writing {
        elapsed: spent.elapsed,
        preparing: spent.preparing,
        bytes: ByteCount::new(spent.files * cell.file.get()),
        request: REQUEST,
        started,
        ended,
    })
}

fn not_made(error: ScratchError) -> Failure {
    match error {
        ScratchError::Safety(error) => error.into(),
        ScratchError::NotMade(_) | ScratchError::NotMounted(..) => Failure::Environment(error.to_string()),
    }
}

/// A failure with its path, and with the drive's own word for it: the kernel keeps no log of commands that it passes on.
fn told(cell: &Cell, failure: &Failure, obtained: &FeatureReport) -> String {
    let first = obtained.features().into_iter().find(|(name, _)| *name == FIRST_FAILURE);
    let first = first.map_or_else(String::new, |(name, status)| format!("; {name}: {status}"));
    format!("{}: {failure}{first}", cell.path.word())
}

fn nothing_there() -> Failure {
    Failure::Environment("the target is not open for writing".to_owned())
}
