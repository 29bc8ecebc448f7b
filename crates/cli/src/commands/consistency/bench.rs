//! One run: a target with a reserve, purged, filled and written at random.

use std::path::{Path, PathBuf};

use drivelab_block::{Engine, Geometry};
use drivelab_method::consistency::{ConsistencyPlan, Purge};
use drivelab_method::{Interrupt, LoadError, LoadPlan};
use drivelab_record::{Manifest, Severity};
use drivelab_runner::{
    Account, Failure, Finished, PURGE, Real, Session, Start, TargetName, begin_real, begin_simulated,
    check_safety, geometry_of,
};
use drivelab_safety::{System, Target};
use drivelab_sim::Profile;
use drivelab_workload::{Compressibility, Incompressible, Seed};

use crate::args::ConsistencyArgs;
use crate::kept::KeptRun;

/// A run that is to be made.
pub struct Bench<'a> {
    /// The arguments of all runs.
    pub args: &'a ConsistencyArgs,
    /// The target as it was typed.
    pub name: &'a str,
    /// The target, understood.
    pub target: &'a TargetName,
    /// The part that is kept back, in percent.
    pub reserve: f64,
    /// The folder of all runs.
    pub output: &'a Path,
    /// The user's wish to stop.
    pub interrupt: &'a Interrupt,
    /// The number of the target among all, from 0.
    pub target_number: usize,
    /// The number of the run among all, from 0.
    pub number: usize,
}

/// The real target that is claimed at the moment.
#[derive(Default)]
pub struct Claimed(Option<(usize, Real)>);

impl Claimed {
    /// The target of a bench: the one that is claimed already, or a new one after the old one was let go.
    fn claim(&mut self, bench: &Bench<'_>, path: &Path) -> Result<&Real, Failure> {
        self.0 = self.0.take().filter(|(number, _)| *number == bench.target_number);
        let claimed = if let Some(claimed) = self.0.take() {
            claimed
        } else {
            let real = Real::open_for_writing(path, &bench.args.safety, Some(bench.output))?;
            (bench.target_number, real)
        };
        Ok(&self.0.insert(claimed).1)
    }
}

impl Bench<'_> {
    /// Checks that the plan can be carried out, before anything is purged for it.
    pub fn check(&self) -> Result<(), Failure> {
        match self.target {
            TargetName::Simulated(profile) => self.plan(&profile.geometry()).map(drop),
            TargetName::Path(path) => {
                let target = Target::resolve(&System::live(), path)?;
                let geometry = geometry_of(&target, self.args.safety.file_size);
                geometry.map_or(Ok(()), |geometry| self.plan(&geometry).map(drop))
            }
        }
    }

    /// Says what stands against writing to the target, without claiming it.
    pub fn check_safety(&self) -> Result<(), Failure> {
        match self.target {
            TargetName::Simulated(_) => Ok(()),
            TargetName::Path(path) => {
                let target = Target::resolve(&System::live(), path)?;
                check_safety(&target, &self.args.safety, Some(self.output))
            }
        }
    }

    /// Makes the run.
    ///
    /// A run that broke off comes back with what it has, and with the failure; one that never began is the
    /// failure alone.
    ///
    /// A real target is claimed once for all its runs: between two of them nobody else can take it, and what the
    /// first has written does not stand against the second.
    pub fn run(&self, claimed: &mut Claimed) -> Result<(KeptRun, Option<Failure>), Failure> {
        match self.target {
            TargetName::Simulated(profile) => self.run_simulated(profile),
            TargetName::Path(path) => self.run_real(claimed.claim(self, path)?),
        }
    }

    fn run_simulated(&self, profile: &Profile) -> Result<(KeptRun, Option<Failure>), Failure> {
        let geometry = profile.geometry();
        let plan = self.plan(&geometry)?;
        let folder = self.folder();
        let start = self.start(self.simulated_manifest(profile, &plan), &folder);
        let mut session = begin_simulated(profile, self.args.result.seed(), 1, start)?;
        let prepared = self.prepare(&mut session, &plan, &geometry, || Ok(()));
        let account = Account::open(&mut session.engines()[0]);
        let measured = prepared.and_then(|()| measure(&mut session, &plan, &geometry, || Ok(())));
        let account = account.close(&mut session)?;
        close(session.finish(Some(account)), measured)
    }

    fn run_real(&self, real: &Real) -> Result<(KeptRun, Option<Failure>), Failure> {
        let geometry = real.geometry();
        let plan = self.plan(&geometry)?;
        let share = Compressibility::percent(self.args.compressibility.percent()).unwrap_or_default();
        let engine = real.engine(Incompressible::new(Seed::new(self.args.result.seed()), share), &[]);
        let folder = self.folder();
        let start = self.start(self.real_manifest(real, &plan), &folder);
        let mut session = begin_real(real, vec![engine], start, self.args.safety.temperature_limit)?;
        let prepared = self.prepare(&mut session, &plan, &geometry, || real.verify_again());
        let measured =
            prepared.and_then(|()| measure(&mut session, &plan, &geometry, || real.verify_again()));
        close(session.finish(None), measured)
    }

    /// What is asked of a drive of this geometry.
    pub fn plan(&self, geometry: &Geometry) -> Result<ConsistencyPlan, Failure> {
        let args = self.args;
        let plan = ConsistencyPlan {
            reserve_percent: self.reserve,
            range: args.range.on(geometry),
            block_size: args.block_size.size(),
            queue_depth: args.queue_depth.depth(),
            duration: args.duration,
            fill: args.precondition == crate::args::Precondition::Fill,
            seed: Seed::new(args.result.seed()),
        };
        let checked = plan.random_writes().phase(geometry, false);
        checked.map_err(|error| match error {
            LoadError::Empty(_) => self.nothing_left(&plan),
            other => other.into(),
        })?;
        Ok(plan)
    }

    /// Names what leaves no block to write to.
    fn nothing_left(&self, plan: &ConsistencyPlan) -> Failure {
        let chosen = plan.range.1.get().saturating_sub(plan.range.0.get());
        Failure::Usage(format!(
            "{}: {chosen} bytes with {}% over-provisioning hold no block of {} bytes: choose less --over-provisioning, a smaller \
             --block-size, or a larger --range or target",
            self.name,
            self.reserve,
            plan.block_size.get()
        ))
    }

    fn start<'b>(&'b self, manifest: Manifest, folder: &'b Path) -> Start<'b> {
        Start {
            manifest,
            folder: Some(folder),
            interrupt: self.interrupt.clone(),
            meter: Some(&self.args.meter),
        }
    }

    /// The folder of this run.
    pub fn folder(&self) -> PathBuf {
        self.output.join(self.folder_name())
    }

    /// Purge and fill.
    fn prepare<E: Engine + Send>(
        &self,
        session: &mut Session<E>,
        plan: &ConsistencyPlan,
        geometry: &Geometry,
        verify: impl Fn() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.args.no_purge {
            session.notice(Severity::Warning, "The drive was not purged (--no-purge): it began as it was.");
        } else {
            verify()?;
            purge(session, plan, geometry);
        }
        if !plan.fill {
            session.notice(
                Severity::Warning,
                "The range was not filled before the random writes (--precondition none).",
            );
        } else if !session.is_interrupted() {
            verify()?;
            run_load(session, &plan.fill(geometry), geometry)?;
        }
        Ok(())
    }
}

fn measure<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &ConsistencyPlan,
    geometry: &Geometry,
    verify: impl Fn() -> Result<(), Failure>,
) -> Result<(), Failure> {
    if session.is_interrupted() {
        return Ok(());
    }
    verify()?;
    run_load(session, &plan.random_writes(), geometry)
}

/// Discards what the run may touch: the whole drive, unless an address range was chosen. A drive that takes
/// no discards starts as it is, and the run says so.
fn purge<E: Engine + Send>(session: &mut Session<E>, plan: &ConsistencyPlan, geometry: &Geometry) {
    let purge = Purge::of(plan.range, geometry);
    let bytes = purge.bytes();
    match session.phase(&Purge::phase(PURGE), vec![purge], Some(bytes)) {
        Ok(_) => {
            let failed = session.failures_of_last_phase().count();
            if failed == 0 {
                let text = "Purge: a discard of the range stands in for a sanitize or secure erase.";
                session.notice(Severity::Note, text);
            } else {
                let text =
                    format!("The drive was not purged: it refused {failed} discards. It began as it was.");
                session.notice(Severity::Warning, text);
            }
        }
        Err(error) => {
            let text = format!("The drive was not purged: {error}. It began as it was.");
            session.notice(Severity::Warning, text);
        }
    }
}

fn run_load<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &LoadPlan,
    geometry: &Geometry,
) -> Result<(), Failure> {
    let phase = plan.phase(geometry, false)?;
    let empty = |error: drivelab_workload::EmptySpan| Failure::Usage(error.to_string());
    let ends_after = plan.span().map_err(empty)?.bytes();
    let workloads = plan.workloads(1).map_err(empty)?;
    session.phase(&phase, workloads, Some(ends_after)).map(drop).map_err(|error| session.broke(error))
}

fn close(finished: Finished, ended: Result<(), Failure>) -> Result<(KeptRun, Option<Failure>), Failure> {
    let failure = ended.err();
    if finished.manifest.phases.is_empty()
        && let Some(failure) = failure
    {
        return Err(failure);
    }
    let folder = finished.folder.as_ref().and_then(|folder| folder.path().file_name());
    let folder = folder.map(|name| name.to_string_lossy().into_owned());
    Ok((KeptRun::ended(finished, folder), failure))
}
