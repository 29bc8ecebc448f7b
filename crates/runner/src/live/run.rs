//! What a test of a drive does now.

use std::path::Path;

use drivelab_block::Op;
use drivelab_documents::Manifest;
use drivelab_method::RunRecorder;
use drivelab_stats::PhaseAnalysis;

use super::exposition::{Exposition, Labels};
use super::out::{FilePace, LiveOut};
use super::shared::{OpTotal, add_done, add_lost_records, add_running, add_totals, failed_ios};
use crate::Failure;

/// What a run shows of itself in the file of its command.
#[derive(Debug)]
pub(crate) struct LiveRun {
    out: LiveOut,
    pace: FilePace,
    run: Labels,
    /// Those of the sample that says what is run.
    info: Labels,
}

/// What is shown that is no count of I/Os.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LiveState<'a> {
    /// The phase under way; none where the run has none, or has ended.
    pub phase: Option<&'a str>,
    /// The share of the test that is done, from 0 to 1.
    pub done: Option<f64>,
    /// How long the rest takes, in seconds.
    pub left_s: Option<f64>,
    /// The temperature in degrees Celsius.
    pub celsius: Option<f64>,
    pub watts: Option<f64>,
}

impl LiveRun {
    pub fn begin(file: &Path, manifest: &Manifest) -> Result<LiveRun, Failure> {
        let run = Labels::new([
            ("command", manifest.method.clone()),
            ("target", manifest.hidden_serials().in_text(&manifest.target)),
        ]);
        let drive = &manifest.drive;
        let info = run
            .with("label", manifest.label.as_str())
            .with("model", drive.model.as_str())
            .with("firmware", drive.firmware.as_deref().unwrap_or_default())
            .with("version", manifest.version.as_str());
        let live = LiveRun { out: LiveOut::new(file), pace: FilePace::default(), run, info };
        live.out.replace(&live.text(None, LiveState::default(), true))?;
        Ok(live)
    }

    pub fn is_due(&mut self) -> bool {
        self.pace.is_due()
    }

    /// Writes what the run is at now, or what came of it. A run whose I/Os are not recorded has no counts of them.
    pub fn write(&mut self, recorder: Option<&RunRecorder>, state: LiveState<'_>, is_running: bool) {
        let text = self.text(recorder, state, is_running);
        self.out.write(&text);
    }

    fn text(&self, recorder: Option<&RunRecorder>, state: LiveState<'_>, is_running: bool) -> String {
        let mut all = Exposition::default();
        let run = &self.run;
        add_running(&mut all, run, is_running);
        all.known_gauge("drivelab_info", "What is run, and on which drive; always 1.", &self.info, Some(1.0));
        let phase = run.with("phase", state.phase.unwrap_or_default());
        all.known_gauge("drivelab_phase", "The phase under way; always 1.", &phase, state.phase.map(|_| 1.0));
        all.known_gauge(
            "drivelab_remaining_seconds",
            "How long the rest of the test takes.",
            run,
            state.left_s,
        );
        all.known_gauge("drivelab_temperature_celsius", "The temperature of the drive.", run, state.celsius);
        all.known_gauge("drivelab_power_watts", "The power that the meter shows.", run, state.watts);
        add_done(&mut all, run, state.done);
        if let Some(recorder) = recorder {
            counters(&mut all, run, recorder);
        }
        all.into_text()
    }
}

fn counters(all: &mut Exposition, run: &Labels, recorder: &RunRecorder) {
    let phases = recorder.analysis().phases();
    let failed: u64 = phases.iter().map(PhaseAnalysis::failed).sum();
    failed_ios(all).count(run, failed);
    add_lost_records(all, run, recorder.lost_records());
    let ops: Vec<(Labels, OpTotal)> = Op::ALL.into_iter().filter_map(|op| total(op, run, phases)).collect();
    add_totals(all, &ops);
}

/// What one kind of operation did in all phases; service times without those during which the program stood still.
fn total(op: Op, run: &Labels, phases: &[PhaseAnalysis]) -> Option<(Labels, OpTotal)> {
    let mut of_phases = phases.iter().filter_map(|phase| phase.op(op)).peekable();
    of_phases.peek()?;
    let mut total = OpTotal::default();
    for one in of_phases {
        total.completed += one.completed;
        total.bytes += one.bytes;
        total.service.merge(&one.service);
    }
    Some((run.with("operation", op.name()), total))
}
