//! Loads of tests in rounds: on a simulated drive, and on a real one.

use drivelab_block::{ByteRange, Engine, Geometry, Nanos};
use drivelab_documents::Notice;
use drivelab_kinds::pts::{MeasuredLoad, Pts, PtsFindings, PtsRequest, PtsSeries};
use drivelab_kinds::{CommandPurge, PurgeOption, by_discard};
use drivelab_method::{
    ConductError, DiscardPurpose, Interrupt, LoadPlan, Pause, PhaseEnd, PhasePlan, Purge, RecordedRun,
    RunRecorder, Workers, conduct,
};
use drivelab_record::OnFull;
use drivelab_sim::SimDrive;
use drivelab_stats::{PhaseAnalysis, PtsSample};
use drivelab_uring::UringEngine;
use drivelab_workload::{Compressibility, Incompressible, Mix, Seed, Workload};

use super::{CellTarget, MeasurableTest, MeasureCells, OpenedCells, no_directory};
use crate::cell_line::CellCount;
use crate::purge::{no_command_of_simulated, purge_before};
use crate::served::Served;
use crate::tested_engine::TestedEngine;
use crate::{
    Failure, Heartbeat, HostMonitors, Quiet, Real, TestRequest, UnrecordedRun, Watch, nap,
    unwatched_simulated,
};

const THREADS_MAX: u16 = 8;

impl MeasurableTest for Pts {
    fn open<'a>(
        target: CellTarget<'a>,
        plan: PtsSeries,
        request: &TestRequest<'a, Pts>,
        interrupt: &Interrupt,
    ) -> Result<OpenedCells<'a, Pts>, Failure> {
        let (seed, limit) = (Seed::new(request.seed), request.safety.temperature_limit);
        let (notices, drive, surroundings) = match target {
            CellTarget::Simulated(profile) => {
                let engines = vec![SimDrive::new(profile, seed.child("drive").get())];
                let interrupt = interrupt.clone();
                let stage = Workers { engines, queues: THREADS_MAX, on_full: OnFull::Wait, interrupt };
                let notices = unwatched_simulated(limit, profile).into_iter().collect();
                (notices, LoadedDrive::Simulated(stage, profile.geometry()), None)
            }
            CellTarget::Claimed(real) => {
                let watch = Watch::of_own_ios(&real, limit, interrupt)?;
                let surroundings = HostMonitors::of_real(&real, watch, request.meter);
                let heartbeat = Heartbeat::start(real.clock).ok();
                let (notices, data) = (real.notices(), seed.child("data"));
                let drive = RealLoads { real: *real, data, interrupt: interrupt.clone(), heartbeat };
                (notices, LoadedDrive::Real(drive), Some(surroundings))
            }
            CellTarget::Directory(path, _) => return Err(no_directory(path)),
        };
        let (findings, measurer) = (PtsFindings::default(), Box::new(drive));
        Ok(OpenedCells { plan, findings, notices, measurer, surroundings })
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

/// What loads are done on, one after the other.
enum LoadedDrive {
    /// A simulated drive of this geometry, which keeps its state from load to load.
    Simulated(Workers<SimDrive>, Geometry),
    Real(RealLoads),
}

/// A claimed drive or file; each load has engines of its own.
struct RealLoads {
    real: Real,
    data: Seed,
    /// The user's wish to stop, which the drive's temperature may be, too.
    interrupt: Interrupt,
    /// Whether the program itself runs, where that is watched.
    heartbeat: Option<Heartbeat>,
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
}

impl LoadedDrive {
    /// Purges the drive by a command of its own, where it has one, or by discards of a range; returns what is said of that.
    fn purge(&mut self, asked: PurgeOption, range: ByteRange) -> Result<Notice, Failure> {
        if asked == PurgeOption::None {
            return Ok(not_purged(" (--purge none)"));
        }
        self.check_target()?;
        Ok(match self {
            LoadedDrive::Simulated(stage, geometry) => {
                no_command_of_simulated(asked)?;
                purge_notice(run_purge(range, geometry, stage, unwatched()), None)
            }
            LoadedDrive::Real(drive) => {
                let because = match purge_before(&drive.real, asked, &drive.interrupt)? {
                    CommandPurge::Done(purged) => return Ok(purged),
                    CommandPurge::Lacks(why) => Some(why),
                    CommandPurge::NotAsked => None,
                };
                let geometry = drive.real.geometry();
                purge_notice(run_purge(range, &geometry, &mut drive.stage(1), drive.recorder()), because)
            }
        })
    }

    fn rest(&mut self, time: Nanos) -> Result<(), Failure> {
        match self {
            // Virtual time passes only in a phase: one that asks for nothing.
            LoadedDrive::Simulated(stage, _) => {
                let (phase, pause) = Pause::phase("idle", time);
                let (_, ended) = run_phase(&phase, vec![pause], stage, unwatched());
                ended.map(drop).map_err(|error| Failure::of_phase(&error, SimDrive::HAS_KERNEL_LOG))
            }
            LoadedDrive::Real(drive) => {
                nap(time, &drive.interrupt);
                Ok(())
            }
        }
    }

    fn load(&mut self, load: &LoadPlan, served: &mut Served) -> Result<Option<MeasuredLoad>, Failure> {
        match self {
            LoadedDrive::Simulated(stage, geometry) => {
                stage.queues = load.workers;
                run_load(load, geometry, stage, (unwatched(), served))
            }
            LoadedDrive::Real(drive) => {
                if load.mix != Mix::ReadPercent(100) {
                    drive.real.verify_again()?;
                }
                let recorder = (drive.recorder(), served);
                run_load(load, &drive.real.geometry(), &mut drive.stage(load.workers), recorder)
            }
        }
    }
}

impl MeasureCells<Pts> for LoadedDrive {
    fn check_target(&mut self) -> Result<(), Failure> {
        match self {
            LoadedDrive::Simulated(..) => Ok(()),
            LoadedDrive::Real(drive) => drive.real.verify_again(),
        }
    }

    fn measure(
        &mut self,
        asked: &PtsRequest,
        run: &mut UnrecordedRun<'_, Pts>,
    ) -> Result<Option<MeasuredLoad>, Failure> {
        match asked {
            PtsRequest::Purge { asked, range } => run.notice(self.purge(*asked, *range)?),
            PtsRequest::Rest(time) => self.rest(*time)?,
            PtsRequest::Load(load) => return self.load(load, &mut run.served),
        }
        Ok((!run.is_interrupted()).then(MeasuredLoad::default))
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
        Ok(0) => Notice::note(by_discard(because)),
        Ok(failed) => not_purged(&format!(": it refused {failed} discards")),
        Err(error) => not_purged(&format!(": {error}")),
    }
}

fn not_purged(why: &str) -> Notice {
    Notice::warning(format!("The drive was not purged{why}."))
}

fn run_load<E: TestedEngine>(
    load: &LoadPlan,
    geometry: &Geometry,
    stage: &mut Workers<E>,
    (recorder, served): (RunRecorder, &mut Served),
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
        return Err(environment!("{}: {lost} I/Os were not counted: run it again", load.name));
    }
    Ok((!stage.interrupt.is_raised()).then(|| MeasuredLoad {
        sample: PtsSample::from_phase(measured, end.took(Some(measured))),
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
