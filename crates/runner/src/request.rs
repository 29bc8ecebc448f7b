//! A test that is to be run: what has to be true of its target, its plan, and the manifest of its run.

use std::path::Path;

use drivelab_block::Geometry;
use drivelab_documents::{Condition, Drive, Manifest, MeasuredPhases, Started};
use drivelab_kinds::{Outline, Test, TestNeeds, WarmUpPlan};
use drivelab_sim::Profile;
use drivelab_uring::online_cpus;
use drivelab_workload::Seed;

use crate::conditions::{real_conditions, simulated_conditions, started_now};
use crate::flags::check_until_warm;
use crate::manifest::new_manifest;
use crate::purge::check_purge;
use crate::results::Destination;
use crate::target::simulated_drive;
use crate::tested_drive::check_recording;
use crate::{Failure, MeterOptions, NamedTarget, PlannedTest, Real, SafetyOptions, TargetName};

/// A test that is to be run.
pub struct TestRequest<'a, T: Test> {
    /// The target as it was typed.
    pub target: &'a str,
    /// What the target is reached by, where that is not what its name says: the loop device of an image, or what a run goes on
    /// with.
    pub reached_by: Option<TargetName>,
    /// Whether the run goes on that is in the folder of the destination.
    pub goes_on: bool,
    /// What is asked.
    pub settings: T::Settings,
    /// What is asked besides, which a result does not keep.
    pub input: T::Input,
    /// The seed of every random draw.
    pub seed: u64,
    /// Where the result goes.
    pub destination: Destination<'a>,
    /// What the user says before anything is written.
    pub safety: &'a SafetyOptions,
    /// How the power is measured.
    pub meter: &'a MeterOptions,
}

/// The real target that is claimed at the moment, of several tests.
#[derive(Default)]
pub struct Claimed(Option<Real>);

/// Where a run begins: the drive, under what, and when.
pub struct RunOrigin {
    pub drive: Drive,
    pub conditions: Vec<Condition>,
    /// When and where; none on a simulated drive.
    pub started: Option<Started>,
    /// The size and the block sizes of the drive.
    pub geometry: Geometry,
}

impl RunOrigin {
    /// On a new simulated drive.
    pub fn simulated(profile: &Profile) -> RunOrigin {
        RunOrigin {
            drive: simulated_drive(profile),
            conditions: simulated_conditions(profile),
            started: None,
            geometry: profile.geometry(),
        }
    }

    /// Now, on a real target.
    pub fn real(real: &Real) -> RunOrigin {
        RunOrigin {
            drive: real.drive(),
            conditions: real_conditions(real),
            started: started_now(),
            geometry: real.geometry(),
        }
    }
}

impl<T: Test> TestRequest<'_, T> {
    /// The target, understood.
    pub fn target_name(&self) -> Result<TargetName, Failure> {
        match &self.reached_by {
            Some(name) => Ok(name.clone()),
            None => TargetName::parse(self.target),
        }
    }

    /// What the settings need of a target.
    pub fn needs(&self) -> TestNeeds {
        T::needs(&self.settings, &self.input)
    }

    /// Says what stands against the target of this test, whatever it holds.
    pub fn check_kind(&self, target: &NamedTarget) -> Result<(), Failure> {
        let needs = self.needs();
        if let (true, Some(why)) = (target.is_file(), T::RULES.not_of_files) {
            // It is the target that does not allow the test: a review leaves its step out.
            return Err(environment!("{}: {why}", self.target));
        }
        check_cpus(&needs.cpus)?;
        check_purge(target.resolved.as_ref(), needs.purge)?;
        if needs.until_warm.is_some() {
            check_until_warm(&target.name, target.resolved.as_ref())?;
        }
        if needs.records_requests {
            check_recording(target.resolved.as_ref(), self.destination.folder)?;
        }
        if let Some(discards) = needs.discards {
            target.check_discards(discards)?;
        }
        Ok(())
    }

    /// Says what stands against writing to the target, without claiming it.
    pub fn check_target(&self, target: &NamedTarget, output: Option<&Path>) -> Result<(), Failure> {
        if !self.needs().writes {
            return Ok(());
        }
        target.check_writing(self.safety, output)
    }

    /// Claims the real target at this path for what the test does with it. `output` is the folder of all results of the command.
    pub fn open_target(&self, path: &Path, output: Option<&Path>) -> Result<Real, Failure> {
        if self.needs().writes {
            Real::open_for_writing(path, self.safety, output)
        } else {
            Real::open_for_reading(path)
        }
    }

    /// The plan for a target of this geometry.
    pub fn plan(&self, geometry: Geometry) -> Result<T::Plan, Failure> {
        Ok(T::plan(&self.settings, &self.input, geometry, Seed::new(self.seed))?)
    }

    /// How the drive is read until it is warm; none where that was not asked for.
    pub fn warm_up(&self) -> Option<WarmUpPlan> {
        self.needs().until_warm.map(|at_most| WarmUpPlan { at_most })
    }

    /// The plan in words, with the warm-up.
    pub fn outline(&self, plan: &T::Plan) -> Outline {
        let outline = T::outline(plan);
        match self.warm_up() {
            Some(warm_up) => warm_up.outlined(outline),
            None => outline,
        }
    }

    /// The phases that the figures speak of: a warm-up is none of them.
    fn measured(&self) -> MeasuredPhases {
        match (self.needs().measured, self.warm_up()) {
            (MeasuredPhases::Every, Some(_)) => MeasuredPhases::EveryBut(WarmUpPlan::PHASE.to_owned()),
            (measured, _) => measured,
        }
    }

    /// The plan, as a dry run tells it; without an outline where it depends on a size that is not known.
    pub fn planned(&self, plan: Option<&T::Plan>) -> PlannedTest {
        let planned = PlannedTest {
            target: self.target.to_owned(),
            label: T::label(self.target, &self.settings),
            outline: plan.map(|plan| self.outline(plan)),
        };
        planned.with_meter(self.meter)
    }

    /// The manifest of a run of this test that has no phase yet.
    pub fn manifest(&self, plan: &T::Plan, origin: RunOrigin) -> Manifest {
        let settings = T::comparable(self.settings.clone(), origin.geometry);
        let mut conditions = origin.conditions;
        conditions.extend(T::conditions(&settings, plan));
        conditions.extend(self.warm_up().map(|warm_up| warm_up.condition()));
        let own_label = T::label(self.target, &self.settings);
        Manifest {
            seed: self.seed,
            drive: origin.drive,
            conditions,
            started: origin.started,
            measured: self.measured(),
            ..new_manifest::<T>(self.target, own_label, self.destination.name, &settings)
        }
    }
}

/// Checks that this machine has the processors that `--cpus` names.
fn check_cpus(cpus: &[usize]) -> Result<(), Failure> {
    let online = online_cpus().map_err(|error| Failure::io("the processors cannot be listed", &error))?;
    let Some(missing) = cpus.iter().find(|cpu| !online.contains(cpu)) else { return Ok(()) };
    let list: Vec<String> = online.iter().map(ToString::to_string).collect();
    Err(usage!("--cpus {missing}: this process may use {}", list.join(",")))
}

impl Claimed {
    /// The target of a test: the one that is claimed already, or a new one after the old one was let go.
    pub fn claim<T: Test>(
        &mut self,
        request: &TestRequest<'_, T>,
        path: &Path,
        output: Option<&Path>,
    ) -> Result<&Real, Failure> {
        // The old one is let go before the new one is claimed.
        let claimed = self.0.take().filter(|claimed| claimed.path == path);
        Ok(self.0.insert(claimed.map_or_else(|| request.open_target(path, output), Ok)?))
    }
}
