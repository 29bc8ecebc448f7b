//! A test from its settings to its result: the same way for a real drive and for a simulated one.

use std::path::Path;

use drivelab_block::{ByteCount, Geometry, Payload};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest};
use drivelab_safety::{System, Target};
use drivelab_sim::Profile;
use drivelab_tests::{Contents, Kept, Outline, PlanDocument, PlanError, Test};
use drivelab_workload::{Compressibility, Incompressible, Seed, Workload};
use drivelab_verify::LookedAt;

use crate::on_drive::{OnDrive, RealTarget, TestedEngine};
use crate::results::{self, Destination};
use crate::{
    Ending, Failure, Finished, LookWitness, MeterOptions, Real, SafetyOptions, Start, TargetName, begin_real,
    begin_simulated, begin_witnessed, check_flags, check_meter, check_safety, checked, folder_complaint,
    geometry_of, output, real_conditions, signals, simulated_conditions, simulated_drive, unix_seconds,
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
    check_meter(request.meter, std::slice::from_ref(&target))?;
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
        let (drive, conditions) = (simulated_drive(profile), simulated_conditions(profile));
        let start = self.start(self.manifest(drive, conditions, None, geometry))?;
        let session = match T::contents(&plan) {
            Contents::Unwatched => begin_simulated(profile, self.seed, 1, start)?,
            Contents::Looks(looks) => {
                begin_witnessed(profile, self.seed, Box::new(LookWitness(looks)), start)?
            }
        };
        self.carry_out(&plan, OnDrive { session, real: None }, geometry)
    }

    fn on_real(&self, path: &Path) -> Result<Ending, Failure> {
        let target = Target::resolve(&System::live(), path)?;
        if let (Target::File(_), Some(why)) = (&target, T::NOT_OF_FILES) {
            return Err(Failure::Usage(format!("{}: {why}", path.display())));
        }
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
        let payload = Incompressible::new(Seed::new(self.seed), Compressibility::default());
        let target = RealTarget { real: &real, path };
        match T::contents(&plan) {
            Contents::Unwatched => self.on_engine(&plan, target, payload),
            Contents::Looks(looks) => self.on_engine(&plan, target, LookedAt::new(payload, looks)),
        }
    }

    fn on_engine<P: Payload + Send>(
        &self,
        plan: &T::Plan,
        target: RealTarget<'_>,
        payload: P,
    ) -> Result<Ending, Failure> {
        let RealTarget { real, .. } = target;
        let (conditions, geometry) = (real_conditions(real.identity()), real.geometry());
        let manifest = self.manifest(real.drive(), conditions, Some(unix_seconds()), geometry);
        let engines = vec![real.engine(payload, &[])];
        let session = begin_real(real, engines, self.start(manifest)?, self.safety.temperature_limit)?;
        self.carry_out(plan, OnDrive { session, real: Some(target) }, geometry)
    }

    /// What a test does on a drive, whichever it is.
    fn carry_out<E: TestedEngine>(
        &self,
        plan: &T::Plan,
        mut drive: OnDrive<'_, E>,
        geometry: Geometry,
    ) -> Result<Ending, Failure> {
        let mut findings = T::Findings::default();
        let drawn = drive.account();
        let ended = T::run(plan, &mut drive, &mut findings);
        drive.take_drawn(drawn);
        let finished = drive.session.finish(None);
        // A test may be over before its first I/O, where the drive does not have what it needs.
        if finished.manifest.phases.is_empty() && (ended.is_err() || was_interrupted(&finished)) {
            let nothing = || Failure::Environment("the test ended before its first I/O".to_owned());
            return Err(ended.err().unwrap_or_else(nothing));
        }
        let ending = ending_of::<T>(&finished, &findings);
        let settings = T::comparable(self.settings.clone(), geometry);
        let kept = results::of_finished::<T>(finished, settings, findings);
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

    fn manifest(
        &self,
        drive: Drive,
        conditions: Vec<Condition>,
        started_unix_s: Option<u64>,
        geometry: Geometry,
    ) -> Manifest {
        let settings = T::comparable(self.settings.clone(), geometry);
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
            settings: serde_json::to_value(&settings).expect("settings have string keys only"),
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

fn was_interrupted(finished: &Finished) -> bool {
    finished.manifest.outcome.as_ref().is_some_and(|outcome| outcome.interrupted)
}

fn ending_of<T: Test>(finished: &Finished, findings: &T::Findings) -> Ending {
    if was_interrupted(finished) {
        Ending::Interrupted
    } else if finished.manifest.has_failed() || !T::has_passed(findings) {
        Ending::CheckFailed
    } else {
        Ending::Passed
    }
}
