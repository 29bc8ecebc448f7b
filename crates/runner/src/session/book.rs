//! The manifest of a run under way, and the folder that it is kept in.

use drivelab_block::{Instant, Nanos, Silence};
use drivelab_method::{Interrupt, PhaseEnd, PhasePlan, Progress, RunRecorder};
use drivelab_record::{
    Manifest, MediaWrites, Notice, Outcome, Phase, RecordError, RunFolder, Severity, WorkerTime,
};
use drivelab_stats::{RunAnalysis, Standstills};
use drivelab_uring::FeatureReport;

use crate::conditions::{is_obtained, obtained_conditions};
use crate::failures::Failures;
use crate::heat::{HeatGauges, SimulatedHeat, judge_heat};
use crate::live::{LiveRun, LiveState};
use crate::output;
use crate::power::{self, RunPower};
use crate::progress::Display;
use crate::quiet::wait_where_idle;
use crate::signals;
use crate::silences::{self, SilentWorkers};

/// The manifest, and the folder it is kept in.
pub(super) struct ManifestWriter {
    pub(super) manifest: Manifest,
    pub(super) folder: Option<RunFolder>,
    obtained: Option<FeatureReport>,
    has_told_of_losses: bool,
    /// When the last standstill ended that is in the saved manifest.
    saved_standstill: Instant,
}

/// Standstills are saved while a phase runs, at most this often: of a run that is killed, those of the last second are lost.
const SAVE_EVERY: Nanos = Nanos::from_secs(1);

impl ManifestWriter {
    /// A run that has no phase yet.
    pub(super) fn new(
        manifest: Manifest,
        folder: Option<RunFolder>,
        obtained: Option<FeatureReport>,
    ) -> ManifestWriter {
        ManifestWriter {
            manifest,
            folder,
            obtained,
            has_told_of_losses: false,
            saved_standstill: Instant::ORIGIN,
        }
    }

    /// Ends the meter, and notes what the measured phase took, or why that is not known.
    pub(super) fn note_energy(&mut self, power: RunPower, analysis: &RunAnalysis, interrupt: &Interrupt) {
        let report = power.finish(&self.manifest, analysis, interrupt);
        let Some(report) = report.transpose() else { return };
        power::note(&mut self.manifest, self.folder.as_ref().map(RunFolder::path), report);
    }

    /// What the engines obtained is written down before anything is measured: the run may be killed. Each phase
    /// sets them up anew, and the last word is that of the measured one.
    pub(super) fn begin_phase(&mut self, plan: &PhasePlan, started_at: Instant) {
        self.note_obtained();
        self.manifest.phases.push(Phase {
            name: plan.name.clone(),
            loop_label: plan.loop_kind,
            started_at_ns: started_at.as_nanos(),
            ended_at_ns: None,
            unsent: Vec::new(),
            silences: Vec::new(),
            written: None,
            workers: None,
        });
        self.save();
    }

    fn note_obtained(&mut self) {
        if let Some(obtained) = &self.obtained {
            self.manifest.conditions.retain(|line| !is_obtained(line));
            self.manifest.conditions.extend(obtained_conditions(obtained));
        }
    }

    pub(super) fn end_phase(&mut self, end: &PhaseEnd, workers: Option<WorkerTime>) {
        // Some of it shows only while requests are made.
        self.note_obtained();
        if let Some(phase) = self.manifest.phases.last_mut() {
            phase.ended_at_ns = Some(end.ended_at.as_nanos());
            phase.unsent = end.unsent.waits().collect();
            phase.silences.clear();
            phase.workers = workers;
        }
        self.save();
    }

    /// Keeps when the drive answers nothing: at once, since the run may be killed meanwhile.
    fn keep_silence(&mut self, silence: &Silence) {
        if let Some(phase) = self.manifest.phases.last_mut() {
            silences::keep(phase, silence);
            self.save();
        }
    }

    /// Notes what was written in the phase that ended last.
    pub(super) fn note_written(&mut self, written: MediaWrites) {
        if let Some(phase) = self.manifest.phases.last_mut() {
            phase.written = Some(written);
            self.save();
        }
    }

    /// Notes in which phases the drive throttled, once the machine is watched no more.
    pub(super) fn judge_heat(&mut self) {
        if let Some(folder) = &self.folder {
            judge_heat(folder.path(), &mut self.manifest);
        }
    }

    /// Keeps what a simulated drive read of its temperature, and notes in which phases it throttled.
    pub(super) fn keep_simulated_heat(&mut self, heat: &SimulatedHeat) {
        if let Some(Err(error)) = self.folder.as_ref().map(|folder| heat.keep_in(folder.path())) {
            let text = format!("The temperatures of the drive are not in the result: {error}.");
            self.manifest.notices.push(Notice { severity: Severity::Warning, text });
        }
        heat.judge(&mut self.manifest);
    }

    /// Adds what a run has to say against itself.
    pub(super) fn judge(&mut self, outcome: &Outcome, failures: &Failures, first_error: Option<&str>) {
        let where_they_are =
            if self.folder.is_some() { "; they are in the records with their error" } else { "" };
        let mut fail =
            |text: String| self.manifest.notices.push(Notice { severity: Severity::Failure, text });
        if outcome.lost_records > 0 {
            let why = first_error.map_or("the recorder fell behind".to_owned(), str::to_owned);
            fail(format!("{} completions are not in the records: {why}.", outcome.lost_records));
        }
        // What was not answered is said by the phase.
        let failed = failures.of_answered();
        if failed.count() > 0 {
            fail(format!("{} I/Os failed ({}){where_they_are}.", failed.count(), failed.words()));
        }
        if outcome.interrupted {
            fail(format!("The run was {}: what it had until then is shown.", signals::stopped_in_words()));
        }
    }

    /// Notes when the program stood still.
    pub(super) fn note_standstills(&mut self, known: &Standstills) {
        if known.all().len() > self.manifest.standstills.len() {
            self.manifest.standstills = known.all().to_vec();
        }
    }

    /// The same, and saves it now and then.
    fn save_standstills(&mut self, known: &Standstills) {
        self.note_standstills(known);
        if let Some(last) = known.all().last()
            && last.until >= self.saved_standstill + SAVE_EVERY
        {
            self.saved_standstill = last.until;
            self.save();
        }
    }

    /// Says it at once where records are lost: a run may go on for hours, and whoever sits by it can make room.
    pub(super) fn watch_records(&mut self, recorder: &RunRecorder) {
        if let (false, Some(why)) = (self.has_told_of_losses, recorder.records_lost_because()) {
            self.has_told_of_losses = true;
            output::say(format_args!("drivelab: records are being lost: {why}; the run goes on"));
        }
    }

    /// A run whose machine is not watched is still a run.
    pub(super) fn not_watched(&mut self, error: &RecordError) {
        let text = format!("What the machine did during the run is not all there: {error}.");
        self.manifest.notices.push(Notice { severity: Severity::Warning, text });
    }

    /// A manifest that cannot be saved (the disk is full) does not end the run: the older one still serves.
    pub(super) fn save(&mut self) {
        if let Some(text) = self.not_saved(RunFolder::save)
            && !self.manifest.notices.iter().any(|notice| notice.text == text)
        {
            self.manifest.notices.push(Notice { severity: Severity::Warning, text });
        }
    }

    /// Without its outcome a kept run looks killed to whoever reads it later.
    pub(super) fn save_the_end(&mut self) {
        if let Some(text) = self.not_saved(RunFolder::save_the_end) {
            self.manifest.notices.push(Notice { severity: Severity::Failure, text });
        }
    }

    fn not_saved(&self, save: impl Fn(&RunFolder, &Manifest) -> Result<(), RecordError>) -> Option<String> {
        let error = save(self.folder.as_ref()?, &self.manifest).err()?;
        Some(format!("The manifest could not be saved: {error}."))
    }
}

/// What is done while a phase runs, in addition to keeping its completions.
pub(super) struct PhaseProgress<'a> {
    pub(super) plan: &'a PhasePlan,
    pub(super) book: &'a mut ManifestWriter,
    pub(super) display: &'a mut Display,
    pub(super) live: Option<&'a mut LiveRun>,
    pub(super) heat: HeatGauges,
    pub(super) silent: SilentWorkers,
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
        live.write(
            Some(recorder),
            LiveState { phase, done, left_s, celsius: self.heat.latest(), watts: None },
        );
    }
}

impl Progress for PhaseProgress<'_> {
    fn begin(&mut self, started_at: Instant) {
        self.book.begin_phase(self.plan, started_at);
    }

    fn turn(&mut self, recorder: &RunRecorder, idle: bool) {
        if let Some(phase) = recorder.analysis().phases().last() {
            self.display.show(&self.plan.name, phase, self.silent.are_there());
        }
        self.write_live(recorder);
        self.book.watch_records(recorder);
        self.book.save_standstills(recorder.analysis().standstills());
        wait_where_idle(idle);
    }

    fn silence(&mut self, silence: &Silence) {
        self.silent.note(silence);
        self.book.keep_silence(silence);
    }
}
