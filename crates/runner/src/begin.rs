//! The beginning of a run, the same for every method: the stage, what is watched, what is said first.

use drivelab_method::Workers;
use drivelab_record::{OnFull, RunFolder};
use drivelab_sim::{Profile, ReadObserver, SimDrive};
use drivelab_uring::UringEngine;
use drivelab_workload::Seed;

use crate::heat::HeatWatch;
use crate::power::RunPower;
use crate::{Failure, Metering, Real, RunSession, Start, Watch, not_created};

/// Begins a run on a real target.
pub fn begin_real(
    real: &Real,
    engines: Vec<UringEngine>,
    start: Start<'_>,
) -> Result<RunSession<UringEngine>, Failure> {
    let metering = start.meter.map(Metering::open).transpose()?.flatten();
    let watch = Watch::of_own_ios(real, start.temperature_limit, &start.interrupt)?;
    let obtained = engines.first().map(|engine| engine.obtained.clone());
    let stage = Workers { engines, queues: 1, on_full: OnFull::Lose, interrupt: start.interrupt.clone() };
    let mut session = RunSession::open(start, stage, watch, obtained)?;
    // A power cut costs the records of about a second.
    session.recorder.sync_in_background();
    for notice in real.notices() {
        session.writer.notice(notice);
    }
    session.watch_standstills(real.clock);
    session.watch_machine(real.device(), real.clock);
    if let Some(mut metering) = metering {
        let folder = session.writer.folder.as_ref().map(RunFolder::path);
        metering.begin(folder, real.clock, &session.stage.interrupt).map_err(not_created)?;
        session.power = Some(RunPower::Real(Box::new(metering)));
    }
    Ok(session)
}

/// Begins a run on a simulated drive, new from `seed`, which serves this many queues. With an observer it keeps its contents for
/// that to look at, and lies where its profile says so.
pub fn begin_simulated(
    profile: &Profile,
    seed: u64,
    queues: u16,
    observer: Option<Box<dyn ReadObserver>>,
    start: Start<'_>,
) -> Result<RunSession<SimDrive>, Failure> {
    let seed = Seed::new(seed).child("drive").get();
    let mut drive = match observer {
        None => SimDrive::new(profile, seed),
        Some(observer) => {
            let mut drive = SimDrive::with_contents(profile, seed);
            drive.show_to(observer);
            drive
        }
    };
    let meter = start.meter.filter(|args| args.meter.is_some());
    if meter.is_some() {
        drive.begin_metering();
    }
    drive.begin_heat_log();
    let limit = (start.temperature_limit, start.writes);
    let watch = Watch::of_heat(HeatWatch::of_simulated(&mut drive, limit, &start.interrupt)?);
    let interrupt = start.interrupt.clone();
    let stage = Workers { engines: vec![drive], queues, on_full: OnFull::Wait, interrupt };
    let mut session = RunSession::open(start, stage, watch, None)?;
    if let Some(args) = meter {
        session.power = Some(RunPower::Simulated { drawn: None, battery_wh: args.battery });
    }
    Ok(session)
}
