//! One run from its first phase to its closed records.

use std::path::Path;
use std::sync::Arc;

use drivelab_block::{ByteCount, Engine, Instant, Silence};
use drivelab_documents::{
    HeatDocument, Manifest, MediaWrites, NotAsWrittenDocument, Notice, Outcome, Phase, SimulationAccount,
    WarmUpDocument,
};
use drivelab_kinds::{lapses_document, unread_writes};
use drivelab_method::{
    ConductError, Interrupt, PhaseEnd, PhaseObserver, PhasePlan, Progress, RunRecorder, Thermometry, Workers,
    conduct,
};
use drivelab_record::{Digest, RecordError, RunFolder};
use drivelab_safety::DeviceNumber;
use drivelab_sim::SimDrive;
use drivelab_stats::{PhaseAnalysis, RunAnalysis};
use drivelab_uring::{Clock, FeatureReport};
use drivelab_workload::Workload;

use super::failures::Failures;
use super::power::RunPower;
use super::progress::{Display, Goal};
use super::{Heartbeat, MachineWatch, MeterOptions, ParentProgress, TemperatureLimit, Watch};
use crate::Failure;
use crate::heat::{HeatGauges, HeatSeconds, SimulatedHeat};
use crate::live::{LiveRun, LiveState};
use crate::machine_watch::DriveGauges;
use crate::manifest_writer::{ManifestWriter, not_watched};
use crate::quiet::wait_where_idle;
use crate::silences::SilentWorkers;
use crate::tested_engine::TestedEngine;

/// A run that is to begin, as its method has settled it.
pub struct Start<'a> {
    /// The manifest as far as it is known.
    pub manifest: Manifest,
    /// Where the run is kept; nowhere for a load without records.
    pub folder: Option<&'a Path>,
    /// The file that says what the run does now, where one was named.
    pub live: Option<&'a Path>,
    /// What the run is a part of, where it is.
    pub parent: Option<&'a ParentProgress>,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
    /// How the power is measured, where it may be.
    pub meter: Option<&'a MeterOptions>,
    /// What ends a run whose drive gets too warm.
    pub temperature_limit: TemperatureLimit,
    /// Whether it writes.
    pub writes: bool,
}

/// A run under way.
pub struct RunSession<E> {
    pub(crate) stage: Workers<E>,
    pub(crate) recorder: RunRecorder,
    pub(crate) writer: ManifestWriter,
    /// The line of progress.
    pub(crate) display: Display,
    /// What is written for Prometheus, where that was asked for.
    live: Option<LiveRun>,
    pub(crate) watch: Watch,
    machine: MachineWatch,
    pub(crate) power: Option<RunPower>,
    /// What a simulated drive read of its temperature.
    pub(crate) simulated_heat: Option<SimulatedHeat>,
    /// What a run on a real drive has seen of the drive's temperature.
    heat_seconds: Option<HeatSeconds>,
    /// How the drive was read until it was warm.
    pub(crate) warm_up: Option<WarmUpDocument>,
    /// What watches whether the program itself runs.
    heartbeat: Option<Heartbeat>,
    /// Phases whose failed I/Os are no failure of the run.
    pub(crate) excused: Vec<usize>,
    /// Whether the drive has not answered what was given up: it is not asked any more then.
    pub(crate) hangs: bool,
    /// Whether it ended before everything was measured, because the drive or the machine failed.
    pub(crate) broke_off: bool,
    /// Whether blocks were read back and judged.
    pub(crate) reads_back: bool,
    /// What is known of blocks that were read back and are not as written.
    pub(crate) not_as_written: Option<NotAsWrittenDocument>,
}

/// A run that has ended.
pub struct Finished {
    /// Its manifest, with the outcome.
    pub manifest: Manifest,
    /// One pass over all its completions.
    pub analysis: RunAnalysis,
    /// What one of its phases was also analysed as.
    pub observer: Option<PhaseObserver>,
    /// Its folder, where it was kept.
    pub folder: Option<RunFolder>,
    /// Completions that are not in it because a file could not be written.
    pub unwritten: u64,
}

impl<E: Engine + Send + 'static> RunSession<E> {
    /// Makes the run's folder and gets ready to work with these engines while this is watched. `obtained` is what the first real
    /// engine obtains, which is known when a phase begins.
    pub(crate) fn open(
        start: Start<'_>,
        stage: Workers<E>,
        watch: Watch,
        obtained: Option<FeatureReport>,
    ) -> Result<RunSession<E>, Failure> {
        let Start { manifest, folder, live, parent, .. } = start;
        let live = live.map(|file| LiveRun::begin(file, &manifest)).transpose()?;
        let (folder, records) = match folder {
            Some(path) => {
                let (folder, records) = RunFolder::create(path, &manifest).map_err(not_created)?;
                (Some(folder), Some(records))
            }
            None => (None, None),
        };
        let digest = manifest.drive.simulated.then(Digest::default);
        let display = Display::new(&manifest.label, manifest.drive.simulated, parent);
        Ok(RunSession {
            stage,
            recorder: RunRecorder::new(records, digest),
            writer: ManifestWriter::new(manifest, folder, obtained),
            excused: Vec::new(),
            hangs: false,
            broke_off: false,
            reads_back: false,
            not_as_written: None,
            display,
            live,
            watch,
            machine: MachineWatch::default(),
            power: None,
            simulated_heat: None,
            heat_seconds: None,
            warm_up: None,
            heartbeat: None,
        })
    }

    /// Runs a phase. `ends_after` is what its workload moves where that ends by itself.
    pub fn phase<W: Workload + 'static>(
        &mut self,
        plan: &PhasePlan,
        workloads: Vec<W>,
        ends_after: Option<ByteCount>,
    ) -> Result<PhaseEnd, ConductError> {
        self.display.phase(&plan.name, Goal::new(plan.stop, ends_after));
        let mut turn = PhaseProgress {
            plan,
            writer: &mut self.writer,
            display: &mut self.display,
            live: self.live.as_mut(),
            heat: self.watch.heat_gauges(),
            silent: SilentWorkers::default(),
        };
        let ended = conduct(plan, &mut self.stage, workloads, &mut self.recorder, &mut turn);
        self.writer.note_standstills(self.recorder.analysis().standstills());
        match &ended {
            Ok(end) => self.end_phase(end),
            Err(ConductError::AllFailed(end) | ConductError::Unanswered(end)) => self.end_phase(end),
            Err(ConductError::Engine(_) | ConductError::Thread(_)) => {}
        }
        ended
    }

    fn end_phase(&mut self, end: &PhaseEnd) {
        self.hangs |= end.unanswered.is_some();
        self.writer.manifest.kernel_log = self.watch.kernel_log();
        let workers = self.heartbeat.as_ref().and_then(Heartbeat::take_worker_time);
        self.writer.end_phase(end, workers);
    }

    /// Shows the temperature of a real drive; none where the kernel has no sensor of it.
    pub fn thermometry(&self, clock: Clock) -> Option<Thermometry> {
        let gauges = self.watch.heat_gauges();
        let has_sensor = !gauges.labels.is_empty();
        let shown = move || gauges.at(clock.now()).first().copied().flatten();
        has_sensor.then(|| Arc::new(shown) as Thermometry)
    }

    /// Watches from now on whether the program itself runs.
    pub fn watch_standstills(&mut self, clock: Clock) {
        match Heartbeat::start(clock) {
            Ok(heartbeat) => {
                self.recorder.watch_standstills(Box::new(heartbeat.reader()));
                self.heartbeat = Some(heartbeat);
            }
            Err(error) => {
                let text = format!("Whether the program itself stood still meanwhile is not known: {error}.");
                self.writer.notice(Notice::warning(text));
            }
        }
    }

    /// Watches the machine during a run, from some time before its first phase to some time after its last where the run is
    /// kept. Of one that is not kept, only what is needed to see whether the drive throttled is read.
    pub fn watch_machine(&mut self, device: DeviceNumber, clock: Clock) {
        let drive = DriveGauges { device: Some(device), heat: self.watch.heat_gauges() };
        self.heat_seconds = HeatSeconds::from_gauges(&drive.all());
        let folder = self.writer.folder.as_ref().map(RunFolder::path);
        if folder.is_none() && self.heat_seconds.is_none() {
            return;
        }
        let seconds = self.heat_seconds.clone();
        match MachineWatch::start((folder, seconds), drive, clock, &self.stage.interrupt) {
            Ok(machine) => self.machine = machine,
            Err(error) => self.writer.notice(not_watched(&error)),
        }
    }

    /// Why I/Os of the phase that ended last failed.
    pub fn failures_of_last_phase(&self) -> Failures {
        let mut failures = Failures::default();
        self.recorder.analysis().phases().last().into_iter().for_each(|phase| failures.add(&phase.failures));
        failures
    }

    /// The analysis of the phase that ran last.
    pub fn last_phase(&self) -> Option<&PhaseAnalysis> {
        self.recorder.analysis().phases().last()
    }

    /// Notes that the run cannot go on: it is closed with what it has, and then fails.
    pub fn broke(&mut self, failure: Failure) -> Failure {
        self.writer.notice(Notice::failure(format!("The run broke off: {failure}.")));
        failure
    }

    /// How many engines there are.
    pub fn engine_count(&self) -> u16 {
        u16::try_from(self.stage.engines.len()).unwrap_or(u16::MAX)
    }

    /// Closes the records and writes the outcome. `written` is what was written during the whole run.
    pub fn finish(mut self, simulation: Option<SimulationAccount>, written: Option<MediaWrites>) -> Finished {
        self.display.line.clear();
        self.writer.note_watched(&self.watch);
        let interrupted = self.stage.interrupt.is_raised();
        let heat = self.heat();
        if let Some(live) = &mut self.live {
            let ended = LiveState { done: Some(1.0).filter(|_| !interrupted), ..LiveState::default() };
            self.recorder.settle();
            live.write(Some(&self.recorder), ended, false);
        }
        let mut kept = self.recorder.finish();
        self.writer.note_standstills(kept.analysis.standstills());
        add_unsent(&mut kept.analysis, &self.writer.manifest.phases);
        let (manifest, mut failures, mut named) = (&self.writer.manifest, Failures::default(), Vec::new());
        let phases = manifest.phases.iter().zip(kept.analysis.phases()).enumerate();
        for (_, (phase, analysis)) in phases.filter(|(number, _)| !self.excused.contains(number)) {
            failures.add(&analysis.failures);
            named.push((phase.name.as_str(), &analysis.unserved));
        }
        let lapses = lapses_document(&named, self.not_as_written.take(), manifest.drive.size_bytes);
        let (delayed, is_kept) = (kept.analysis.delayed(), self.writer.folder.is_some());
        let outcome = Outcome {
            interrupted,
            broke_off: self.broke_off,
            completions: kept.completions,
            failed: failures.count(),
            lapses,
            lost_records: if is_kept { kept.lost_records() } else { kept.lost_in_queues },
            left_out: delayed.left_out,
            longest_left_out_ns: delayed.longest_left_out.get(),
            at_least: delayed.at_least,
            records_bytes: kept.written.bytes,
            completions_hash: kept.digest,
            simulation,
            written,
            energy: None,
            heat,
        };
        self.writer.judge(&outcome, &failures, kept.written.first_error.as_deref());
        let unserved = kept.analysis.phases().iter().map(|phase| &phase.unserved);
        self.writer.manifest.notices.extend(unread_writes(unserved).filter(|_| !self.reads_back));
        self.writer.manifest.outcome = Some(outcome);
        // The meter may take its time: a kill meanwhile is not to cost the outcome.
        self.writer.save();
        if let Some(power) = self.power {
            self.writer.note_energy(power, &kept.analysis, &self.stage.interrupt);
        }
        let ended =
            if self.hangs { self.machine.leave() } else { self.machine.finish(&self.stage.interrupt) };
        if let Err(error) = ended {
            self.writer.notice(not_watched(&error));
        }
        match (self.simulated_heat, self.heat_seconds) {
            (Some(heat), _) => self.writer.keep_simulated_heat(&heat),
            (None, Some(seconds)) => seconds.judge(&mut self.writer.manifest),
            (None, None) => {}
        }
        self.writer.save_the_end();
        Finished {
            manifest: self.writer.manifest,
            analysis: kept.analysis,
            observer: kept.observer,
            folder: self.writer.folder,
            unwritten: kept.written.lost,
        }
    }

    /// How warm the drive was, and how it was warmed up.
    fn heat(&self) -> Option<HeatDocument> {
        let of_real = if self.hangs { None } else { self.watch.heat() };
        let heat = of_real.or_else(|| self.simulated_heat.as_ref().map(SimulatedHeat::document));
        match self.warm_up {
            Some(_) => Some(HeatDocument { warm_up: self.warm_up, ..heat.unwrap_or_default() }),
            None => heat,
        }
    }
}

/// Adds what open loops could not send to the analysis of their phases: it came with no completion.
pub fn add_unsent(analysis: &mut RunAnalysis, phases: &[Phase]) {
    for (number, phase) in phases.iter().enumerate() {
        analysis.add_unsent(number, &phase.unsent.iter().copied().collect());
    }
}

/// A folder or file of a run that cannot be made, and what to do about it.
pub fn not_created(error: RecordError) -> Failure {
    match error {
        RecordError::Io(path, source) => Failure::not_written(&path, &source),
        other => other.into(),
    }
}

impl<E: TestedEngine> RunSession<E> {
    /// The simulated drive; none of a run on a real one.
    pub(crate) fn simulated(&self) -> Option<&SimDrive> {
        self.stage.engines.first()?.simulated()
    }

    /// The same, between two phases.
    pub(crate) fn simulated_mut(&mut self) -> Option<&mut SimDrive> {
        self.stage.engines.first_mut()?.simulated_mut()
    }
}

/// What is done while a phase runs, in addition to keeping its completions.
struct PhaseProgress<'a> {
    plan: &'a PhasePlan,
    writer: &'a mut ManifestWriter,
    display: &'a mut Display,
    live: Option<&'a mut LiveRun>,
    heat: HeatGauges,
    silent: SilentWorkers,
}

impl PhaseProgress<'_> {
    /// Writes what the run does now, where that was asked for and is due.
    fn write_live(&mut self, recorder: &RunRecorder) {
        let Some(live) = self.live.as_mut() else { return };
        if !live.is_due() {
            return;
        }
        let (done, left_s) = self.display.of_whole().unzip();
        let phase = Some(self.plan.name.as_str());
        let state = LiveState { phase, done, left_s, celsius: self.heat.latest(), watts: None };
        live.write(Some(recorder), state, true);
    }
}

impl Progress for PhaseProgress<'_> {
    fn begin(&mut self, started_at: Instant) {
        self.writer.begin_phase(self.plan, started_at);
    }

    fn turn(&mut self, recorder: &RunRecorder, idle: bool) {
        if let Some(phase) = recorder.analysis().phases().last() {
            self.display.show(&self.plan.name, phase, self.silent.are_there());
        }
        self.write_live(recorder);
        self.writer.watch_records(recorder);
        self.writer.save_standstills(recorder.analysis().standstills());
        wait_where_idle(idle);
    }

    fn silence(&mut self, silence: &Silence) {
        self.silent.note(silence);
        self.writer.keep_silence(silence);
    }
}
