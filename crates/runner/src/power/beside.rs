//! The meter beside a run: from its first idle second to the figures of what it measured.

use std::path::Path;

use drivelab_block::{EnergyAccount, Engine as _, Instant};
use drivelab_documents::{
    EnergyDocument, EnergyReport, IdlePower, Manifest, MeterDocument, Notice, Phase, PhaseRequest, Stretch,
};
use drivelab_meter::MeterSpec;
use drivelab_method::Interrupt;
use drivelab_record::RecordError;
use drivelab_sim::SimDrive;
use drivelab_stats::{PhaseAnalysis, PowerKind, PowerPoint, PowerTrack, RunAnalysis};

use super::file::PowerFile;
use super::{MeterReadings, Metering, POWER_FILE, keep_figures};
use crate::Failure;

#[derive(Debug)]
pub enum RunPower {
    Real(Box<Metering>),
    /// A simulated drive's own.
    Simulated {
        /// What it drew, once the run has ended.
        drawn: Option<Box<Drawn>>,
        /// The capacity of a battery in watt-hours, whose life is to be shown.
        battery_wh: Option<f64>,
    },
}

/// What a simulated drive says of its energy.
#[derive(Debug)]
pub struct Drawn {
    report: EnergyReport,
    /// What its account is of.
    span: Stretch,
}

impl RunPower {
    /// Takes what a simulated drive drew until now, and its own account at `since` and now.
    pub fn take(&mut self, drive: &SimDrive, (before, now): (EnergyAccount, EnergyAccount), since: Instant) {
        let RunPower::Simulated { drawn, battery_wh } = self else { return };
        let reading = |(at, joules): &(Instant, f64)| PowerPoint { at_s: seconds(*at), value: *joules };
        let last = (drive.now(), now.joules);
        let readings: Vec<_> = drive.energy_readings().iter().chain([&last]).map(reading).collect();
        let taken = readings.len() as u64;
        let readings = MeterReadings {
            track: PowerTrack::new(PowerKind::Joules, readings),
            meter: MeterDocument {
                name: "sim".to_owned(),
                measures: super::measures(&MeterSpec::Sim).to_owned(),
                due: taken,
                taken,
                ..MeterDocument::default()
            },
            notices: Vec::new(),
        };
        let mut report = readings.report(IdlePower::Known(drive.idle_watts()), *battery_wh);
        report.account = Some(now.since(&before));
        let span = Stretch { from_s: seconds(since), to_s: seconds(drive.now()) };
        *drawn = Some(Box::new(Drawn { report, span }));
    }

    /// Ends the reading, and returns what was drawn from the begin of the first measured phase to the end of the last one,
    /// and the readings; `None` where none was measured.
    pub fn finish(
        self,
        manifest: &Manifest,
        analysis: &RunAnalysis,
        interrupt: &Interrupt,
    ) -> Result<Option<(EnergyDocument, PowerTrack)>, Failure> {
        let (mut report, span) = match self {
            RunPower::Real(metering) => (metering.finish(interrupt)?.report, None),
            RunPower::Simulated { drawn: Some(drawn), .. } => (drawn.report, Some(drawn.span)),
            RunPower::Simulated { drawn: None, .. } => return Ok(None),
        };
        let Ok(chosen) = manifest.choose_phases(&PhaseRequest::Measured) else { return Ok(None) };
        let phases = manifest.phases.iter().zip(analysis.phases()).enumerate();
        let measured: Vec<(&Phase, &PhaseAnalysis)> =
            phases.filter(|(place, _)| chosen.takes(*place)).map(|(_, phase)| phase).collect();
        let stretches = measured.iter().map(|(phase, measured)| stretch(phase, measured));
        let Some(task) = stretches.reduce(|first, last| Stretch { to_s: last.to_s, ..first }) else {
            return Ok(None);
        };
        (report.task, report.target) = (task, Some(manifest.target.clone()));
        report.bytes = Some(measured.iter().map(|(_, measured)| measured.moved().get()).sum());
        report.ios = Some(measured.iter().map(|(_, measured)| measured.completed()).sum());
        // An account that takes in more than the measured phase is not of it.
        let is_of = |span: Stretch| span.to_s - span.from_s < 1.001 * (task.to_s - task.from_s);
        report.account = report.account.filter(|_| span.is_some_and(is_of));
        Ok(Some((EnergyDocument::from_report(&report), report.track)))
    }
}

/// Seconds on the clock of a run.
pub fn seconds(at: Instant) -> f64 {
    at.as_nanos() as f64 / 1e9
}

/// From a phase's begin to its end. What was in flight at the end is counted, so the time until its completion is too.
fn stretch(phase: &Phase, analysis: &PhaseAnalysis) -> Stretch {
    let from_s = phase.started_at_ns as f64 / 1e9;
    let completed_s = from_s + analysis.span().as_secs_f64();
    let ended_s = phase.ended_at_ns.map_or(completed_s, |ended| ended as f64 / 1e9);
    Stretch { from_s, to_s: ended_s.max(completed_s) }
}

/// Notes what was drawn in the manifest of a run, or why that is not known, and keeps the figures and the readings where there is
/// a folder.
pub fn note(
    manifest: &mut Manifest,
    folder: Option<&Path>,
    found: Result<(EnergyDocument, PowerTrack), Failure>,
) {
    let kept = found.and_then(|(document, track)| {
        let said = document.notices.iter().chain(&document.withheld);
        manifest.notices.extend(said.map(Notice::warning));
        manifest.conditions.extend(document.conditions());
        if let Some(outcome) = &mut manifest.outcome {
            outcome.energy = Some(document.clone());
        }
        let Some(folder) = folder else { return Ok(()) };
        keep_figures(folder, &document)?;
        Ok(keep_readings(folder, &track)?)
    });
    if let Err(why) = kept {
        let text = format!("What was drawn is not known, or not kept: {why}.");
        manifest.notices.push(Notice::warning(text));
    }
}

/// Keeps the power over time among what was read beside a run, unless it was written while it was read.
fn keep_readings(folder: &Path, track: &PowerTrack) -> Result<(), RecordError> {
    if folder.join(POWER_FILE).exists() {
        return Ok(());
    }
    let mut file = PowerFile::create(folder, 0.0)?;
    track.intervals().try_for_each(|interval| file.add(interval))
}
