//! A test from its settings to its result: the same way for a real drive and for a simulated one.

use std::path::{Path, PathBuf};

use drivelab_block::{ByteRange, Geometry, Nanos, Payload};
use drivelab_kinds::{Outline, PlannedTime, ReadContents, ResultKind, StoredResult, Test, WarmUpPlan};
use drivelab_method::Interrupt;
use drivelab_record::{Condition, Drive, KernelLog, MANIFEST_SCHEMA, Manifest, MeasuredPhases, Started};
use drivelab_sim::Profile;
use drivelab_uring::keep_off;
use drivelab_verify::{Described, ReadbackPayload};
use drivelab_workload::{Compressibility, Incompressible, Seed};

use crate::dry_run;
use crate::on_drive::{RealTarget, TestedDrive, check_recording};
use crate::purge::check_purge;
use crate::results::{self, Destination};
use crate::tested_engine::TestedEngine;
use crate::warm_up::check_until_warm;
use crate::{
    Ending, Failure, Finished, MeterOptions, NamedTarget, PlannedTest, ReadbackChecker, Real, SafetyOptions,
    Start, StreamChecker, TargetName, begin_real, begin_simulated, begin_witnessed, check_cpus, condition,
    output, real_conditions, simulated_conditions, simulated_drive, started_now,
};

/// A test that takes this long says so first.
const LONG: Nanos = Nanos::from_secs(60);

/// A test that is to be run.
pub struct TestRequest<'a, T: ResultKind, I = ()> {
    /// The target as it was typed.
    pub target: &'a str,
    /// What is asked.
    pub settings: T::Settings,
    /// What is asked besides, which a result does not keep.
    pub input: I,
    /// The seed of every random draw.
    pub seed: u64,
    /// Where the result goes.
    pub destination: Destination<'a>,
    /// What the user says before anything is written.
    pub safety: &'a SafetyOptions,
    /// How the power is measured.
    pub meter: &'a MeterOptions,
}

/// A test that has ended.
pub struct EndedTest<T: Test> {
    /// Its result.
    pub kept: StoredResult<T>,
    /// How it ended.
    pub ending: Ending,
    /// Why it broke off, where it did.
    pub failure: Option<Failure>,
    /// Whether records of it could not be written: a test after it would write over the drive, and keep nothing of that.
    pub found_no_room: bool,
}

/// The real target that is claimed at the moment, of several tests.
#[derive(Default)]
pub struct Claimed(Option<(PathBuf, Real)>);

impl<T: Test> TestRequest<'_, T, T::Input> {
    /// Says what stands against the target of this test, whatever it holds.
    pub fn check_kind(&self, target: &NamedTarget) -> Result<(), Failure> {
        if let (true, Some(why)) = (target.is_file(), T::NOT_OF_FILES) {
            // It is the target that does not allow the test: a review leaves its step out.
            return Err(Failure::Environment(format!("{}: {why}", self.target)));
        }
        check_cpus(T::cpus(&self.settings))?;
        check_purge(target.resolved(), T::purge(&self.settings))?;
        if T::until_warm(&self.settings).is_some() {
            check_until_warm(target.name(), target.resolved())?;
        }
        if T::records_requests(&self.settings) {
            check_recording(target.resolved(), self.destination.folder)?;
        }
        T::needs_discards(&self.settings, &self.input)
            .map_or(Ok(()), |(asked, mend)| target.check_discards((&asked, mend)))
    }

    /// Says what stands against writing to the target, without claiming it.
    pub fn check_target(&self, target: &NamedTarget, output: Option<&Path>) -> Result<(), Failure> {
        if !T::writes(&self.settings, &self.input) {
            return Ok(());
        }
        target.check_writing(self.safety, output)
    }

    /// The plan, where the size of the target is known.
    pub fn early_plan(&self, target: &NamedTarget) -> Result<Option<T::Plan>, Failure> {
        let geometry = target.geometry(self.safety.file_size);
        geometry.map(|geometry| self.plan(geometry)).transpose()
    }

    /// How the drive is read until it is warm; none where that was not asked for.
    fn warm_up(&self) -> Option<WarmUpPlan> {
        T::until_warm(&self.settings).map(WarmUpPlan::lasting)
    }

    /// The plan in words, with the warm-up.
    fn outline(&self, plan: &T::Plan) -> Outline {
        let outline = T::outline(plan);
        match self.warm_up() {
            Some(warm_up) => warm_up.outlined(outline),
            None => outline,
        }
    }

    /// The phases that the figures speak of: a warm-up is none of them.
    fn measured(&self) -> MeasuredPhases {
        match (T::measured(&self.settings), self.warm_up()) {
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

    /// Runs the test. `output` is the folder of all results of the command, on which none of its targets may lie.
    ///
    /// A test that broke off comes back with what it has; one that never began is the failure alone. A real target is claimed
    /// once for all tests that follow each other on it: between two of them no other program can take it, and what the
    /// first one has written does not stand against the second.
    pub fn run_on(
        &self,
        target: &NamedTarget,
        claimed: &mut Claimed,
        (output, interrupt): (Option<&Path>, &Interrupt),
    ) -> Result<EndedTest<T>, Failure> {
        match target.name() {
            TargetName::Simulated(profile) => self.on_simulated(profile, interrupt),
            TargetName::Path(path) => {
                let real = claimed.claim(self, path, output)?;
                self.on_real(RealTarget { real, path }, interrupt)
            }
        }
    }

    fn on_simulated(&self, profile: &Profile, interrupt: &Interrupt) -> Result<EndedTest<T>, Failure> {
        let geometry = profile.geometry();
        let plan = self.plan(geometry)?;
        let (drive, mut conditions) = (simulated_drive(profile), simulated_conditions(profile));
        conditions.extend(T::written_range(&plan).map(|range| alpha(profile, range)));
        let manifest = self.manifest(drive, conditions, None, (&plan, geometry));
        let start = self.start(manifest, interrupt);
        let session = match T::contents(&plan) {
            ReadContents::Unwatched => begin_simulated(profile, self.seed, T::workers(&plan), start)?,
            ReadContents::Looks(looks) => {
                begin_witnessed(profile, self.seed, Box::new(ReadbackChecker(looks)), start)?
            }
            ReadContents::SelfDescribing { verification, .. } => {
                let witness = StreamChecker::new(profile, verification).map_err(Failure::Usage)?;
                begin_witnessed(profile, self.seed, Box::new(witness), start)?
            }
        };
        self.carry_out(&plan, TestedDrive::new(session, None), geometry)
    }

    fn on_real(&self, target: RealTarget<'_>, interrupt: &Interrupt) -> Result<EndedTest<T>, Failure> {
        let plan = self.plan(target.real.geometry())?;
        let share = Compressibility::percent(T::compressibility_percent(&self.settings)).unwrap_or_default();
        let seed = Seed::new(self.seed);
        let payload = |worker: u16| Incompressible::new(seed.numbered(u64::from(worker)), share);
        match T::contents(&plan) {
            ReadContents::Unwatched => self.on_engines(&plan, target, payload, interrupt),
            ReadContents::Looks(looks) => {
                let looked_at = |worker: u16| ReadbackPayload::new(payload(worker), looks.clone());
                self.on_engines(&plan, target, looked_at, interrupt)
            }
            ReadContents::SelfDescribing { run, verification } => {
                let clock = target.real.clock();
                let described = |_| Described::new(run, verification.clone(), move || clock.now());
                self.on_engines(&plan, target, described, interrupt)
            }
        }
    }

    fn on_engines<P: Payload + Send + 'static>(
        &self,
        plan: &T::Plan,
        target: RealTarget<'_>,
        payload: impl Fn(u16) -> P,
        interrupt: &Interrupt,
    ) -> Result<EndedTest<T>, Failure> {
        let RealTarget { real, .. } = target;
        let (conditions, geometry) = (real_conditions(real), real.geometry());
        let manifest = self.manifest(real.drive(), conditions, started_now(), (plan, geometry));
        let cpus = T::cpus(&self.settings);
        keep_off(cpus).map_err(|error| Failure::io("the recorder cannot be moved", &error))?;
        let of_worker = |worker: u16| {
            let cpu = cpus.get(usize::from(worker) % cpus.len().max(1)).copied();
            real.engine(payload(worker), cpu.as_slice())
        };
        let engines = (0..T::workers(plan)).map(of_worker).collect();
        let start = self.start(manifest, interrupt);
        let mut session = begin_real(real, engines, start)?;
        if matches!(T::contents(plan), ReadContents::SelfDescribing { .. }) {
            // What was acknowledged before a power cut is known from the records.
            session.survive_power_cuts();
        }
        self.carry_out(plan, TestedDrive::new(session, Some(target)), geometry)
    }

    /// What a test does on a drive, whichever it is.
    fn carry_out<E: TestedEngine>(
        &self,
        plan: &T::Plan,
        mut drive: TestedDrive<'_, E>,
        geometry: Geometry,
    ) -> Result<EndedTest<T>, Failure> {
        let outline = self.outline(plan);
        self.announce(&outline, drive.is_simulated());
        drive.warm_up_by(self.warm_up(), geometry);
        let time = outline.time;
        // How far a replay is whose requests wait for each other is known of its phase alone.
        time.filter(|time| time.is_bounded()).into_iter().for_each(|time| drive.expect(time));
        let mut findings = T::Findings::default();
        let ended = T::run(plan, &mut drive, &mut findings).and(drive.check_watch());
        drive.note_read_back(&T::contents(plan));
        let finished = drive.finish();
        // A test may be over before its first I/O, where the drive does not have what it needs.
        if finished.manifest.phases.is_empty() && (ended.is_err() || was_interrupted(&finished)) {
            let nothing = || Failure::Environment("the test ended before its first I/O".to_owned());
            return Err(ended.err().unwrap_or_else(nothing));
        }
        let found_no_room = finished.unwritten > 0;
        let settings = T::comparable(self.settings.clone(), geometry);
        let kept = results::of_finished::<T>(finished, settings, findings);
        Ok(EndedTest { ending: Ending::from_kept(&kept), kept, failure: ended.err(), found_no_room })
    }

    /// Says first what is done, where a test says that, and how long it takes with its warm-up: where the plan is said, and of a
    /// long one on a real drive. A review says the time of all its steps itself.
    fn announce(&self, outline: &Outline, is_simulated: bool) {
        let is_long = |time: PlannedTime| time.at(PlannedTime::ASSUMED_RATE) >= LONG;
        let is_timed = |time: &PlannedTime| T::IS_ANNOUNCED || (!is_simulated && is_long(*time));
        let time = outline.time.filter(is_timed).filter(|_| crate::whole::whole().is_none());
        let it_takes = if is_simulated { "in virtual time it takes" } else { "it takes" };
        let time = time.and_then(|time| dry_run::time_in_words(time, it_takes));
        let sentences = if T::IS_ANNOUNCED { outline.sentences.clone() } else { Vec::new() };
        let parts: Vec<String> = sentences.into_iter().chain(time).collect();
        if !parts.is_empty() {
            output::say(format_args!("{}: {}", T::label(self.target, &self.settings), parts.join("; ")));
        }
    }

    fn plan(&self, geometry: Geometry) -> Result<T::Plan, Failure> {
        Ok(T::plan(&self.settings, &self.input, geometry, Seed::new(self.seed))?)
    }

    fn start(&self, manifest: Manifest, interrupt: &Interrupt) -> Start<'_> {
        let interrupt = interrupt.clone();
        Start {
            manifest,
            folder: self.destination.folder,
            interrupt,
            meter: Some(self.meter),
            temperature_limit: self.safety.temperature_limit,
            writes: T::writes(&self.settings, &self.input),
        }
    }

    fn manifest(
        &self,
        drive: Drive,
        mut conditions: Vec<Condition>,
        started: Option<Started>,
        (plan, geometry): (&T::Plan, Geometry),
    ) -> Manifest {
        let settings = T::comparable(self.settings.clone(), geometry);
        conditions.extend(T::conditions(&settings, plan));
        conditions.extend(self.warm_up().map(|warm_up| warm_up.condition()));
        Manifest {
            schema: MANIFEST_SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: T::NAME.to_owned(),
            label: self.destination.name.label(T::label(self.target, &self.settings)),
            given_name: self.destination.name.given(),
            note: self.destination.name.note(),
            hides_serial: self.destination.name.hides_serial,
            target: self.target.to_owned(),
            drive,
            seed: self.seed,
            started,
            measured: self.measured(),
            settings: serde_json::to_value(&settings).expect("settings have string keys only"),
            conditions,
            notices: Vec::new(),
            phases: Vec::new(),
            kernel_log: KernelLog::default(),
            standstills: Vec::new(),
            outcome: None,
        }
    }
}

impl Claimed {
    /// The target of a test: the one that is claimed already, or a new one after the old one was let go.
    fn claim<T: Test>(
        &mut self,
        request: &TestRequest<'_, T, T::Input>,
        path: &Path,
        output: Option<&Path>,
    ) -> Result<&Real, Failure> {
        self.0 = self.0.take().filter(|(claimed, _)| claimed == path);
        let claimed = match self.0.take() {
            Some(claimed) => claimed,
            None if T::writes(&request.settings, &request.input) => {
                (path.to_owned(), Real::open_for_writing(path, request.safety, output)?)
            }
            None => (path.to_owned(), Real::open_for_reading(path)?),
        };
        Ok(&self.0.insert(claimed).1)
    }
}

/// What the write amplification of uniform random writes to a range depends on.
fn alpha(profile: &Profile, range: ByteRange) -> Condition {
    let alpha = profile.alpha(range.length());
    let value =
        format!("{alpha:.3}: flash without the collection reserve, over the range that is written (alpha)");
    condition("Drive", "ratio of flash to written range", value)
}

fn was_interrupted(finished: &Finished) -> bool {
    finished.manifest.outcome.as_ref().is_some_and(|outcome| outcome.interrupted)
}
