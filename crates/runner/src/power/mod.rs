//! What a drive, or the machine, draws beside a task.

mod beside;
mod file;
mod sampler;

use std::path::{Path, PathBuf};
use std::time::Duration;

use drivelab_block::Nanos;
use drivelab_documents::{
    EnergyDocument, EnergyReport, IdlePower, MeterDocument, Stretch, WrongReadingsDocument,
};
use drivelab_meter::{Logged, Meter, MeterSpec, WrongLines};
use drivelab_method::Interrupt;
use drivelab_record::RecordError;
use drivelab_stats::{PowerKind, PowerPoint, PowerTrack};
use drivelab_uring::Clock;

pub use self::beside::{RunPower, note, seconds};
use self::file::PowerFile;
use self::sampler::Sampler;
use super::TargetName;
use super::conditions::{monotonic, unix_nanos};
use crate::{Failure, MeterOptions, nap, output};

/// How long an instrument may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// What is kept of a task's energy.
pub const ENERGY_FILE: &str = "energy.json";
/// The power over time.
pub const POWER_FILE: &str = "power.csv";

/// A meter beside a task: idle, the task, idle.
#[derive(Debug)]
pub struct Metering {
    battery_wh: Option<f64>,
    source: PowerMeter,
    /// When the clock of the run was zero, on `CLOCK_MONOTONIC` in seconds.
    zero_s: f64,
    baseline: Nanos,
    before: Option<Stretch>,
    /// The idle times between runs of a task that is done several times.
    between: Vec<Stretch>,
}

#[derive(Debug)]
enum PowerMeter {
    Sampled(Sampler),
    /// A file that is read afterwards.
    Logged(PathBuf, MeterDocument),
}

/// What a meter said, on `CLOCK_MONOTONIC` in seconds, and how it behaved.
struct MeterReadings {
    track: PowerTrack,
    meter: MeterDocument,
    /// What the reader has to know.
    notices: Vec<String>,
}

/// What a meter said, and how it behaved, in seconds on the clock of the run.
pub struct Metered {
    /// All but the task. The idle time is that before it and after it; of several runs before the first and after the last.
    pub report: EnergyReport,
    /// The idle times between its runs, where it was done several times.
    between: Vec<Stretch>,
}

/// `CLOCK_MONOTONIC` in seconds.
pub fn monotonic_s() -> f64 {
    monotonic() as f64 / 1e9
}

impl Metering {
    /// Opens the meter, where one is named, and begins to read it.
    pub fn open(args: &MeterOptions) -> Result<Option<Metering>, Failure> {
        let Some(spec) = &args.meter else { return Ok(None) };
        let document = MeterDocument {
            name: spec.to_string(),
            measures: measures(spec).to_owned(),
            volts: args.volts,
            ..MeterDocument::default()
        };
        let source = match spec {
            MeterSpec::Csv(path) => {
                // Read now for what could stand against it later.
                check_log(path, &Logged::read(path).map_err(Failure::Environment)?)?;
                PowerMeter::Logged(path.clone(), document)
            }
            spec => {
                let meter = Meter::open(spec, Path::new("/"), args.volts, PATIENCE);
                let meter = meter.map_err(Failure::Environment)?;
                let identity = meter.identity().map(str::to_owned);
                PowerMeter::Sampled(Sampler::start(meter, MeterDocument { identity, ..document })?)
            }
        };
        Ok(Some(Metering {
            battery_wh: args.battery,
            source,
            zero_s: 0.0,
            baseline: args.baseline,
            before: None,
            between: Vec::new(),
        }))
    }

    /// Does nothing for a while before the task, whose engines have this clock. Where the run is kept, its folder has the
    /// readings as they come; a file of another program's is there only afterwards.
    pub fn begin(
        &mut self,
        folder: Option<&Path>,
        clock: Clock,
        interrupt: &Interrupt,
    ) -> Result<(), RecordError> {
        self.zero_s = clock.origin().get() as f64 / 1e9;
        if let (Some(folder), Some(sampler)) = (folder, self.sampler()) {
            sampler.keep_in(PowerFile::create(folder, self.zero_s)?);
        }
        self.before = idle(self.baseline, interrupt);
        Ok(())
    }

    /// Does nothing for a while between two runs of the task. Returns whether the next one can be measured: the user has not
    /// ended the idle time, and the meter was not given up.
    pub fn idle_between(&mut self, interrupt: &Interrupt) -> bool {
        let idle = if self.is_given_up() { None } else { idle(self.baseline, interrupt) };
        self.between.extend(idle);
        idle.is_some() && !self.is_given_up()
    }

    /// The power in watts by the latest reading; none where that is not known, as of a file that is read afterwards.
    pub fn latest_watts(&self) -> Option<f64> {
        self.sampler()?.latest_watts()
    }

    /// Whether the meter gave nothing any more, and is read no further.
    pub fn is_given_up(&self) -> bool {
        self.sampler().is_some_and(Sampler::is_given_up)
    }

    fn sampler(&self) -> Option<&Sampler> {
        match &self.source {
            PowerMeter::Sampled(sampler) => Some(sampler),
            PowerMeter::Logged(..) => None,
        }
    }

    /// Does nothing for a while after the task, and ends the reading.
    pub fn finish(self, interrupt: &Interrupt) -> Result<Metered, Failure> {
        let after = idle(self.baseline, interrupt);
        let now = monotonic_s();
        // One that was interrupted before has no idle time at all.
        let before = self.before.unwrap_or(Stretch { from_s: now, to_s: now });
        let readings = match self.source {
            PowerMeter::Sampled(sampler) => sampler.finish(),
            PowerMeter::Logged(path, meter) => take_logged(&path, meter, before.from_s, now)?,
        };
        let zero_s = self.zero_s;
        let shifted = |time: Stretch| Stretch { from_s: time.from_s - zero_s, to_s: time.to_s - zero_s };
        let idle = IdlePower::Measured(shifted(before), after.map(shifted));
        let mut report = readings.report(idle, self.battery_wh);
        report.track = report.track.shifted(zero_s);
        Ok(Metered { report, between: self.between.into_iter().map(shifted).collect() })
    }
}

/// Refuses a log of whose lines none has a time, or only one that cannot be the date: they are no better after the task.
fn check_log(path: &Path, logged: &Logged) -> Result<(), Failure> {
    const LONG_AGO_S: f64 = 1e9;
    let has_lines = !logged.samples.is_empty() || !logged.wrong.is_empty();
    let dated = logged.samples.iter().any(|sample| sample.unix_s > LONG_AGO_S);
    if has_lines && !dated {
        return Err(environment!(
            "--meter csv: no line of {} has a time and a power: times are seconds since 1970, or ISO 8601 with a zone \
             (2026-03-01T12:00:00.5Z), and watts are plain numbers",
            path.display()
        ));
    }
    Ok(())
}

/// What a meter's figures are of: seldom the drive alone.
fn measures(spec: &MeterSpec) -> &'static str {
    match spec {
        MeterSpec::Battery => "which feeds the whole machine",
        MeterSpec::Rapl => "which counts the processor packages, not the drive",
        MeterSpec::Sim => "the simulated drive's own account",
        MeterSpec::Hwmon(_) | MeterSpec::Scpi(_) | MeterSpec::Csv(_) => "which counts all that hangs on it",
    }
}

/// Does nothing for so long; `None` where the user ended that.
fn idle(length: Nanos, interrupt: &Interrupt) -> Option<Stretch> {
    let length_s = length.as_secs_f64();
    if !interrupt.is_raised() {
        say!("drivelab: idle for {length_s} s, to know what is drawn without the task");
    }
    let from_s = monotonic_s();
    nap(length, interrupt);
    (!interrupt.is_raised()).then_some(Stretch { from_s, to_s: from_s + length_s })
}

/// Takes what another program wrote about the time from `from_s` to `to_s`, on `CLOCK_MONOTONIC`.
fn take_logged(
    path: &Path,
    mut meter: MeterDocument,
    from_s: f64,
    to_s: f64,
) -> Result<MeterReadings, Failure> {
    let logged = Logged::read(path).map_err(Failure::Environment)?;
    let wall_s = unix_nanos() as f64 / 1e9 - monotonic_s();
    let points =
        logged.samples.iter().map(|sample| PowerPoint { at_s: sample.unix_s - wall_s, value: sample.watts });
    let points: Vec<PowerPoint> =
        points.filter(|point| (from_s - 60.0..=to_s + 60.0).contains(&point.at_s)).collect();
    meter.taken = points.iter().filter(|point| (from_s..=to_s).contains(&point.at_s)).count() as u64;
    let wrong: Vec<&WrongLines> = logged.wrong_within(from_s + wall_s, to_s + wall_s).collect();
    let count = wrong.iter().map(|wrong| wrong.count).sum();
    meter.due = meter.taken + count;
    if let Some(WrongLines { first, .. }) = wrong.first() {
        meter.wrong = vec![WrongReadingsDocument {
            kind: "no sample".to_owned(),
            count,
            first: format!("line {first} is not a time and a power later than the line before"),
        }];
    }
    let none = format!("{} has no sample of the time of this task.", path.display());
    let notices = if meter.taken == 0 { vec![none] } else { Vec::new() };
    let failures_s = logged.wrong.iter().filter_map(WrongLines::middle_s).map(|at_s| at_s - wall_s);
    let track = PowerTrack::new(PowerKind::Watts, points).with_failures(failures_s.collect());
    Ok(MeterReadings { track, meter, notices })
}

impl MeterReadings {
    /// The report of a task that is still to be named.
    fn report(self, idle: IdlePower, battery_wh: Option<f64>) -> EnergyReport {
        EnergyReport {
            meter: self.meter,
            track: self.track,
            task: Stretch { from_s: 0.0, to_s: 0.0 },
            idle,
            bytes: None,
            ios: None,
            battery_wh,
            target: None,
            account: None,
            notices: self.notices,
        }
    }
}

impl Metered {
    /// The idle power around each run: the idle time between two is after the one and before the other.
    pub fn idle_around(&self, runs: usize) -> Vec<IdlePower> {
        let IdlePower::Measured(first, last) = self.report.idle else { return vec![self.report.idle; runs] };
        let around = |run: usize| {
            let before = run.checked_sub(1).and_then(|before| self.between.get(before)).copied();
            let after = if run + 1 == runs { last } else { self.between.get(run).copied() };
            IdlePower::Measured(before.unwrap_or(first), after)
        };
        (0..runs).map(around).collect()
    }
}

/// Keeps the figures of a task in a folder.
fn keep_figures(folder: &Path, document: &EnergyDocument) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| environment!("the energy cannot be kept: {error}"))?;
    text.push('\n');
    output::write_file(&folder.join(ENERGY_FILE), text.as_bytes(), output::OwnFile::Json)
}

/// Refuses volts for a meter that tells power.
pub fn check_volts(args: &MeterOptions) -> Result<(), Failure> {
    match &args.meter {
        Some(meter) if args.volts.is_some() && !meter.may_be_ammeter() => {
            Err(usage!("--volts goes with an ammeter (hwmon: or scpi:): {meter} tells power"))
        }
        _ => Ok(()),
    }
}

/// Refuses a meter that cannot be this target's, before anything is touched.
pub fn check_meter(args: &MeterOptions, targets: &[TargetName]) -> Result<(), Failure> {
    check_volts(args)?;
    let is_simulated = |target: &TargetName| matches!(target, TargetName::Simulated(_));
    match &args.meter {
        None if args.volts.is_some() || args.battery.is_some() => {
            Err(usage!("--volts and --battery go with --meter: say what measures the power"))
        }
        Some(MeterSpec::Sim) if !targets.iter().all(is_simulated) => {
            Err(Failure::Usage("--meter sim is a simulated drive's: name the meter of a real one".to_owned()))
        }
        Some(meter) if *meter != MeterSpec::Sim && targets.iter().any(is_simulated) => {
            Err(usage!("--meter {meter} sees nothing of a simulated drive: use --meter sim"))
        }
        _ => Ok(()),
    }
}
