//! Carrying out what a test asks for, on a simulated drive and on a real one.

use drivelab_analysis::CellSample;
use drivelab_block::{Engine, Geometry, Nanos};
use drivelab_method::consistency::Purge;
use drivelab_method::pts::{Bench, Measured, PtsPlan};
use drivelab_method::{
    ConductError, Interrupt, Keeper, Kept, LoadPlan, Pause, PhaseEnd, PhasePlan, Stage, conduct,
};
use drivelab_record::OnFull;
use drivelab_runner::{CellLine, Failure, PURGE, Quiet, Real, Watch, nap};
use drivelab_sim::SimDrive;
use drivelab_workload::{Compressibility, Incompressible, Mix, Workload};

/// The most workers that a cell has.
pub const WORKERS_MAX: u16 = 8;

/// A simulated drive, which keeps its state from load to load.
pub struct OnSimulated {
    /// The drive.
    pub stage: Stage<SimDrive>,
    /// The plan.
    pub plan: PtsPlan,
    /// The line on the terminal.
    pub line: CellLine,
    /// What the reader has to know.
    pub notices: Vec<String>,
}

impl Bench for OnSimulated {
    type Error = Failure;

    fn purge(&mut self) -> Result<(), Failure> {
        let purged = run_purge(&self.plan, &mut self.stage);
        note_purge(purged, &mut self.notices);
        Ok(())
    }

    fn measure(&mut self, load: &LoadPlan) -> Result<Option<Measured>, Failure> {
        self.line.show(load.name.as_str());
        self.stage.queues = load.workers;
        run_load(load, &self.plan.geometry, &mut self.stage)
    }

    /// Virtual time passes only in a phase: one that asks for nothing.
    fn idle(&mut self, time: Nanos) -> Result<bool, Failure> {
        let (phase, pause) = Pause::phase("idle", time);
        run_phase(&phase, vec![pause], &mut self.stage)?;
        Ok(!self.stage.interrupt.is_raised())
    }
}

/// A claimed drive or file; each load has engines of its own.
pub struct OnReal {
    /// The target.
    pub real: Real,
    /// The plan.
    pub plan: PtsPlan,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
    /// What ends the tests where the drive gets too warm.
    pub watch: Watch,
    /// The line on the terminal.
    pub line: CellLine,
    /// What the reader has to know.
    pub notices: Vec<String>,
}

impl OnReal {
    fn stage(&self, workers: u16) -> Stage<drivelab_uring::UringEngine<Incompressible>> {
        let seed = self.plan.seed.child("data");
        let payload =
            |worker: u16| Incompressible::new(seed.numbered(u64::from(worker)), Compressibility::default());
        let engines = (0..workers).map(|worker| self.real.engine(payload(worker), &[])).collect();
        Stage { engines, queues: 1, on_full: OnFull::Lose, interrupt: self.interrupt.clone() }
    }
}

impl Bench for OnReal {
    type Error = Failure;

    fn purge(&mut self) -> Result<(), Failure> {
        self.real.verify_again()?;
        let purged = run_purge(&self.plan, &mut self.stage(1));
        note_purge(purged, &mut self.notices);
        Ok(())
    }

    fn measure(&mut self, load: &LoadPlan) -> Result<Option<Measured>, Failure> {
        self.line.show(load.name.as_str());
        if load.mix != Mix::ReadPercent(100) {
            self.real.verify_again()?;
        }
        let sample = run_load(load, &self.plan.geometry, &mut self.stage(load.workers))?;
        self.watch.check()?;
        Ok(sample)
    }

    fn idle(&mut self, time: Nanos) -> Result<bool, Failure> {
        nap(time, &self.interrupt);
        self.watch.check()?;
        Ok(!self.interrupt.is_raised())
    }
}

fn run_purge<E: Engine + Send>(plan: &PtsPlan, stage: &mut Stage<E>) -> Result<u64, ConductError> {
    let discards = Purge::of(plan.range, &plan.geometry);
    let (kept, _) = run_phase(&Purge::phase(PURGE), vec![discards], stage)?;
    Ok(kept.analysis.phases().last().map_or(0, drivelab_analysis::PhaseAnalysis::failed))
}

/// A drive that takes no discards begins each test as it is, and the tests say so once.
fn note_purge(purged: Result<u64, ConductError>, notices: &mut Vec<String>) {
    let text = match purged {
        Ok(0) => "Purge: a discard of the range stands in for a sanitize or secure erase.".to_owned(),
        Ok(failed) => format!("The drive was not purged: it refused {failed} discards."),
        Err(error) => format!("The drive was not purged: {error}."),
    };
    if !notices.contains(&text) {
        notices.push(text);
    }
}

fn run_load<E: Engine + Send>(
    load: &LoadPlan,
    geometry: &Geometry,
    stage: &mut Stage<E>,
) -> Result<Option<Measured>, Failure> {
    let engines = u16::try_from(stage.engines.len()).unwrap_or(u16::MAX);
    let phase = load.phase(geometry, engines < load.workers)?;
    let workloads = load.workloads(engines).map_err(|error| Failure::Usage(error.to_string()))?;
    let (kept, end) = run_phase(&phase, workloads, stage)?;
    let Some(measured) = kept.analysis.phases().last() else { return Ok(None) };
    let (failed, lost) = (measured.failed(), kept.lost_in_queues);
    if failed > 0 || lost > 0 {
        return Err(Failure::Environment(format!(
            "{}: {failed} I/Os failed and {lost} were not counted: see the kernel's log, and look at the drive's health",
            load.name
        )));
    }
    Ok((!stage.interrupt.is_raised()).then(|| Measured {
        sample: CellSample::of(measured, end.took(Some(measured))),
        service: measured.service(),
    }))
}

fn run_phase<E: Engine + Send, W: Workload>(
    phase: &PhasePlan,
    workloads: Vec<W>,
    stage: &mut Stage<E>,
) -> Result<(Kept, PhaseEnd), ConductError> {
    let mut keeper = Keeper::new(None, None);
    let end = conduct(phase, stage, workloads, &mut keeper, &mut Quiet)?;
    Ok((keeper.finish(), end))
}
