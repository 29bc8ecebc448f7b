//! One run from its first phase to its closed records.

mod phase_progress;

use std::path::Path;
use std::sync::Arc;

use drivelab_block::{ByteCount, Engine, Instant, Nanos, PhaseId};
use drivelab_kinds::{
    PlannedTime, WarmUpPlan, lapses_document, not_as_written, unread_writes, warm_up_notice,
};
use drivelab_method::{
    ConductError, Interrupt, PhaseEnd, PhaseObserver, PhasePlan, RunRecorder, Thermometry, Workers, conduct,
};
use drivelab_record::{
    Digest, HeatDocument, LapsesDocument, Manifest, MediaWrites, NotAsWrittenDocument, Notice, Outcome,
    Phase, Readings, RecordError, RunFolder, Severity, SimulationAccount, WarmUpDocument,
};
use drivelab_safety::DeviceNumber;
use drivelab_sim::{Joules, SimDrive};
use drivelab_stats::{PhaseAnalysis, RunAnalysis};
use drivelab_uring::{Clock, FeatureReport};
use drivelab_workload::Workload;
use drivelab_workload::verify::Verification;

use super::failures::Failures;
use super::power::{Metering, RunPower};
use super::progress::{Display, Goal};
use super::{Heartbeat, MachineWatch, ParentProgress, Watch};
use crate::Failure;
use crate::heat::{HeatSeconds, SimulatedHeat};
use crate::live::{LiveRun, LiveState};
use crate::machine_watch::DriveGauges;
use crate::manifest_writer::ManifestWriter;
use crate::silences::SilentWorkers;
use phase_progress::PhaseProgress;

/// What a run begins with.
pub struct SessionOptions<'a, E> {
    /// The engines.
    pub stage: Workers<E>,
    /// The manifest as far as it is known.
    pub manifest: Manifest,
    /// Where the run is kept; nowhere for a load without records.
    pub folder: Option<&'a Path>,
    /// The file that says what the run does now, where one was named.
    pub live: Option<&'a Path>,
    /// What the run is a part of, where it is.
    pub parent: Option<&'a ParentProgress>,
    /// What is watched meanwhile.
    pub watch: Watch,
    /// What the first real engine obtains, which is known when a phase begins.
    pub obtained: Option<FeatureReport>,
}

/// A run under way.
pub struct RunSession<E> {
    stage: Workers<E>,
    recorder: RunRecorder,
    writer: ManifestWriter,
    display: Display,
    /// What is written for Prometheus, where that was asked for.
    live: Option<LiveRun>,
    watch: Watch,
    machine: MachineWatch,
    power: Option<RunPower>,
    /// What a simulated drive read of its temperature.
    simulated_heat: Option<SimulatedHeat>,
    /// What a run on a real drive that is not kept has seen of the drive's temperature.
    heat_seconds: Option<HeatSeconds>,
    /// How the drive was read until it was warm.
    warm_up: Option<WarmUpDocument>,
    /// What watches whether the program itself runs.
    heartbeat: Option<Heartbeat>,
    /// Phases whose failed I/Os are no failure of the run.
    excused: Vec<usize>,
    /// Whether the drive has not answered what was given up: it is not asked any more then.
    hangs: bool,
    /// Whether blocks were read back and judged.
    reads_back: bool,
    /// What is known of blocks that were read back and are not as written.
    not_as_written: Option<NotAsWrittenDocument>,
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
    /// Makes the run's folder and gets ready.
    pub fn open(opening: SessionOptions<'_, E>) -> Result<RunSession<E>, Failure> {
        let SessionOptions { stage, manifest, folder, live, parent, watch, obtained } = opening;
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
            reads_back: false,
            not_as_written: None,
            display,
            live,
            watch,
            machine: MachineWatch::nothing(),
            power: None,
            simulated_heat: None,
            heat_seconds: None,
            warm_up: None,
            heartbeat: None,
        })
    }

    /// Notes how long the whole test takes, of which the line of progress shows the rest.
    pub fn expect(&mut self, planned: PlannedTime) {
        self.display.expect(planned);
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
        let has_sensor = !gauges.labels().is_empty();
        let shown = move || gauges.at(clock.now()).first().copied().flatten();
        has_sensor.then(|| Arc::new(shown) as Thermometry)
    }

    /// Notes how the drive was read until it was warm.
    pub fn note_warm_up(&mut self, found: WarmUpDocument) {
        self.warm_up = Some(found);
        let notice = warm_up_notice(&found);
        self.notice(notice.severity, notice.text);
    }

    /// Notes what was written in the phase that ended last, by the drive's own counters.
    pub fn note_written(&mut self, written: MediaWrites) {
        self.writer.note_written(written);
    }

    /// Makes what is kept of the run survive a power cut.
    pub fn survive_power_cuts(&mut self) {
        self.recorder.survive_power_cuts();
    }

    /// Has what is kept of the run brought to the disk meanwhile: a power cut costs the records of about a second.
    pub fn sync_in_background(&mut self) {
        self.recorder.sync_in_background();
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
                self.notice(Severity::Warning, text);
            }
        }
    }

    /// Watches the machine during a run, from some time before its first phase to some time after its last where the run is
    /// kept. Of one that is not kept, only what is needed to see whether the drive throttled is read.
    pub fn watch_machine(&mut self, device: DeviceNumber, clock: Clock) {
        let drive = DriveGauges { device: Some(device), heat: self.watch.heat_gauges() };
        let Some(folder) = &self.writer.folder else {
            self.heat_seconds = HeatSeconds::from_gauges(&drive.all());
            if let Some(seconds) = self.heat_seconds.clone() {
                let keep = move |readings: &Readings| {
                    seconds.keep(readings);
                    Ok(())
                };
                self.machine = MachineWatch::giving(keep, drive, clock);
            }
            return;
        };
        match MachineWatch::start(folder.path(), drive, clock, &self.stage.interrupt) {
            Ok(machine) => self.machine = machine,
            Err(error) => self.writer.not_watched(&error),
        }
    }

    /// Reads a meter during the run, from some time before its first phase to some time after its last.
    pub fn watch_power(
        &mut self,
        metering: Metering,
        battery_wh: Option<f64>,
        clock: Clock,
    ) -> Result<(), Failure> {
        let folder = self.writer.folder.as_ref().map(RunFolder::path);
        let power = RunPower::real(metering, battery_wh, (folder, clock), &self.stage.interrupt);
        self.power = Some(power.map_err(not_created)?);
        Ok(())
    }

    /// Takes the failed I/Os of the phase that ended last as no failure of the run: its test says what they mean.
    pub fn excuse_last_phase(&mut self) {
        self.excused.extend(self.recorder.analysis().phases().len().checked_sub(1));
    }

    /// Notes which blocks that were read back are not as they were written.
    pub fn note_read_back(&mut self, found: &Verification) {
        self.reads_back = found.blocks > 0;
        self.not_as_written = not_as_written(found);
    }

    /// Has the phase that begins next also analysed as something else.
    pub fn add_observer(&mut self, observer: impl FnOnce(PhaseId) -> PhaseObserver) {
        let phase = self.recorder.next_phase();
        self.recorder.add_observer(observer(phase));
    }

    /// What a phase is also analysed as.
    pub fn observer(&self) -> Option<&PhaseObserver> {
        self.recorder.observer()
    }

    /// The folder of the run, where it is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.writer.folder.as_ref().map(RunFolder::path)
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

    /// How long the last phase took, until the completion of what was asked last; `end` is what it came back with.
    pub fn took(&self, end: &PhaseEnd) -> Nanos {
        end.took(self.recorder.analysis().phases().last())
    }

    /// When the first phase began that is no warm-up, on the clock of the engines.
    pub fn first_phase_at(&self) -> Instant {
        let mut named = self.writer.manifest.phases.iter().zip(self.recorder.analysis().phases());
        let first = named.find(|(phase, _)| phase.name != WarmUpPlan::PHASE);
        first.map_or(Instant::ORIGIN, |(_, phase)| phase.started_at)
    }

    /// Notes that the run cannot go on: it is closed with what it has, and then fails.
    pub fn broke(&mut self, failure: impl Into<Failure>) -> Failure {
        let failure = failure.into();
        self.notice(Severity::Failure, format!("The run broke off: {failure}."));
        failure
    }

    /// The folder of the run, where it is kept, and its manifest so far.
    pub fn kept(&self) -> Option<(&RunFolder, &Manifest)> {
        Some((self.writer.folder.as_ref()?, &self.writer.manifest))
    }

    /// The wish to end the run, which the drive's temperature may be, too.
    pub fn interrupt(&self) -> &Interrupt {
        &self.stage.interrupt
    }

    /// Whether the user, or the drive's temperature, wants the run to end.
    pub fn is_interrupted(&self) -> bool {
        self.stage.interrupt.is_raised()
    }

    /// Says something that the reader of the run has to know.
    pub fn notice(&mut self, severity: Severity, text: impl Into<String>) {
        self.writer.notice(Notice { severity, text: text.into() });
    }

    /// Whether the drive has not answered what was given up.
    pub fn hangs(&self) -> bool {
        self.hangs
    }

    /// The engines, between two phases.
    pub fn engines(&mut self) -> &mut [E] {
        &mut self.stage.engines
    }

    /// The engine of the first thread.
    pub fn first_engine(&self) -> Option<&E> {
        self.stage.engines.first()
    }

    /// How many engines there are.
    pub fn engine_count(&self) -> u16 {
        u16::try_from(self.stage.engines.len()).unwrap_or(u16::MAX)
    }

    /// Closes the records and writes the outcome. `written` is what was written during the whole run.
    pub fn finish(mut self, simulation: Option<SimulationAccount>, written: Option<MediaWrites>) -> Finished {
        self.display.clear();
        self.note_watched();
        let interrupted = self.is_interrupted();
        let heat = self.heat();
        if let Some(live) = &mut self.live {
            let ended = LiveState { done: Some(1.0).filter(|_| !interrupted), ..LiveState::default() };
            self.recorder.settle();
            live.end(Some(&self.recorder), ended);
        }
        let mut kept = self.recorder.finish();
        self.writer.note_standstills(kept.analysis.standstills());
        add_unsent(&mut kept.analysis, &self.writer.manifest.phases);
        let mut failures = Failures::default();
        let phases = kept.analysis.phases().iter().enumerate();
        phases
            .filter(|(phase, _)| !self.excused.contains(phase))
            .for_each(|(_, analysis)| failures.add(&analysis.failures));
        let delayed = kept.analysis.delayed();
        let lapses =
            lapses(&self.writer.manifest, (&kept.analysis, &self.excused), self.not_as_written.take());
        let outcome = Outcome {
            interrupted,
            completions: kept.completions,
            failed: failures.count(),
            lapses,
            lost_records: if self.writer.folder.is_some() {
                kept.lost_records()
            } else {
                kept.lost_in_queues
            },
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
            self.writer.not_watched(&error);
        }
        match (self.simulated_heat, self.heat_seconds) {
            (Some(heat), _) => self.writer.keep_simulated_heat(&heat),
            (None, Some(seconds)) => seconds.judge(&mut self.writer.manifest),
            (None, None) => self.writer.judge_heat(),
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

    fn note_watched(&mut self) {
        self.writer.manifest.notices.extend(self.watch.notices());
        self.writer.manifest.kernel_log = self.watch.kernel_log();
    }

    /// Whether no other use of the target has begun, and the drive is still there.
    ///
    /// # Errors
    /// Where a use, or the loss of the drive, ended the run.
    pub fn check_watch(&self) -> Result<(), Failure> {
        self.watch.check()
    }
}

/// What the drive did not do as it was asked in all phases but those that are excused, by their numbers.
fn lapses(
    run: &Manifest,
    (analysis, excused): (&RunAnalysis, &[usize]),
    not_as_written: Option<NotAsWrittenDocument>,
) -> Option<LapsesDocument> {
    let phases = run.phases.iter().zip(analysis.phases()).enumerate();
    let counted = phases.filter(|(number, _)| !excused.contains(number));
    let named: Vec<_> =
        counted.map(|(_, (phase, analysis))| (phase.name.as_str(), &analysis.unserved)).collect();
    lapses_document(&named, not_as_written, run.drive.size_bytes)
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
        RecordError::Io { path, source } => Failure::not_written(&path, &source),
        other => other.into(),
    }
}

impl RunSession<SimDrive> {
    /// Has the simulated drive's own meter read.
    pub fn meter_drive(&mut self, battery_wh: Option<f64>) {
        self.power = Some(RunPower::simulated(battery_wh));
    }

    /// Takes what the drive has read of its temperature.
    pub fn take_heat(&mut self) {
        self.simulated_heat = self.stage.engines.first().and_then(SimulatedHeat::from_drive);
    }

    /// Takes what the drive drew, and its own account at `since` and now.
    pub fn take_drawn(&mut self, accounts: (Joules, Joules), since: Instant) {
        if let (Some(power), Some(drive)) = (&mut self.power, self.stage.engines.first()) {
            power.take(drive, accounts, since);
        }
    }
}
