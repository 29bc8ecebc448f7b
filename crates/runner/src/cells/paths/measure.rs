//! One run of one cell: idle, write, idle, put things in order.

use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{ByteCount, Caching, Engine, FileSystem, Nanos};
use drivelab_documents::Notice;
use drivelab_kinds::paths::{Cell, DataPath, PathRun, Paths, PathsPlan, REQUEST, Windows, WrittenCell};
use drivelab_method::{Interrupt, Workers};
use drivelab_record::OnFull;
use drivelab_safety::DeviceNumber;
use drivelab_system_calls::{CellWriter, FilePlace, Folder, InPlace, Job, Scratch, ScratchError};
use drivelab_uring::{Clock, FIRST_FAILURE, FeatureReport, PassthroughEngine};
use drivelab_workload::{Compressibility, Incompressible, Seed};

use super::machine::MachineReading;
use super::raw::{self, Timed};
use super::targets::{Files, PathTargets};
use crate::cells::MeasureCells;
use crate::target::not_writable;
use crate::{Failure, Real, UnrecordedRun, nap};

pub struct PathMeasure {
    pub plan: PathsPlan,
    pub targets: PathTargets,
    pub clock: Clock,
    /// The idle time before and after each cell.
    pub idle: Nanos,
    pub seed: Seed,
}

type PathsRun<'a> = UnrecordedRun<'a, Paths>;

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

    fn measure(&mut self, cell: &Cell, run: &mut PathsRun<'_>) -> Result<Option<WrittenCell>, Failure> {
        let on_scratch = self.targets.scratch && cell.path.is_file();
        if on_scratch { self.on_scratch(cell, run) } else { self.here(cell, run) }
    }
}

impl PathMeasure {
    /// Runs a cell on a new file system, for which the claim is given up meanwhile.
    fn on_scratch(&mut self, cell: &Cell, run: &mut PathsRun<'_>) -> Result<Option<WrittenCell>, Failure> {
        let device = self.targets.device(cell.path);
        let real = self.targets.real.take().ok_or_else(not_writable)?;
        let (real, measured) = real.lend(|released| {
            let scratch = Scratch::make(released, FileSystem::Ext4, self.plan.range.end).map_err(not_made)?;
            let folder = Folder::of_scratch(scratch)
                .map_err(|error| Failure::io("the new file system could not be opened", &error))?;
            self.targets.files = Some(Files { folder, parent: released.path().to_path_buf(), device });
            let measured = self.here(cell, run);
            self.targets.files = None;
            measured
        })?;
        self.targets.real = Some(real);
        measured
    }

    fn here(&mut self, cell: &Cell, run: &mut PathsRun<'_>) -> Result<Option<WrittenCell>, Failure> {
        let device = self.targets.device(cell.path);
        let seed = self.seed.child("data").numbered(cell.place);
        let payload = Incompressible::new(seed, Compressibility::default());
        let idle_from = MachineReading::now(device);
        nap(self.idle, &run.interrupt);
        let idle_to = MachineReading::now(device);
        let written = match cell.path {
            DataPath::Raw => self.raw(cell, payload, run)?,
            DataPath::Passthrough => self.passthrough(cell, payload, run)?,
            _ => self.plain(cell, payload, &run.interrupt)?,
        };
        nap(self.idle, &run.interrupt);
        let after = MachineReading::now(device);
        self.put_in_order(cell)?;
        if written.bytes != self.plan.cell_bytes(cell.file) || run.is_interrupted() {
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

    fn raw(&self, cell: &Cell, payload: Incompressible, run: &mut PathsRun<'_>) -> Result<Writing, Failure> {
        let (payload, preparing) = Timed::new(payload, self.clock);
        let Some(real) = &self.targets.real else { return Err(not_writable()) };
        let engine = real.engine(Box::new(payload), &[]);
        let obtained = engine.obtained.clone();
        self.through(cell, REQUEST, (engine, obtained, preparing.as_ref()), run)
    }

    fn passthrough(
        &self,
        cell: &Cell,
        payload: Incompressible,
        run: &mut PathsRun<'_>,
    ) -> Result<Writing, Failure> {
        let (payload, preparing) = Timed::new(payload, self.clock);
        let namespace = self.targets.namespace();
        let namespace = namespace.map_err(|why| environment!("NVMe passthrough: {why}"))?;
        let request = REQUEST.min(namespace.longest);
        let engine = PassthroughEngine::new(namespace, self.clock, Box::new(payload));
        let obtained = engine.obtained.clone();
        self.through(cell, request, (engine, obtained, preparing.as_ref()), run)
    }

    fn through<E: Engine + Send + 'static>(
        &self,
        cell: &Cell,
        request: ByteCount,
        (engine, obtained, preparing): (E, FeatureReport, &AtomicU64),
        run: &mut PathsRun<'_>,
    ) -> Result<Writing, Failure> {
        let device = self.targets.device(cell.path);
        let interrupt = run.interrupt.clone();
        let mut stage = Workers { engines: vec![engine], queues: 1, on_full: OnFull::Lose, interrupt };
        let through = (&mut stage, &mut run.served);
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
        for (name, why) in obtained.refusals() {
            run.notice(Notice::note(format!("A ring did not get what it asked for: {word}: {name}: {why}.")));
        }
        Ok(Writing {
            elapsed: spent.elapsed,
            preparing: Nanos::new(preparing.load(Ordering::Relaxed)),
            bytes: spent.bytes,
            request,
            started: spent.started.unwrap_or(ended),
            ended,
        })
    }

    fn plain(
        &mut self,
        cell: &Cell,
        payload: Incompressible,
        interrupt: &Interrupt,
    ) -> Result<Writing, Failure> {
        let device = self.targets.device(cell.path);
        let caching = if cell.path.is_direct() { Caching::Direct } else { Caching::Buffered };
        let job = Job { files: self.plan.files(cell.file), file: cell.file, request: REQUEST };
        let writer = CellWriter::new(job, payload);
        let watched = (self.clock, device, interrupt);
        if let Some(files) = self.targets.files.as_mut().filter(|_| cell.path.is_file()) {
            files.folder.set_caching(caching);
            return write_in(&mut files.folder, writer, cell, watched);
        }
        let grant = self.targets.grant().ok_or_else(not_writable)?;
        let mut place = InPlace::new(grant, caching, self.plan.range, cell.file)
            .map_err(|error| Failure::io("the target could not be switched between its paths", &error))?;
        write_in(&mut place, writer, cell, watched)
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

/// Writes a cell by system calls, on this clock and until the user ends it.
fn write_in(
    place: &mut impl FilePlace,
    mut writer: CellWriter<Incompressible>,
    cell: &Cell,
    (clock, device, interrupt): (Clock, Option<DeviceNumber>, &Interrupt),
) -> Result<Writing, Failure> {
    let started = MachineReading::now(device);
    let spent = writer.write(place, || clock.now(), || interrupt.is_raised());
    let ended = MachineReading::now(device);
    let spent = spent.map_err(|error| environment!("{}: {error}", cell.path.word()))?;
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
        ScratchError::Environment(why) => Failure::Environment(why),
    }
}

/// A failure with its path, and with the drive's own word for it: the kernel keeps no log of commands that it passes on.
fn told(cell: &Cell, failure: &Failure, obtained: &FeatureReport) -> String {
    let first = obtained.features().into_iter().find(|(name, _)| *name == FIRST_FAILURE);
    let first = first.map_or_else(String::new, |(name, status)| format!("; {name}: {status}"));
    format!("{}: {failure}{first}", cell.path.word())
}
