//! The manifest of a run under way, and the folder that it is kept in.

use drivelab_block::{Instant, Nanos, Silence};
use drivelab_documents::{Manifest, MediaWrites, Notice, Outcome, Phase, WorkerTime};
use drivelab_method::{Interrupt, PhaseEnd, PhasePlan, RunRecorder};
use drivelab_record::{RecordError, RunFolder};
use drivelab_stats::{LoopKind, RunAnalysis, Standstills};
use drivelab_uring::FeatureReport;

use crate::MACHINE;
use crate::conditions::{is_obtained, obtained_conditions};
use crate::failures::Failures;
use crate::heat::SimulatedHeat;
use crate::power::{self, RunPower};
use crate::signals;
use crate::silences;
use crate::watch::Watch;

/// The manifest, and the folder it is kept in.
pub struct ManifestWriter {
    pub manifest: Manifest,
    /// The folder; none of a run that is not kept.
    pub folder: Option<RunFolder>,
    obtained: Option<FeatureReport>,
    has_told_of_losses: bool,
    /// When the last standstill ended that is in the saved manifest.
    saved_standstill: Instant,
}

/// Standstills are saved while a phase runs, at most this often: of a run that is killed, those of the last second are lost.
const SAVE_EVERY: Nanos = Nanos::from_secs(1);

impl ManifestWriter {
    /// A run that has no phase yet.
    pub fn new(
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
    pub fn note_energy(&mut self, power: RunPower, analysis: &RunAnalysis, interrupt: &Interrupt) {
        let report = power.finish(&self.manifest, analysis, interrupt);
        let Some(report) = report.transpose() else { return };
        power::note(&mut self.manifest, self.folder.as_ref().map(RunFolder::path), report);
    }

    /// What the engines obtained is written down before anything is measured: the run may be killed. Each phase
    /// sets them up anew, and the last word is that of the measured one.
    pub fn begin_phase(&mut self, plan: &PhasePlan, started_at: Instant) {
        self.note_obtained();
        self.manifest.phases.push(begun_phase(plan.name.clone(), plan.loop_kind, started_at));
        self.save();
    }

    fn note_obtained(&mut self) {
        if let Some(obtained) = &self.obtained {
            self.manifest.conditions.retain(|line| !is_obtained(line));
            self.manifest.conditions.extend(obtained_conditions(obtained));
        }
    }

    pub fn end_phase(&mut self, end: &PhaseEnd, workers: Option<WorkerTime>) {
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
    pub fn keep_silence(&mut self, silence: &Silence) {
        if let Some(phase) = self.manifest.phases.last_mut() {
            silences::keep(phase, silence);
            self.save();
        }
    }

    /// Notes what was written in the phase that ended last.
    pub fn note_written(&mut self, written: MediaWrites) {
        if let Some(phase) = self.manifest.phases.last_mut() {
            phase.written = Some(written);
            self.save();
        }
    }

    /// Keeps what a simulated drive read of its temperature, and notes in which phases it throttled.
    pub fn keep_simulated_heat(&mut self, heat: &SimulatedHeat) {
        if let Some(Err(error)) =
            self.folder.as_ref().map(|folder| heat.keep_in(&folder.path().join(MACHINE)))
        {
            let text = format!("The temperatures of the drive are not in the result: {error}.");
            self.manifest.notices.push(Notice::warning(text));
        }
        heat.judge(&mut self.manifest);
    }

    /// Adds what a run has to say against itself.
    pub fn judge(&mut self, outcome: &Outcome, failures: &Failures, first_error: Option<&str>) {
        let where_they_are =
            if self.folder.is_some() { "; they are in the records with their error" } else { "" };
        let mut fail = |text: String| self.manifest.notices.push(Notice::failure(text));
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
            self.note_interrupted();
        }
    }

    /// Notes what was seen of the drive while it was watched.
    pub fn note_watched(&mut self, watch: &Watch) {
        self.manifest.notices.extend(watch.notices());
        self.manifest.kernel_log = watch.kernel_log();
    }

    pub fn note_interrupted(&mut self) {
        let by = signals::stopped_in_words();
        self.manifest
            .notices
            .push(Notice::failure(format!("The run was {by}: what it had until then is shown.")));
    }

    pub fn note_standstills(&mut self, known: &Standstills) {
        if known.all().len() > self.manifest.standstills.len() {
            self.manifest.standstills = known.all().to_vec();
        }
    }

    /// The same, and saves it now and then.
    pub fn save_standstills(&mut self, known: &Standstills) {
        self.note_standstills(known);
        if let Some(last) = known.all().last()
            && last.until >= self.saved_standstill + SAVE_EVERY
        {
            self.saved_standstill = last.until;
            self.save();
        }
    }

    /// Says it at once where records are lost: a run may go on for hours, and whoever sits by it can make room.
    pub fn watch_records(&mut self, recorder: &RunRecorder) {
        if let (false, Some(why)) = (self.has_told_of_losses, recorder.records_lost_because()) {
            self.has_told_of_losses = true;
            say!("drivelab: records are being lost: {why}; the run goes on");
        }
    }

    /// Notes something that the reader of the run has to know; nothing is noted twice.
    pub fn notice(&mut self, notice: Notice) {
        if !self.manifest.notices.contains(&notice) {
            self.manifest.notices.push(notice);
        }
    }

    /// A manifest that cannot be saved (the disk is full) does not end the run: the older one still serves.
    pub fn save(&mut self) {
        if let Some(text) = self.not_saved(RunFolder::save) {
            self.notice(Notice::warning(text));
        }
    }

    /// Without its outcome a kept run looks killed to whoever reads it later.
    pub fn save_the_end(&mut self) {
        if let Some(text) = self.not_saved(RunFolder::save_the_end) {
            self.manifest.notices.push(Notice::failure(text));
        }
    }

    fn not_saved(&self, save: impl Fn(&RunFolder, &Manifest) -> Result<(), RecordError>) -> Option<String> {
        let error = save(self.folder.as_ref()?, &self.manifest).err()?;
        Some(format!("The manifest could not be saved: {error}."))
    }
}

pub fn begun_phase(name: String, loop_label: LoopKind, started_at: Instant) -> Phase {
    Phase { name, loop_label, started_at_ns: started_at.as_nanos(), ..Phase::default() }
}

/// That the machine was not watched, or not all the time: it is still a run.
pub fn not_watched(error: &dyn std::fmt::Display) -> Notice {
    Notice::warning(format!("What the machine did during the run is not all there: {error}."))
}
