//! Drives on which loads are measured one after the other, without records: a simulated one, and a real one.

use std::path::Path;

use drivelab_block::{ByteRange, Engine, Geometry, Nanos};
use drivelab_kinds::{Bench, CommandPurge, MeasuredLoad, PurgeOption, by_discard};
use drivelab_method::{
    ConductError, Interrupt, LoadPlan, Pause, PhaseEnd, PhasePlan, RecordedRun, RunRecorder, Workers, conduct,
};
use drivelab_method::{DiscardPurpose, Purge};
use drivelab_record::{Notice, OnFull, Severity};
use drivelab_sim::SimDrive;
use drivelab_stats::{CellSample, PhaseAnalysis};
use drivelab_uring::UringEngine;
use drivelab_workload::{Compressibility, Incompressible, Mix, Seed, Workload};

use crate::purge::{no_command_of_simulated, purge_before};
use crate::tested_engine::TestedEngine;
use crate::{CellLine, Failure, Heartbeat, Quiet, Real, Served, nap};

/// A bench that notes what the reader of the result has to know.
pub trait NotedBench: Bench<Error = Failure> {
    /// What was noted so far.
    fn notices(&self) -> &[Notice];

    /// Takes the line of progress away.
    fn clear(&self);
}

/// A simulated drive, which keeps its state from load to load.
pub struct SimulatedBench {
    /// The drive.
    pub stage: Workers<SimDrive>,
    /// Its size and block sizes.
    pub geometry: Geometry,
    /// The line on the terminal.
    pub line: CellLine,
    /// What the reader has to know.
    pub notices: Vec<Notice>,
    /// What the drive did of what it was asked.
    pub served: Served,
}

impl Bench for SimulatedBench {
    type Error = Failure;

    fn purge(&mut self, asked: PurgeOption, range: ByteRange) -> Result<(), Failure> {
        if asked == PurgeOption::None {
            note(not_purged(" (--purge none)"), &mut self.notices);
            return Ok(());
        }
        no_command_of_simulated(asked)?;
        let purged = run_purge(range, &self.geometry, &mut self.stage, unwatched());
        note_purge(purged, None, &mut self.notices);
        Ok(())
    }

    fn measure(&mut self, load: &LoadPlan) -> Result<Option<MeasuredLoad>, Failure> {
        self.line.show(load.name.as_str());
        self.stage.queues = load.workers;
        run_load(load, &self.geometry, &mut self.stage, (unwatched(), &self.served))
    }

    fn notice(&mut self, notice: Notice) {
        note(notice, &mut self.notices);
    }

    /// Virtual time passes only in a phase: one that asks for nothing.
    fn idle(&mut self, time: Nanos) -> Result<bool, Failure> {
        let (phase, pause) = Pause::phase("idle", time);
        let ended = run_phase(&phase, vec![pause], &mut self.stage, unwatched());
        ended.map_err(|error| Failure::of_phase(&error, SimDrive::HAS_KERNEL_LOG))?;
        Ok(!self.stage.interrupt.is_raised())
    }
}

impl NotedBench for SimulatedBench {
    fn notices(&self) -> &[Notice] {
        &self.notices
    }

    fn clear(&self) {
        self.line.clear();
    }
}

/// A claimed drive or file; each load has engines of its own.
pub struct RealBench<'a> {
    /// The target.
    pub real: &'a Real,
    /// The path that it was named by.
    pub path: &'a Path,
    /// The seed of what is written.
    pub data: Seed,
    /// The user's wish to stop, which the drive's temperature may be, too.
    pub interrupt: Interrupt,
    /// The line on the terminal.
    pub line: CellLine,
    /// What the reader has to know.
    pub notices: Vec<Notice>,
    /// Whether the program itself runs, where that is watched.
    pub heartbeat: Option<Heartbeat>,
    /// What the drive did of what it was asked.
    pub served: Served,
}

impl RealBench<'_> {
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

impl Bench for RealBench<'_> {
    type Error = Failure;

    fn purge(&mut self, asked: PurgeOption, range: ByteRange) -> Result<(), Failure> {
        if asked == PurgeOption::None {
            note(not_purged(" (--purge none)"), &mut self.notices);
            return Ok(());
        }
        self.real.verify_again()?;
        let because = match purge_before(self.real, self.path, asked, &self.interrupt)? {
            CommandPurge::Done(purged) => {
                note(purged, &mut self.notices);
                return Ok(());
            }
            CommandPurge::Lacks(why) => Some(why),
            CommandPurge::NotAsked => None,
        };
        let purged = run_purge(range, &self.real.geometry(), &mut self.stage(1), self.recorder());
        note_purge(purged, because, &mut self.notices);
        Ok(())
    }

    fn measure(&mut self, load: &LoadPlan) -> Result<Option<MeasuredLoad>, Failure> {
        self.line.show(load.name.as_str());
        if load.mix != Mix::ReadPercent(100) {
            self.real.verify_again()?;
        }
        let recorder = (self.recorder(), &self.served);
        run_load(load, &self.real.geometry(), &mut self.stage(load.workers), recorder)
    }

    fn notice(&mut self, notice: Notice) {
        note(notice, &mut self.notices);
    }

    fn idle(&mut self, time: Nanos) -> Result<bool, Failure> {
        nap(time, &self.interrupt);
        Ok(!self.interrupt.is_raised())
    }
}

impl NotedBench for RealBench<'_> {
    fn notices(&self) -> &[Notice] {
        &self.notices
    }

    fn clear(&self) {
        self.line.clear();
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
    let (kept, _) = run_phase(&Purge::phase(DiscardPurpose::Purge), vec![discards], stage, recorder)?;
    Ok(kept.analysis.phases().last().map_or(0, PhaseAnalysis::failed))
}

/// A drive that takes no discards begins each test as it is.
fn note_purge(purged: Result<u64, ConductError>, because: Option<String>, notices: &mut Vec<Notice>) {
    let notice = match purged {
        Ok(0) => Notice { severity: Severity::Note, text: by_discard(because) },
        Ok(failed) => not_purged(&format!(": it refused {failed} discards")),
        Err(error) => not_purged(&format!(": {error}")),
    };
    note(notice, notices);
}

fn not_purged(why: &str) -> Notice {
    Notice { severity: Severity::Warning, text: format!("The drive was not purged{why}.") }
}

/// Notes what is the same of each test once.
fn note(notice: Notice, notices: &mut Vec<Notice>) {
    if !notices.contains(&notice) {
        notices.push(notice);
    }
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
    let (kept, end) = conducted(&phase, workloads, stage, recorder);
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

fn run_phase<E: Engine + Send + 'static, W: Workload + 'static>(
    phase: &PhasePlan,
    workloads: Vec<W>,
    stage: &mut Workers<E>,
    recorder: RunRecorder,
) -> Result<(RecordedRun, PhaseEnd), ConductError> {
    let (kept, end) = conducted(phase, workloads, stage, recorder);
    Ok((kept, end?))
}

/// Runs a phase; what was completed is there also where it broke.
fn conducted<E: Engine + Send + 'static, W: Workload + 'static>(
    phase: &PhasePlan,
    workloads: Vec<W>,
    stage: &mut Workers<E>,
    mut recorder: RunRecorder,
) -> (RecordedRun, Result<PhaseEnd, ConductError>) {
    let end = conduct(phase, stage, workloads, &mut recorder, &mut Quiet::default());
    (recorder.finish(), end)
}
