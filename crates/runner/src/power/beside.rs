//! The meter beside a run: from its first idle second to the figures of what it measured.

use std::path::Path;

use drivelab_block::{Engine as _, Instant};
use drivelab_meter::MeterSpec;
use drivelab_method::Interrupt;
use drivelab_record::{
    EnergyAccountDocument, EnergyReport, IdlePower, Manifest, MeterDocument, Phase, PhaseRequest,
    RecordError, Stretch,
};
use drivelab_sim::{Joules, SimDrive};
use drivelab_stats::{PhaseAnalysis, PowerKind, PowerPoint, PowerTrack, RunAnalysis};
use drivelab_uring::Clock;

use super::file::PowerFile;
use super::{Metered, Metering, POWER_FILE, origin_s};
use crate::Failure;

/// What tells the power of a run.
#[derive(Debug)]
pub struct RunPower {
    source: TestMeter,
    battery_wh: Option<f64>,
}

#[derive(Debug)]
enum TestMeter {
    /// A meter, and when the clock of the run was zero on that of the meter.
    Real(Metering, f64),
    /// A simulated drive's own.
    Simulated(Option<Drawn>),
}

/// What a simulated drive says of its energy.
#[derive(Debug)]
struct Drawn {
    readings: Vec<PowerPoint>,
    idle_watts: f64,
    account: Joules,
    /// What the account is of.
    span: Stretch,
}

impl RunPower {
    /// A meter beside a real run, whose engines have this clock and whose folder, where it is kept, has the readings as they
    /// come. Nothing is done for a while first.
    ///
    /// # Errors
    /// Where the file of readings cannot be made.
    pub fn real(
        mut metering: Metering,
        battery_wh: Option<f64>,
        (folder, clock): (Option<&Path>, Clock),
        interrupt: &Interrupt,
    ) -> Result<RunPower, RecordError> {
        let zero_s = origin_s(clock);
        if let Some(folder) = folder {
            metering.keep_in(folder, zero_s)?;
        }
        metering.idle_before(interrupt);
        Ok(RunPower { source: TestMeter::Real(metering, zero_s), battery_wh })
    }

    /// The meter of a simulated drive.
    pub fn simulated(battery_wh: Option<f64>) -> RunPower {
        RunPower { source: TestMeter::Simulated(None), battery_wh }
    }

    /// Takes what a simulated drive drew until now, and its own account at `since` and now.
    pub fn take(&mut self, drive: &SimDrive, (before, now): (Joules, Joules), since: Instant) {
        if let TestMeter::Simulated(drawn) = &mut self.source {
            let reading = |(at, joules): &(Instant, f64)| PowerPoint { at_s: seconds(*at), value: *joules };
            let last = (drive.now(), now.total());
            *drawn = Some(Drawn {
                readings: drive.energy_readings().iter().chain([&last]).map(reading).collect(),
                idle_watts: drive.idle_watts(),
                account: now.since(&before),
                span: Stretch { from_s: seconds(since), to_s: seconds(drive.now()) },
            });
        }
    }

    /// Ends the reading, and returns what was drawn from the begin of the first measured phase to the end of the last one;
    /// `None` where none was measured.
    ///
    /// # Errors
    /// Where a file of readings cannot be read.
    pub fn finish(
        self,
        manifest: &Manifest,
        analysis: &RunAnalysis,
        interrupt: &Interrupt,
    ) -> Result<Option<EnergyReport>, Failure> {
        let (metered, account) = match self.source {
            TestMeter::Real(metering, zero_s) => (shifted(metering.finish(interrupt)?, zero_s), None),
            TestMeter::Simulated(Some(drawn)) => drawn.metered(),
            TestMeter::Simulated(None) => return Ok(None),
        };
        let Ok(chosen) = manifest.choose_phases(&PhaseRequest::Measured) else { return Ok(None) };
        let phases = manifest.phases.iter().zip(analysis.phases()).enumerate();
        let measured: Vec<(&Phase, &PhaseAnalysis)> =
            phases.filter(|(place, _)| chosen.takes(*place)).map(|(_, phase)| phase).collect();
        let stretches = measured.iter().map(|(phase, measured)| stretch(phase, measured));
        let Some(task) = stretches.reduce(|first, last| Stretch { to_s: last.to_s, ..first }) else {
            return Ok(None);
        };
        let mut report = metered.report(task);
        report.bytes = Some(measured.iter().map(|(_, measured)| measured.moved().get()).sum());
        report.ios = Some(measured.iter().map(|(_, measured)| measured.completed()).sum());
        report.battery_wh = self.battery_wh;
        report.target = Some(manifest.target.clone());
        // An account that takes in more than the measured phase is not of it.
        let is_of = |span: &Stretch| span.to_s - span.from_s < 1.001 * (task.to_s - task.from_s);
        report.account = account.filter(|(_, span)| is_of(span)).map(|(account, _)| account);
        Ok(Some(report))
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

/// What a meter said, on the clock of the run.
pub fn shifted(metered: Metered, zero_s: f64) -> Metered {
    let shift = |stretch: Stretch| Stretch { from_s: stretch.from_s - zero_s, to_s: stretch.to_s - zero_s };
    let track = metered.track.shifted(zero_s);
    let idle = match metered.idle {
        IdlePower::Measured(before, after) => IdlePower::Measured(shift(before), after.map(shift)),
        known @ IdlePower::Known(_) => known,
    };
    let between = metered.between.into_iter().map(shift).collect();
    Metered { track, idle, between, ..metered }
}

impl Drawn {
    fn metered(self) -> (Metered, Option<(EnergyAccountDocument, Stretch)>) {
        let taken = self.readings.len() as u64;
        let meter = MeterDocument {
            name: "sim".to_owned(),
            measures: super::measures(&MeterSpec::Sim).to_owned(),
            due: taken,
            taken,
            ..MeterDocument::default()
        };
        let account = EnergyAccountDocument {
            joules: self.account.total(),
            idle: self.account.idle,
            read: self.account.read,
            program: self.account.program,
            erase: self.account.erase,
            seek: self.account.seek,
            transfer: self.account.transfer,
        };
        let metered = Metered {
            track: PowerTrack::new(PowerKind::Joules, self.readings),
            meter,
            idle: IdlePower::Known(self.idle_watts),
            between: Vec::new(),
            notices: Vec::new(),
        };
        (metered, Some((account, self.span)))
    }
}

/// Keeps the power over time among what was read beside a run, unless it was written while it was read.
pub fn keep_readings(folder: &Path, track: &PowerTrack) -> Result<(), RecordError> {
    if folder.join(POWER_FILE).exists() {
        return Ok(());
    }
    let mut file = PowerFile::create(folder, 0.0)?;
    track.intervals().try_for_each(|interval| file.add(interval))
}
