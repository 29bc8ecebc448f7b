//! `drivelab matrix`.

mod cell;
mod cells;
mod conduct;
mod image;
mod plan;
mod planned;
#[cfg(test)]
mod planted;
mod said;
mod simulated;

use std::path::Path;

use drivelab_kinds::matrix::{Matrix, PlannedCell};
use drivelab_method::Interrupt;
use drivelab_record::{Condition, Drive, Manifest, MeasuredPhases, Started};
use drivelab_runner::{
    Destination, Ending, Failure, HostMonitors, NOT_ENDED_BY_HEAT, Real, RunFacts, SafetyOptions, Served,
    TargetName, TemperatureLimit, UnrecordedStart, Watch, check_flags, check_safety, check_task_meter,
    checked, dry_run, folder_complaint, output, real_conditions, refuse_temperature_limit, signals,
    simulated_conditions, simulated_drive, started_now, unwatched_simulated,
};
use drivelab_safety::{DriveIdentity, System, Target};
use drivelab_sharing::{Places, Scheduler};
use drivelab_sim::Profile;

use super::identity::{KeptDrive, identity_of};
use super::target_names::{IMAGE, from_anywhere};
use crate::args::MatrixArgs;
use cell::Measure;
use conduct::conduct;
use planned::PlannedMatrix;

/// What a run that is given up leaves.
const GIVEN_UP: &str = "with -o, the folder holds every cell so far, and --resume goes on";

/// What was asked: a new run, or one that goes on.
struct MatrixJob<'a> {
    args: &'a MatrixArgs,
    /// What the user named, now.
    target: String,
    /// Where the run is kept.
    folder: Option<&'a Path>,
    /// The run that goes on.
    resumed: Option<PlannedMatrix>,
}

/// Measures file systems, schedulers, threads and work against each other.
pub fn main(args: &MatrixArgs) -> Result<Ending, Failure> {
    let resumed = args.resume.as_deref().map(PlannedMatrix::in_folder).transpose()?;
    let target = target_of(args, resumed.as_ref())?;
    let folder = args.resume.as_deref().or(args.result.folder());
    let job = MatrixJob { args, target, folder, resumed };
    if let Some(name) = job.target.strip_prefix(IMAGE) {
        check_task_meter(&args.meter, None)?;
        return image::main(&job, name);
    }
    let name = TargetName::parse(&job.target)?;
    check_task_meter(&args.meter, Some(&name))?;
    match name {
        TargetName::Simulated(profile) => on_simulated(&job, &profile),
        TargetName::Path(path) => on_path(&job, &path),
    }
}

/// The target, which the user names: of a folder that goes on, too. What is destroyed is not to be read from
/// a file. With a simulated drive nothing is.
fn target_of(args: &MatrixArgs, resumed: Option<&PlannedMatrix>) -> Result<String, Failure> {
    match (&args.target, resumed) {
        (Some(target), _) => Ok(target.clone()),
        (None, Some(kept)) if matches!(TargetName::parse(&kept.target), Ok(TargetName::Simulated(_))) => {
            Ok(kept.target.clone())
        }
        (None, Some(_)) => Err(Failure::Usage(
            "--resume: name the target, and confirm it again: drivelab matrix TARGET --resume DIR \
             --destroy-data, for a drive with its --serial"
                .to_owned(),
        )),
        (None, None) => Err(Failure::Usage("name a target, or one with --resume".to_owned())),
    }
}

impl MatrixJob<'_> {
    /// What stands against the folder of a new run.
    fn folder_complaint(&self) -> Option<Failure> {
        folder_complaint("-o", self.args.result.folder()?)
    }

    /// The same before anything is done. A dry run shows the plan first.
    fn folder_complaint_first(&self) -> Option<Failure> {
        self.folder_complaint().filter(|_| !self.args.safety.dry_run)
    }

    /// The run that goes on, which has to be on what has this identity, where it is known by a text, and to make sense there, or
    /// else a new one.
    fn planned(
        &self,
        identity: Option<&str>,
        fresh: impl FnOnce() -> Result<PlannedMatrix, Failure>,
        check_resumed: impl FnOnce(&PlannedMatrix) -> Result<(), Failure>,
        check_target: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<PlannedMatrix, Failure> {
        let Some(resumed) = &self.resumed else {
            return checked(fresh(), self.folder_complaint_first(), check_target);
        };
        if let Some(identity) = identity {
            resumed.check_identity(identity)?;
        }
        checked(check_resumed(resumed).map(|()| resumed.clone()), None, check_target)
    }

    /// The manifest of a run on this drive, under these conditions, that begins there and then.
    fn manifest(
        &self,
        planned: &PlannedMatrix,
        (drive, conditions, started): (Drive, Vec<Condition>, Option<Started>),
    ) -> Manifest {
        let facts = RunFacts::<Matrix> {
            target: &planned.target,
            own_label: planned.target.clone(),
            name: self.args.result.destination().name,
            settings: &planned.settings,
            seed: planned.seed,
            drive,
            conditions,
            started,
            measured: MeasuredPhases::Every,
        };
        facts.manifest()
    }

    fn destination(&self) -> Destination<'_> {
        Destination { folder: self.folder, ..self.args.result.destination() }
    }
}

fn on_simulated(job: &MatrixJob<'_>, profile: &Profile) -> Result<Ending, Failure> {
    check_flags(&job.args.safety, &[], None)?;
    refuse_temperature_limit(job.args.safety.temperature_limit, NOT_ENDED_BY_HEAT)?;
    let identity = format!("{} with parameters {:016x}", profile.model(), profile.fingerprint());
    let fresh = || plan::on_simulated(job.args, &profile.geometry(), &identity);
    let check_resumed = |resumed: &PlannedMatrix| plan::check_on_simulated(resumed, &profile.geometry());
    let planned = job.planned(Some(&identity), fresh, check_resumed, || Ok(()))?;
    let plan = planned.plan()?;
    if job.args.safety.dry_run {
        return dry_run(
            &[said::outline(&planned, &plan).with_meter(&job.args.meter)],
            job.args.result.is_json(),
            job.folder_complaint(),
        );
    }
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let served = Served::default();
    let origin = (simulated_drive(profile), simulated_conditions(profile), None);
    let start = UnrecordedStart::<Matrix> {
        manifest: job.manifest(&planned, origin),
        settings: planned.settings.clone(),
        destination: job.destination(),
        interrupt: interrupt.clone(),
        surroundings: None,
        served: served.clone(),
    };
    let unwatched = unwatched_simulated(job.args.safety.temperature_limit, profile);
    let notices = unwatched.into_iter().map(|notice| notice.text).collect();
    conduct(job, &planned, &plan, (start, notices), |step| {
        simulated::measure(profile, &planned, step, (&interrupt, &served))
    })
}

fn on_path(job: &MatrixJob<'_>, path: &Path) -> Result<Ending, Failure> {
    if path.is_file() {
        let text = format!("{} is a file: write {IMAGE}{}", path.display(), path.display());
        return Err(Failure::Usage(text));
    }
    check_flags(&job.args.safety, &[TargetName::Path(path.to_path_buf())], None)?;
    let target = Target::resolve(&System::live(), path)?;
    let Target::Drive(drive) = &target else {
        return on_drive(job, path, &KnownTarget::ByText(String::new()), &job.args.safety);
    };
    on_drive(job, path, &KnownTarget::ByFacts(identity_of(drive.identity())), &job.args.safety)
}

/// How a target is known again.
enum KnownTarget {
    /// By this text alone: an image.
    ByText(String),
    /// By what the run has kept of the drive; the text is for a reader, and for runs of an earlier version, which kept less.
    ByFacts(String),
}

impl KnownTarget {
    fn text(&self) -> &str {
        match self {
            KnownTarget::ByText(text) | KnownTarget::ByFacts(text) => text,
        }
    }

    /// The text, where it has to be equal.
    fn compared(&self, resumed: Option<&PlannedMatrix>) -> Option<&str> {
        let has_facts = resumed.is_some_and(|resumed| resumed.drive.kernel_name.is_some());
        match self {
            KnownTarget::ByFacts(_) if has_facts => None,
            KnownTarget::ByText(text) | KnownTarget::ByFacts(text) => Some(text),
        }
    }
}

/// Refuses to go on on a drive that is another one than the run was begun on, or may be; what is to be said where the user has
/// named one that may be.
fn check_same_drive(
    job: &MatrixJob<'_>,
    known: &KnownTarget,
    drive: &DriveIdentity,
    safety: &SafetyOptions,
) -> Result<Option<String>, Failure> {
    let (Some(resumed), KnownTarget::ByFacts(_)) = (&job.resumed, known) else { return Ok(None) };
    let kept = KeptDrive { drive: &resumed.drive, target: &resumed.target };
    kept.check(
        (&job.target, drive),
        &safety.serial,
        ("the run was begun on", "name that drive, or begin a new run"),
    )
}

/// Runs on a block device, which `safety` confirms.
fn on_drive(
    job: &MatrixJob<'_>,
    path: &Path,
    known: &KnownTarget,
    safety: &SafetyOptions,
) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    let Target::Drive(drive) = &target else {
        let text = format!("{} is not there: name a drive, a partition, or {IMAGE}FILE", path.display());
        return Err(Failure::Environment(text));
    };
    let doubt = check_same_drive(job, known, drive.identity(), safety)?;
    let geometry = drive.identity().geometry();
    let offered = Scheduler::offered(&Places::live(), drive.identity().whole_name()).unwrap_or_default();
    let check_resumed = |resumed: &PlannedMatrix| plan::check_on_drive(resumed, (geometry, &offered));
    let fresh = || plan::on_drive(job.args, (geometry, &offered), (from_anywhere(&job.target), known.text()));
    let check = || check_safety(&target, safety, job.folder);
    let planned = job.planned(known.compared(job.resumed.as_ref()), fresh, check_resumed, check)?;
    let plan = planned.plan()?;
    if safety.dry_run {
        return dry_run(
            &[said::outline(&planned, &plan).with_meter(&job.args.meter)],
            job.args.result.is_json(),
            job.folder_complaint().into_iter().chain(check().err()),
        );
    }
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let real = Real::open_for_writing(path, safety, job.folder)?;
    let start = start_on(job, &planned, &real, (safety.temperature_limit, &interrupt))?;
    let mut notices = said::notices_of_drive(&planned.settings, &real);
    doubt.iter().for_each(output::say);
    notices.extend(doubt);
    let mut measure = Measure { planned: &planned, real: Some(real), interrupt: &interrupt };
    conduct(job, &planned, &plan, (start, notices), |step: &PlannedCell| measure.run(step))
}

/// What a run on a claimed drive begins with, and what ends it.
fn start_on<'a>(
    job: &'a MatrixJob<'_>,
    planned: &'a PlannedMatrix,
    real: &Real,
    (limit, interrupt): (TemperatureLimit, &Interrupt),
) -> Result<UnrecordedStart<'a, Matrix>, Failure> {
    let target = Watch::start(real, limit, interrupt)?;
    Ok(UnrecordedStart {
        manifest: job.manifest(planned, (real.drive(), real_conditions(real), started_now())),
        settings: planned.settings.clone(),
        destination: job.destination(),
        interrupt: interrupt.clone(),
        surroundings: Some(HostMonitors {
            device: Some(real.device()),
            clock: real.clock(),
            target,
            meter: &job.args.meter,
        }),
        served: Served::default(),
    })
}
