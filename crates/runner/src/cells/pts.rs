//! Loads of tests in rounds: on a simulated drive, and on a real one.

use drivelab_block::{ByteRange, Geometry, Nanos};
use drivelab_documents::Notice;
use drivelab_kinds::pts::{MeasuredLoad, Pts, PtsFindings, PtsRequest, PtsSeries};
use drivelab_kinds::{CommandPurge, PurgeOption, by_discard, not_purged};
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
use crate::{
    Failure, Heartbeat, HostMonitors, Quiet, Real, TestRequest, UnrecordedRun, Watch, nap,
    unwatched_simulated,
};

impl MeasurableTest for Pts {
    fn open<'a>(
        target: CellTarget<'a>,
        plan: PtsSeries,
        request: &TestRequest<'a, Pts>,
        interrupt: &Interrupt,
    ) -> Result<OpenedCells<'a, Pts>, Failure> {
        let (seed, limit) = (Seed::new(request.seed), request.safety.temperature_limit());
        let (notices, drive, surroundings) = match target {
            CellTarget::Simulated(profile) => {
                let engines = vec![SimDrive::new(profile, seed.child("drive").get())];
                let interrupt = interrupt.clone();
                let stage = Workers { engines, queues: 1, on_full: OnFull::Wait, interrupt };
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
    fn stage(&self, workers: u16) -> Workers<UringEngine> {
        let payload = |worker: u16| {
            Incompressible::new(self.data.numbered(u64::from(worker)), Compressibility::default())
        };
        let engine = |worker: u16| self.real.engine(Box::new(payload(worker)), &[]);
        let engines = (0..workers).map(engine).collect();
        Workers { engines, queues: 1, on_full: OnFull::Lose, interrupt: self.interrupt.clone() }
    }
}

impl LoadedDrive {
    fn is_real(&self) -> bool {
        matches!(self, LoadedDrive::Real(_))
    }

    fn geometry(&self) -> Geometry {
        match self {
            LoadedDrive::Simulated(_, geometry) => *geometry,
            LoadedDrive::Real(drive) => drive.real.geometry(),
        }
    }

    /// Runs a phase of so many threads; what was completed is there also where it broke.
    fn phase<W: Workload + 'static>(
        &mut self,
        plan: &PhasePlan,
        workloads: Vec<W>,
        threads: u16,
    ) -> (RecordedRun, Result<PhaseEnd, ConductError>) {
        let (mut recorder, mut quiet) = (RunRecorder::new(None, None), Quiet::default());
        let ended = match self {
            LoadedDrive::Simulated(stage, _) => {
                stage.queues = threads;
                conduct(plan, stage, workloads, &mut recorder, &mut quiet)
            }
            LoadedDrive::Real(drive) => {
                if let Some(heartbeat) = &drive.heartbeat {
                    recorder.watch_standstills(Box::new(heartbeat.reader()));
                }
                conduct(plan, &mut drive.stage(threads), workloads, &mut recorder, &mut quiet)
            }
        };
        (recorder.finish(), ended)
    }

    /// Purges the drive by a command of its own, where it has one, or by discards of a range; returns what is said of that. A
    /// drive that takes no discards begins each test as it is.
    fn purge(&mut self, asked: PurgeOption, range: ByteRange) -> Result<Notice, Failure> {
        if asked == PurgeOption::None {
            return Ok(Notice::warning(not_purged(" (--purge none)")));
        }
        self.check_target()?;
        let by_command = match self {
            LoadedDrive::Simulated(..) => no_command_of_simulated(asked).map(|()| CommandPurge::NotAsked)?,
            LoadedDrive::Real(drive) => purge_before(&drive.real, asked, &drive.interrupt)?,
        };
        let because = match by_command {
            CommandPurge::Done(purged) => return Ok(purged),
            CommandPurge::Lacks(why) => Some(why),
            CommandPurge::NotAsked => None,
        };
        let discards = Purge::new(range, &self.geometry());
        let (kept, ended) = self.phase(&Purge::phase(DiscardPurpose::Purge), vec![discards], 1);
        let failed = kept.analysis.phases().last().map_or(0, PhaseAnalysis::failed);
        Ok(match ended {
            Ok(_) if failed == 0 => Notice::note(by_discard(because)),
            Ok(_) => Notice::warning(not_purged(&format!(": it refused {failed} discards"))),
            Err(error) => Notice::warning(not_purged(&format!(": {error}"))),
        })
    }

    fn rest(&mut self, time: Nanos) -> Result<(), Failure> {
        if let LoadedDrive::Real(drive) = self {
            nap(time, &drive.interrupt);
            return Ok(());
        }
        // Virtual time passes only in a phase: one that asks for nothing.
        let (phase, pause) = Pause::phase("idle", time);
        let (_, ended) = self.phase(&phase, vec![pause], 1);
        ended.map(drop).map_err(|error| Failure::of_phase(&error, false))
    }

    fn load(&mut self, load: &LoadPlan, served: &mut Served) -> Result<Option<MeasuredLoad>, Failure> {
        if load.mix != Mix::ReadPercent(100) {
            self.check_target()?;
        }
        let engines = if self.is_real() { load.workers } else { 1 };
        let phase = load.phase(&self.geometry(), engines < load.workers)?;
        let workloads = load.workloads(engines).map_err(|error| Failure::Usage(error.to_string()))?;
        let (kept, end) = self.phase(&phase, workloads, load.workers);
        served.add(&load.name, &kept.analysis);
        let end = end.map_err(|error| Failure::of_phase(&error, self.is_real()))?;
        let Some(measured) = kept.analysis.phases().last() else { return Ok(None) };
        let (failed, lost) = (measured.failed(), kept.lost_in_queues);
        if failed > 0 {
            let hint =
                if self.is_real() { ": see the kernel's log, and look at the drive's health" } else { "" };
            return Err(Failure::DriveFailed(format!("{}: {failed} I/Os failed{hint}", load.name)));
        }
        if lost > 0 {
            return Err(environment!("{}: {lost} I/Os were not counted: run it again", load.name));
        }
        Ok(Some(MeasuredLoad {
            sample: PtsSample::from_phase(measured, end.took(Some(measured))),
            service: measured.service(),
        }))
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
        let measured = match asked {
            PtsRequest::Purge { asked, range } => {
                run.notice(self.purge(*asked, *range)?);
                Some(MeasuredLoad::default())
            }
            PtsRequest::Rest(time) => self.rest(*time).map(|()| Some(MeasuredLoad::default()))?,
            PtsRequest::Load(load) => self.load(load, &mut run.served)?,
        };
        Ok(measured.filter(|_| !run.is_interrupted()))
    }
}
