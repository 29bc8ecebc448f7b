//! A test from its settings to its result: the same way for a real drive and for a simulated one.

use std::path::Path;

use drivelab_analysis::PhaseAnalysis;
use drivelab_block::{ByteCount, Engine, Geometry};
use drivelab_method::{PhaseEnd, PhasePlan};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, Severity};
use drivelab_safety::{System, Target};
use drivelab_sim::Profile;
use drivelab_tests::{Kept, Outline, PlanDocument, PlanError, Test};
use drivelab_workload::{Compressibility, Incompressible, Seed, Workload};

use crate::results::{self, Destination};
use crate::{
    Ending, Failure, Finished, MeterOptions, Real, SafetyOptions, Session, Start, TargetName, begin_real,
    begin_simulated, check_flags, check_safety, check_task_meter, checked, folder_complaint, geometry_of,
    output, real_conditions, signals, simulated_conditions, simulated_drive, unix_seconds,
};

/// A test that is to be run.
pub struct TestRequest<'a, T: Test> {
    /// The target as it was typed.
    pub target: &'a str,
    /// What is asked.
    pub settings: T::Settings,
    /// The seed of every random draw.
    pub seed: u64,
    /// Where the result goes.
    pub destination: Destination<'a>,
    /// What the user says before anything is written.
    pub safety: &'a SafetyOptions,
    /// How the power is measured.
    pub meter: &'a MeterOptions,
}

/// Runs a test, keeps its result where a folder was named, and shows it.
pub fn run_test<T: Test>(request: &TestRequest<'_, T>) -> Result<Ending, Failure> {
    let target = TargetName::parse(request.target)?;
    let reads_only = (!T::writes(&request.settings)).then(|| format!("{} without --write", T::NAME));
    check_flags(request.safety, std::slice::from_ref(&target), reads_only.as_deref())?;
    check_task_meter(request.meter, Some(&target))?;
    request.destination.check()?;
    match target {
        TargetName::Simulated(profile) => request.on_simulated(&profile),
        TargetName::Path(path) => request.on_real(&path),
    }
}

impl<T: Test> TestRequest<'_, T> {
    fn on_simulated(&self, profile: &Profile) -> Result<Ending, Failure> {
        let geometry = profile.geometry();
        let plan = checked(self.plan(geometry), self.folder_complaint(), || Ok(()))?;
        if self.safety.dry_run {
            return self.dry_run(&T::outline(&plan));
        }
        let manifest = self.manifest(simulated_drive(profile), simulated_conditions(profile), None);
        let session = begin_simulated(profile, self.seed, 1, self.start(manifest)?)?;
        self.carry_out(&plan, session, None)
    }

    fn on_real(&self, path: &Path) -> Result<Ending, Failure> {
        let target = Target::resolve(&System::live(), path)?;
        let writes = T::writes(&self.settings);
        let folder = self.destination.folder;
        let check_target = || if writes { check_safety(&target, self.safety, folder) } else { Ok(()) };
        let early =
            geometry_of(&target, self.safety.file_size).map(|geometry| self.plan(geometry)).transpose();
        let early = checked(early, self.folder_complaint(), check_target)?;
        if self.safety.dry_run {
            check_target()?;
            let plan = early.ok_or_else(|| Failure::Usage(no_size(self.target)))?;
            return self.dry_run(&T::outline(&plan));
        }
        let real = if writes {
            Real::open_for_writing(path, self.safety, folder)?
        } else {
            Real::open_for_reading(path)?
        };
        let plan = self.plan(real.geometry())?;
        let manifest = self.manifest(real.drive(), real_conditions(real.identity()), Some(unix_seconds()));
        let payload = Incompressible::new(Seed::new(self.seed), Compressibility::default());
        let engines = vec![real.engine(payload, &[])];
        let session = begin_real(&real, engines, self.start(manifest)?, self.safety.temperature_limit)?;
        self.carry_out(&plan, session, Some(&real))
    }

    /// What a test does on a drive, whichever it is.
    fn carry_out<E: Engine + Send>(
        &self,
        plan: &T::Plan,
        session: Session<E>,
        real: Option<&Real>,
    ) -> Result<Ending, Failure> {
        let mut findings = T::Findings::default();
        let mut drive = OnDrive { session, real };
        let ended = T::run(plan, &mut drive, &mut findings);
        let finished = drive.session.finish(None);
        if finished.manifest.phases.is_empty() {
            let nothing = || Failure::Environment("the test ended before its first I/O".to_owned());
            return Err(ended.err().unwrap_or_else(nothing));
        }
        let ending = ending_of(&finished);
        let kept = results::of_finished::<T>(finished, self.settings.clone(), findings);
        self.show(&kept)?;
        ended?;
        Ok(ending)
    }

    fn show(&self, kept: &Kept<T>) -> Result<(), Failure> {
        self.destination.keep(kept)?;
        self.destination.show(std::slice::from_ref(kept))
    }

    fn plan(&self, geometry: Geometry) -> Result<T::Plan, Failure> {
        Ok(T::plan(&self.settings, geometry, Seed::new(self.seed))?)
    }

    fn folder_complaint(&self) -> Option<Failure> {
        folder_complaint("-o", self.destination.folder?, self.safety.dry_run)
    }

    fn start(&self, manifest: Manifest) -> Result<Start<'_>, Failure> {
        let interrupt = signals::interrupt()?;
        Ok(Start { manifest, folder: self.destination.folder, interrupt, meter: Some(self.meter) })
    }

    fn dry_run(&self, outline: &Outline) -> Result<Ending, Failure> {
        if self.destination.json {
            return output::print_json(&PlanDocument::of(self.target, outline));
        }
        let mut sentences = outline.sentences.clone();
        if outline.written > ByteCount::new(0) {
            sentences.push(format!("{} would be written", outline.written));
        }
        sentences
            .extend(outline.at_most.map(|time| format!("it would take at most {}", output::long_time(time))));
        let lines = sentences.iter().map(|sentence| format!("{}: {sentence}\n", self.target));
        let text: String = lines.collect();
        output::print(&(text + output::NOTHING_DONE))
    }

    fn manifest(&self, drive: Drive, conditions: Vec<Condition>, started_unix_s: Option<u64>) -> Manifest {
        Manifest {
            schema: MANIFEST_SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: T::NAME.to_owned(),
            label: self.target.to_owned(),
            target: self.target.to_owned(),
            drive,
            seed: self.seed,
            started_unix_s,
            measured: Some(T::measured()),
            settings: serde_json::to_value(&self.settings).expect("settings have string keys only"),
            conditions,
            notices: Vec::new(),
            phases: Vec::new(),
            outcome: None,
        }
    }
}

fn no_size(target: &str) -> String {
    format!("{target} is not there: give its size with --file-size")
}

fn ending_of(finished: &Finished) -> Ending {
    match &finished.manifest.outcome {
        Some(outcome) if outcome.interrupted => Ending::Interrupted,
        _ if finished.manifest.has_failed() => Ending::CheckFailed,
        _ => Ending::Passed,
    }
}

/// A drive under test, as tests see it.
struct OnDrive<'a, E> {
    session: Session<E>,
    /// The target, where it is a real one.
    real: Option<&'a Real>,
}

impl<E: Engine + Send> drivelab_tests::Session for OnDrive<'_, E> {
    type Error = Failure;

    fn begins_empty(&self) -> bool {
        self.real.is_none()
    }

    fn phase<W: Workload>(
        &mut self,
        plan: &PhasePlan,
        workloads: Vec<W>,
        ends_after: Option<ByteCount>,
    ) -> Result<PhaseEnd, Failure> {
        let ended = self.session.phase(plan, workloads, ends_after);
        ended.map_err(|error| self.session.broke(error))
    }

    fn last_phase(&self) -> Option<&PhaseAnalysis> {
        self.session.last_phase()
    }

    fn check_target(&self) -> Result<(), Failure> {
        self.real.map_or(Ok(()), Real::verify_again)
    }

    fn is_interrupted(&self) -> bool {
        self.session.is_interrupted()
    }

    fn notice(&mut self, severity: Severity, text: String) {
        self.session.notice(severity, text);
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        Failure::Usage(error.to_string())
    }
}
