//! A test from its settings to its result: the same way for a real drive and for a simulated one.

use std::path::Path;

use drivelab_block::{ByteRange, Geometry, Nanos, Payload};
use drivelab_documents::{Condition, Manifest};
use drivelab_kinds::{Outline, PlannedTime, ReadContents, RecordedTest, ResultKind, StoredResult};
use drivelab_method::Interrupt;
use drivelab_sim::{Profile, ReadObserver};
use drivelab_uring::keep_off;
use drivelab_workload::verify::ReadbackPayload;
use drivelab_workload::{Compressibility, Incompressible, Seed};

use crate::dry_run;
use crate::request::{Claimed, RunOrigin, TestRequest};
use crate::results;
use crate::tested_drive::TestedDrive;
use crate::tested_engine::TestedEngine;
use crate::{
    Ending, Failure, NamedTarget, ReadbackChecker, Real, Start, StreamChecker, TargetName, begin_real,
    begin_simulated,
};

/// A test that takes this long says so first.
const LONG: Nanos = Nanos::from_secs(60);

/// A test that has ended.
pub struct EndedTest<T: ResultKind> {
    /// Its result.
    pub kept: StoredResult<T>,
    /// How it ended.
    pub ending: Ending,
    /// Why it broke off, where it did.
    pub failure: Option<Failure>,
    /// Whether records of it could not be written: a test after it would write over the drive, and keep nothing of that.
    pub found_no_room: bool,
}

impl<T: RecordedTest> TestRequest<'_, T> {
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
        match &target.name {
            TargetName::Simulated(profile) => self.on_simulated(profile, interrupt),
            TargetName::Path(path) => self.on_real(claimed.claim(self, path, output)?, interrupt),
        }
    }

    fn on_simulated(&self, profile: &Profile, interrupt: &Interrupt) -> Result<EndedTest<T>, Failure> {
        let geometry = profile.geometry();
        let plan = self.plan(geometry)?;
        let setup = T::setup(&plan);
        let mut origin = RunOrigin::simulated(profile);
        origin.conditions.extend(setup.written_range.map(|range| alpha(profile, range)));
        let start = self.start(self.manifest(&plan, origin), interrupt);
        let observer: Option<Box<dyn ReadObserver>> = match setup.contents {
            ReadContents::Unwatched => None,
            ReadContents::Looks(looks) => Some(Box::new(ReadbackChecker(looks))),
            ReadContents::SelfDescribing { verification, .. } => {
                Some(Box::new(StreamChecker::new(profile, verification).map_err(Failure::Usage)?))
            }
        };
        // A drive whose contents are looked at serves one queue.
        let queues = if observer.is_some() { 1 } else { setup.workers };
        let session = begin_simulated(profile, self.seed, queues, observer, start)?;
        self.carry_out(&plan, TestedDrive::new(session, None), geometry)
    }

    fn on_real(&self, real: &Real, interrupt: &Interrupt) -> Result<EndedTest<T>, Failure> {
        let plan = self.plan(real.geometry())?;
        let share = Compressibility::percent(self.needs().compressibility_percent);
        let seed = Seed::new(self.seed);
        let payload = |worker: u16| Incompressible::new(seed.numbered(u64::from(worker)), share);
        let geometry = real.geometry();
        let manifest = self.manifest(&plan, RunOrigin::real(real));
        let (cpus, setup) = (self.needs().cpus, T::setup(&plan));
        let payload_of = |worker: u16| -> Box<dyn Payload> {
            match &setup.contents {
                ReadContents::Unwatched => Box::new(payload(worker)),
                ReadContents::Looks(looks) => Box::new(ReadbackPayload::new(payload(worker), looks.clone())),
                ReadContents::SelfDescribing { run, verification } => {
                    real.self_describing(*run, verification.clone())
                }
            }
        };
        keep_off(&cpus).map_err(|error| Failure::io("the recorder cannot be moved", &error))?;
        let of_worker = |worker: u16| {
            let cpu = cpus.get(usize::from(worker) % cpus.len().max(1)).copied();
            real.engine(payload_of(worker), cpu.as_slice())
        };
        let engines = (0..setup.workers).map(of_worker).collect();
        let start = self.start(manifest, interrupt);
        let mut session = begin_real(real, engines, start)?;
        if matches!(setup.contents, ReadContents::SelfDescribing { .. }) {
            // What was acknowledged before a power cut is known from the records.
            session.recorder.survive_power_cuts();
        }
        self.carry_out(&plan, TestedDrive::new(session, Some(real)), geometry)
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
        drive.warm_up = self.warm_up().map(|plan| (plan, geometry));
        // How far a replay is whose requests wait for each other is known of its phase alone.
        drive.session.display.planned = outline.time.filter(|time| time.is_bounded());
        let mut findings = T::Findings::default();
        let ended = T::run(plan, &mut drive, &mut findings).and(drive.session.watch.check());
        drive.session.broke_off = ended.is_err();
        drive.note_read_back(&T::setup(plan).contents);
        let finished = drive.finish();
        let was_interrupted = finished.manifest.outcome.as_ref().is_some_and(|outcome| outcome.interrupted);
        // A test may be over before its first I/O, where the drive does not have what it needs.
        if finished.manifest.phases.is_empty() && (ended.is_err() || was_interrupted) {
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
        let is_timed = |time: &PlannedTime| T::RULES.is_announced || (!is_simulated && is_long(*time));
        let time = outline.time.filter(is_timed).filter(|_| self.destination.parent.is_none());
        let it_takes = if is_simulated { "in virtual time it takes" } else { "it takes" };
        let time = time.and_then(|time| dry_run::time_in_words(time, it_takes));
        let sentences = if T::RULES.is_announced { outline.sentences.clone() } else { Vec::new() };
        let parts: Vec<String> = sentences.into_iter().chain(time).collect();
        if !parts.is_empty() {
            say!("{}: {}", T::label(self.target, &self.settings), parts.join("; "));
        }
    }

    fn start(&self, manifest: Manifest, interrupt: &Interrupt) -> Start<'_> {
        Start {
            manifest,
            folder: self.destination.folder,
            live: self.destination.live,
            parent: self.destination.parent,
            interrupt: interrupt.clone(),
            meter: Some(self.meter),
            temperature_limit: self.safety.temperature_limit(),
            writes: self.needs().writes,
        }
    }
}

/// What the write amplification of uniform random writes to a range depends on.
fn alpha(profile: &Profile, range: ByteRange) -> Condition {
    let alpha = profile.alpha(range.length());
    let value =
        format!("{alpha:.3}: flash without the collection reserve, over the range that is written (alpha)");
    Condition::new("Drive", "ratio of flash to written range", value)
}
