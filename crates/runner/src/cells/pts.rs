//! Loads of tests in rounds: on a simulated drive, and on a real one.

use std::path::PathBuf;

use drivelab_block::{ByteRange, Engine, Geometry, Nanos};
use drivelab_kinds::pts::{MeasuredLoad, Pts, PtsFindings, PtsRequest, PtsSeries};
use drivelab_kinds::{CommandPurge, PurgeOption, by_discard};
use drivelab_method::{
    ConductError, DiscardPurpose, Interrupt, LoadPlan, Pause, PhaseEnd, PhasePlan, Purge, RecordedRun,
    RunRecorder, Workers, conduct,
};
use drivelab_record::{Notice, OnFull, Severity};
use drivelab_sim::SimDrive;
use drivelab_stats::{CellSample, PhaseAnalysis};
use drivelab_uring::UringEngine;
use drivelab_workload::{Compressibility, Incompressible, Mix, Seed, Workload};

use super::{CellContext, CellCount, CellTarget, MeasurableTest, MeasureCells, OpenedCells, no_directory};
use crate::purge::{no_command_of_simulated, purge_before};
use crate::tested_engine::TestedEngine;
use crate::{Failure, Heartbeat, HostMonitors, Quiet, Real, Served, Watch, nap, unwatched_simulated};

/// The most threads that a load has.
const THREADS_MAX: u16 = 8;

impl MeasurableTest for Pts {
    fn open<'a>(
        target: CellTarget<'a>,
        plan: PtsSeries,
        context: &CellContext<'a, '_, Pts>,
    ) -> Result<OpenedCells<'a, Pts>, Failure> {
        let CellContext { request, interrupt, served, .. } = context;
        let (seed, limit) = (Seed::new(request.seed), request.safety.temperature_limit);
        let served = Served::clone(served);
        let (notices, measurer, surroundings): (_, Box<dyn MeasureCells<Pts>>, _) = match target {
            CellTarget::Simulated(profile) => {
                let drive = SimDrive::new(profile, seed.child("drive").get());
                let interrupt = Interrupt::clone(interrupt);
                let stage =
                    Workers { engines: vec![drive], queues: THREADS_MAX, on_full: OnFull::Wait, interrupt };
                let geometry = profile.geometry();
                let notices = unwatched_simulated(limit, profile).into_iter().collect();
                (notices, Box::new(SimulatedLoads { stage, geometry, notices: Vec::new(), served }), None)
            }
            CellTarget::Claimed(real, path) => {
                let clock = real.clock();
                let surroundings = HostMonitors {
                    device: Some(real.device()),
                    clock,
                    target: Watch::of_own_ios(&real, limit, interrupt)?,
                    meter: request.meter,
                };
                let notices = real.notices();
                let loads = RealLoads {
                    real: *real,
                    path: path.to_path_buf(),
                    data: seed.child("data"),
                    interrupt: Interrupt::clone(interrupt),
                    notices: Vec::new(),
                    heartbeat: Heartbeat::start(clock).ok(),
                    served,
                };
                (notices, Box::new(loads), Some(surroundings))
            }
            CellTarget::Directory(path, _) => return Err(no_directory(path)),
        };
        Ok(OpenedCells { plan, findings: PtsFindings::default(), notices, measurer, surroundings })
    }

    fn count(_: &PtsSeries) -> Option<CellCount> {
        None
    }

    fn cell_name(asked: &PtsRequest) -> Option<String> {
        match asked {
            PtsRequest::Load(load) => Some(load.name.clone()),
            PtsRequest::Purge { .. } | PtsRequest::Rest(_) => None,
        }
    }
}

/// A simulated drive, which keeps its state from load to load.
struct SimulatedLoads {
    stage: Workers<SimDrive>,
    geometry: Geometry,
    notices: Vec<Notice>,
    served: Served,
}

impl SimulatedLoads {
    fn purge(&mut self, asked: PurgeOption, range: ByteRange) -> Result<(), Failure> {
        if asked == PurgeOption::None {
            self.notices.push(not_purged(" (--purge none)"));
            return Ok(());
        }
        no_command_of_simulated(asked)?;
        let purged = run_purge(range, &self.geometry, &mut self.stage, unwatched());
        self.notices.push(purge_notice(purged, None));
        Ok(())
    }

    /// Virtual time passes only in a phase: one that asks for nothing.
    fn rest(&mut self, time: Nanos) -> Result<(), Failure> {
        let (phase, pause) = Pause::phase("idle", time);
        let (_, ended) = run_phase(&phase, vec![pause], &mut self.stage, unwatched());
        ended.map(drop).map_err(|error| Failure::of_phase(&error, SimDrive::HAS_KERNEL_LOG))
    }
}

impl MeasureCells<Pts> for SimulatedLoads {
    fn check_target(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn measure(&mut self, asked: &PtsRequest) -> Result<Option<MeasuredLoad>, Failure> {
        match asked {
            PtsRequest::Purge { asked, range } => self.purge(*asked, *range)?,
            PtsRequest::Rest(time) => self.rest(*time)?,
            PtsRequest::Load(load) => {
                self.stage.queues = load.workers;
                return run_load(load, &self.geometry, &mut self.stage, (unwatched(), &self.served));
            }
        }
        Ok((!self.stage.interrupt.is_raised()).then(MeasuredLoad::default))
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }
}

/// A claimed drive or file; each load has engines of its own.
struct RealLoads {
    real: Real,
    /// The path that it was named by.
    path: PathBuf,
    /// The seed of what is written.
    data: Seed,
    /// The user's wish to stop, which the drive's temperature may be, too.
    interrupt: Interrupt,
    notices: Vec<Notice>,
    /// Whether the program itself runs, where that is watched.
    heartbeat: Option<Heartbeat>,
    /// What the drive did of what it was asked.
    served: Served,
}

impl RealLoads {
    fn recorder(&self) -> RunRecorder {
        let mut recorder = RunRecorder::new(None, None);
        if let Some(heartbeat) = &self.heartbeat {
            recorder.watch_standstills(Box::new(heartbeat.reader()));
        }
        recorder
    }

    fn stage(&self, workers: u16) -> Workers<UringEngine<Incompressible>> {
        let payload = |worker: u16| {
            Incompressible::new(self.data.numbered(u64::from(worker)), Compressibility::default())
        };
        let engines = (0..workers).map(|worker| self.real.engine(payload(worker), &[])).collect();
        Workers { engines, queues: 1, on_full: OnFull::Lose, interrupt: self.interrupt.clone() }
    }

    fn purge(&mut self, asked: PurgeOption, range: ByteRange) -> Result<(), Failure> {
        if asked == PurgeOption::None {
            self.notices.push(not_purged(" (--purge none)"));
            return Ok(());
        }
        self.check_target()?;
        let because = match purge_before(&self.real, &self.path, asked, &self.interrupt)? {
            CommandPurge::Done(purged) => {
                self.notices.push(purged);
                return Ok(());
            }
            CommandPurge::Lacks(why) => Some(why),
            CommandPurge::NotAsked => None,
        };
        let purged = run_purge(range, &self.real.geometry(), &mut self.stage(1), self.recorder());
        self.notices.push(purge_notice(purged, because));
        Ok(())
    }
}

impl MeasureCells<Pts> for RealLoads {
    fn check_target(&mut self) -> Result<(), Failure> {
        self.real.verify_again()
    }

    fn measure(&mut self, asked: &PtsRequest) -> Result<Option<MeasuredLoad>, Failure> {
        match asked {
            PtsRequest::Purge { asked, range } => self.purge(*asked, *range)?,
            PtsRequest::Rest(time) => nap(*time, &self.interrupt),
            PtsRequest::Load(load) => {
                if load.mix != Mix::ReadPercent(100) {
                    self.check_target()?;
                }
                let recorder = (self.recorder(), &self.served);
                return run_load(load, &self.real.geometry(), &mut self.stage(load.workers), recorder);
            }
        }
        Ok((!self.interrupt.is_raised()).then(MeasuredLoad::default))
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }
}

/// The recorder of a simulated drive, whose time is virtual.
fn unwatched() -> RunRecorder {
    RunRecorder::new(None, None)
}

/// Discards a range; returns how many discards failed.
fn run_purge<E: Engine + Send + 'static>(
    range: ByteRange,
    geometry: &Geometry,
    stage: &mut Workers<E>,
    recorder: RunRecorder,
) -> Result<u64, ConductError> {
    let discards = Purge::new(range, geometry);
    let (kept, end) = run_phase(&Purge::phase(DiscardPurpose::Purge), vec![discards], stage, recorder);
    end?;
    Ok(kept.analysis.phases().last().map_or(0, PhaseAnalysis::failed))
}

/// What is said of a purge by discards, and `because` of what it was not done by a command: a drive that takes no discards begins
/// each test as it is.
fn purge_notice(purged: Result<u64, ConductError>, because: Option<String>) -> Notice {
    match purged {
        Ok(0) => Notice { severity: Severity::Note, text: by_discard(because) },
        Ok(failed) => not_purged(&format!(": it refused {failed} discards")),
        Err(error) => not_purged(&format!(": {error}")),
    }
}

fn not_purged(why: &str) -> Notice {
    Notice { severity: Severity::Warning, text: format!("The drive was not purged{why}.") }
}

fn run_load<E: TestedEngine>(
    load: &LoadPlan,
    geometry: &Geometry,
    stage: &mut Workers<E>,
    (recorder, served): (RunRecorder, &Served),
) -> Result<Option<MeasuredLoad>, Failure> {
    let engines = u16::try_from(stage.engines.len()).unwrap_or(u16::MAX);
    let phase = load.phase(geometry, engines < load.workers)?;
    let workloads = load.workloads(engines).map_err(|error| Failure::Usage(error.to_string()))?;
    let (kept, end) = run_phase(&phase, workloads, stage, recorder);
    served.add(&load.name, &kept.analysis);
    let end = end.map_err(|error| Failure::of_phase(&error, E::HAS_KERNEL_LOG))?;
    let Some(measured) = kept.analysis.phases().last() else { return Ok(None) };
    let (failed, lost) = (measured.failed(), kept.lost_in_queues);
    if failed > 0 {
        let hint =
            if E::HAS_KERNEL_LOG { ": see the kernel's log, and look at the drive's health" } else { "" };
        return Err(Failure::DriveFailed(format!("{}: {failed} I/Os failed{hint}", load.name)));
    }
    if lost > 0 {
        return Err(Failure::Environment(format!(
            "{}: {lost} I/Os were not counted: run it again",
            load.name
        )));
    }
    Ok((!stage.interrupt.is_raised()).then(|| MeasuredLoad {
        sample: CellSample::from_phase(measured, end.took(Some(measured))),
        service: measured.service(),
    }))
}

/// Runs a phase; what was completed is there also where it broke.
fn run_phase<E: Engine + Send + 'static, W: Workload + 'static>(
    phase: &PhasePlan,
    workloads: Vec<W>,
    stage: &mut Workers<E>,
    mut recorder: RunRecorder,
) -> (RecordedRun, Result<PhaseEnd, ConductError>) {
    let end = conduct(phase, stage, workloads, &mut recorder, &mut Quiet::default());
    (recorder.finish(), end)
}
