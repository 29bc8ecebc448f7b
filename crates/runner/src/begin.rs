//! The beginning of a run, the same for every method: the stage, what is watched, what is said first.

use std::path::Path;

use drivelab_block::Payload;
use drivelab_method::{Interrupt, Workers};
use drivelab_record::{Manifest, OnFull};
use drivelab_sim::{Profile, ReadObserver, SimDrive};
use drivelab_uring::UringEngine;
use drivelab_workload::Seed;

use super::{Metering, Real, RunSession, SessionOptions, Watch};
use crate::Failure;
use crate::{MeterOptions, ParentProgress, TemperatureLimit};

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

/// Begins a run on a real target.
pub fn begin_real<P: Payload + Send + 'static>(
    real: &Real,
    engines: Vec<UringEngine<P>>,
    start: Start<'_>,
) -> Result<RunSession<UringEngine<P>>, Failure> {
    let Start { manifest, folder, live, parent, interrupt, meter, temperature_limit, .. } = start;
    let asked = meter.and_then(|args| Some((args, args.meter.as_ref()?)));
    let metering = asked.map(|(args, spec)| Metering::open(spec, args)).transpose()?;
    let watch = Watch::of_own_ios(real, temperature_limit, &interrupt)?;
    let obtained = engines.first().map(|engine| engine.obtained().clone());
    let stage = Workers { engines, queues: 1, on_full: OnFull::Lose, interrupt };
    let mut session =
        RunSession::open(SessionOptions { stage, manifest, folder, live, parent, watch, obtained })?;
    session.sync_in_background();
    for notice in real.notices() {
        session.notice(notice.severity, notice.text);
    }
    session.watch_standstills(real.clock());
    session.watch_machine(real.device(), real.clock());
    if let Some(metering) = metering {
        session.watch_power(metering, meter.and_then(|args| args.battery), real.clock())?;
    }
    Ok(session)
}

/// Begins a run on a simulated drive, new from `seed`, which serves this many queues.
pub fn begin_simulated(
    profile: &Profile,
    seed: u64,
    queues: u16,
    start: Start<'_>,
) -> Result<RunSession<SimDrive>, Failure> {
    let drive = SimDrive::new(profile, Seed::new(seed).child("drive").get());
    begin_on(drive, queues, start)
}

/// Begins a run on a simulated drive that keeps its contents, for a witness to look at, and lies where its profile says so.
pub fn begin_witnessed(
    profile: &Profile,
    seed: u64,
    witness: Box<dyn ReadObserver>,
    start: Start<'_>,
) -> Result<RunSession<SimDrive>, Failure> {
    let mut drive = SimDrive::with_contents(profile, Seed::new(seed).child("drive").get());
    drive.show_to(witness);
    begin_on(drive, 1, start)
}

fn begin_on(mut drive: SimDrive, queues: u16, start: Start<'_>) -> Result<RunSession<SimDrive>, Failure> {
    let Start { manifest, folder, live, parent, interrupt, meter, temperature_limit, writes } = start;
    let meter = meter.filter(|args| args.meter.is_some());
    if meter.is_some() {
        drive.begin_metering();
    }
    drive.begin_heat_log();
    let watch = Watch::of_simulated(&mut drive, (temperature_limit, writes), &interrupt)?;
    let stage = Workers { engines: vec![drive], queues, on_full: OnFull::Wait, interrupt };
    let opening = SessionOptions { stage, manifest, folder, live, parent, watch, obtained: None };
    let mut session = RunSession::open(opening)?;
    if let Some(args) = meter {
        session.meter_drive(args.battery);
    }
    Ok(session)
}
