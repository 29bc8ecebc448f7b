//! What is done while a phase runs.

use drivelab_block::{Instant, Silence};
use drivelab_method::{PhasePlan, Progress, RunRecorder};

use crate::heat::HeatGauges;
use crate::live::{LiveRun, LiveState};
use crate::manifest_writer::ManifestWriter;
use crate::progress::Display;
use crate::quiet::wait_where_idle;
use crate::silences::SilentWorkers;

/// What is done while a phase runs, in addition to keeping its completions.
pub(super) struct PhaseProgress<'a> {
    pub(super) plan: &'a PhasePlan,
    pub(super) writer: &'a mut ManifestWriter,
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
