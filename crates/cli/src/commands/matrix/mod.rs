//! `drivelab matrix`.

mod image;
mod plan;

use std::path::Path;

use drivelab_kinds::matrix::{Matrix, MatrixInput};
use drivelab_runner::sharing::{Places, Scheduler};
use drivelab_runner::{
    Destination, Ending, Failure, RunTest as _, SafetyOptions, TargetName, TestRequest, check_safety,
    environment, usage,
};
use drivelab_safety::{DriveIdentity, System, Target};
use drivelab_sim::Profile;

use super::identity::{IMAGE, KeptDrive, from_anywhere};
use crate::args::MatrixArgs;
use plan::{PlannedMatrix, TargetOffer};

/// What was asked: a new run, or one that goes on.
struct MatrixJob<'a> {
    args: &'a MatrixArgs,
    /// What the user named, now.
    target: String,
    folder: Option<&'a Path>,
    resumed: Option<PlannedMatrix>,
}

/// Measures file systems, schedulers, threads and work against each other.
pub fn main(args: &MatrixArgs) -> Result<Ending, Failure> {
    let resumed = args.resume.as_deref().map(PlannedMatrix::in_folder).transpose()?;
    let target = target_of(args, resumed.as_ref())?;
    let folder = args.resume.as_deref().or(args.options.result.folder());
    let job = MatrixJob { args, target, folder, resumed };
    if let Some(name) = job.target.strip_prefix(IMAGE) {
        return image::main(&job, name);
    }
    // Before a run that goes on is compared with the target.
    job.destination().check([job.target.as_str()])?;
    match TargetName::parse(&job.target)? {
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
        (None, Some(_)) => Err(usage!(
            "--resume: name the target, and confirm it again: drivelab matrix TARGET --resume DIR \
             --destroy-data, for a drive with its --serial"
        )),
        (None, None) => Err(usage!("name a target, or one with --resume")),
    }
}

impl MatrixJob<'_> {
    /// Runs, or tells, a matrix on this target. `doubt` is what speaks against its drive being the one that the run was begun on.
    fn run(
        &self,
        planned: PlannedMatrix,
        reached_by: TargetName,
        safety: &SafetyOptions,
        doubt: Option<String>,
    ) -> Result<Ending, Failure> {
        let goes_on_by = self
            .folder
            .map(|folder| format!("drivelab matrix {} --resume {}", self.target, folder.display()));
        let PlannedMatrix { begun_on, left_out, .. } = planned;
        let input = MatrixInput { begun_on, left_out, doubt, goes_on_by };
        Matrix::run(&TestRequest {
            reached_by: Some(reached_by),
            goes_on: self.resumed.is_some(),
            seed: planned.seed,
            destination: self.destination(),
            safety,
            ..self.args.options.request(&planned.target, planned.settings, input)
        })
    }

    fn destination(&self) -> Destination<'_> {
        Destination { folder: self.folder, ..self.args.options.result.destination() }
    }

    /// The matrix of a drive with these geometry and schedulers: the run that goes on, where it makes sense there, or a new
    /// one.
    fn planned(&self, image: Option<&str>, drive: &DriveIdentity) -> Result<PlannedMatrix, Failure> {
        let offered = Scheduler::offered(&Places::live(), drive.whole_name()).unwrap_or_default();
        if let (Some(resumed), Some(image)) = (&self.resumed, image) {
            resumed.check_begun_on(image)?;
        }
        let offer = TargetOffer { geometry: drive.geometry(), schedulers: Some(&offered) };
        self.plan(offer, from_anywhere(&self.target), image)
    }
}

fn on_simulated(job: &MatrixJob<'_>, profile: &Profile) -> Result<Ending, Failure> {
    let identity = format!("{} with parameters {:016x}", profile.model(), profile.fingerprint());
    if let Some(resumed) = &job.resumed {
        resumed.check_begun_on(&identity)?;
    }
    let offer = TargetOffer { geometry: profile.geometry(), schedulers: None };
    let planned = job.plan(offer, job.target.clone(), Some(&identity))?;
    job.run(planned, TargetName::Simulated(Box::new(profile.clone())), &job.args.options.safety, None)
}

fn on_path(job: &MatrixJob<'_>, path: &Path) -> Result<Ending, Failure> {
    if path.is_file() {
        return Err(usage!("{} is a file: write {IMAGE}{}", path.display(), path.display()));
    }
    on_drive(job, path, None, &job.args.options.safety)
}

/// Runs on a block device, which `safety` confirms, and which may be that of an image.
fn on_drive(
    job: &MatrixJob<'_>,
    path: &Path,
    image: Option<&str>,
    safety: &SafetyOptions,
) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    let Target::Drive(drive) = &target else {
        return Err(environment!(
            "{} is not there: name a drive, a partition, or {IMAGE}FILE",
            path.display()
        ));
    };
    // An image is known again by its own text, and a drive by what the run has kept of it: another one is refused.
    let doubt = match (&job.resumed, image) {
        (Some(resumed), None) => KeptDrive { drive: &resumed.drive, target: &resumed.target }.check(
            (&job.target, drive.identity()),
            &safety.serial,
            ("the run was begun on", "name that drive, or begin a new run"),
        )?,
        _ => None,
    };
    // What stands against the target is said as well: mended one by one, the last complaint would be the gravest.
    let planned = job
        .planned(image, drive.identity())
        .map_err(|failure| failure.with(check_safety(&target, safety, job.folder).err()))?;
    job.run(planned, TargetName::Path(path.to_owned()), safety, doubt)
}
