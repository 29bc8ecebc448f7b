//! A matrix on an image of a drive: attached as a loop device for as long as the run takes.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use drivelab_block::{ByteCount, Geometry};
use drivelab_kinds::Test as _;
use drivelab_kinds::matrix::{Matrix, MatrixInput};
use drivelab_runner::sharing::{Places, Scheduler};
use drivelab_runner::{
    Ending, Failure, PlannedTest, SafetyOptions, TargetName, check_safety, check_task_meter,
    dry_run as tell_plan, folder_complaint, output, refuse_temperature_limit, try_again, usage,
};
use drivelab_safety::{System, Target};
use drivelab_system_calls::image::{Attached, ImageError, ImageName, LoopAccess};
use drivelab_workload::Seed;
use rustix::fs::fstatvfs;

use super::plan::TargetOffer;
use super::{MatrixJob, on_drive};
use crate::commands::identity::IMAGE;

pub fn main(job: &MatrixJob<'_>, name: &str) -> Result<Ending, Failure> {
    let name = ImageName::parse(name);
    let safety = job.args.options.safety.clone();
    // The image is made and attached before the test itself looks at this.
    job.destination().check(name.file.to_str())?;
    check_task_meter(&job.args.options.meter, &TargetName::Path(name.file.clone()))?;
    if !job.args.options.safety.serial.is_empty() {
        return Err(usage!("--serial confirms a drive, and an image is a file: leave it out"));
    }
    refuse_temperature_limit(safety.temperature_limit(), "an image has no sensor")?;
    let target = Target::resolve(&System::live(), &name.file)?;
    if matches!(target, Target::Drive(_)) {
        return Err(usage!("{} is a drive and no image: leave out {IMAGE}", name.file.display()));
    }
    let check = || {
        // Beside a partition nothing is touched, and what that one holds is looked at when it is attached.
        let destroy_data = safety.destroy_data || name.partition.is_some();
        check_safety(&target, &SafetyOptions { destroy_data, ..safety.clone() }, job.folder)
    };
    let is_there = name.file.exists();
    if let Some(resumed) = &job.resumed {
        resumed.check_begun_on(&identity(&name)?)?;
    }
    if safety.dry_run {
        return dry_run(job, &name, check);
    }
    // What stands against the folder is said before anything is made; everything else when the drive is there.
    Failure::all(folder_complaint_of(job).into_iter().chain(check().err()))?;
    if let (false, Some(size)) = (is_there, safety.file_size) {
        make(&name.file, size)?;
    }
    lack_of_room(&name.file).iter().for_each(output::say);
    let attached = attach_when_free(&name)?;
    let kernel_name = attached.node.file_name().map(|name| name.to_string_lossy().into_owned());
    // A file needs no serial number: the device that shows it is confirmed by whoever attached it. What is said of a file alone
    // is said of the image, and not of the device.
    let safety = SafetyOptions {
        serial: kernel_name.into_iter().collect(),
        file_size: None,
        assume_unused: false,
        ..safety
    };
    on_drive(job, &attached.node, Some(&identity(&name)?), &safety)
}

/// What stands against the folder of a new run.
fn folder_complaint_of(job: &MatrixJob<'_>) -> Option<Failure> {
    folder_complaint("-o", job.args.options.result.folder()?)
}

/// What is to be said of an image with holes that cannot all be filled.
fn lack_of_room(image: &Path) -> Option<String> {
    let file = File::open(image).ok()?;
    let (found, around) = (file.metadata().ok()?, fstatvfs(&file).ok()?);
    let holes = found.len().saturating_sub(found.blocks() * 512);
    let free = around.f_bavail.saturating_mul(around.f_frsize);
    (free < holes).then(|| {
        let (image, [holes, free]) = (image.display(), [holes, free].map(ByteCount::new));
        format!("{image} lacks {holes} of its length, and there is room for {free} where it lies: cells fail once that is full.")
    })
}

/// Which image it is: its place, its number in the file system and its size.
fn identity(name: &ImageName) -> Result<String, Failure> {
    let failed = |error| Failure::io(&name.file.display().to_string(), &error);
    let place = name.file.canonicalize().map_err(failed)?;
    let found = place.metadata().map_err(failed)?;
    let part = name.partition.map_or_else(String::new, |number| format!(", partition {number}"));
    Ok(format!("{} (inode {}, {} bytes{part})", place.display(), found.ino(), found.len()))
}

fn dry_run(
    job: &MatrixJob<'_>,
    name: &ImageName,
    check: impl FnOnce() -> Result<(), Failure>,
) -> Result<Ending, Failure> {
    let length = match (name.file.exists(), job.args.options.safety.file_size) {
        (false, Some(size)) => size,
        _ => ByteCount::new(name.part()?.1),
    };
    let geometry = Geometry { capacity: length, logical_block: 512, physical_block: 4096 };
    // All loop devices offer the same.
    let offered = Scheduler::offered(&Places::live(), "loop0").unwrap_or_default();
    let offer = TargetOffer { geometry, schedulers: Some(&offered) };
    let planned = job.plan(offer, job.target.clone(), None)?;
    let allowed = check();
    if allowed.is_ok() && name.partition.is_some() && !job.args.options.safety.destroy_data {
        output::say(
            "What the partition holds is looked at when it is attached: a file system there needs --destroy-data.",
        );
    }
    let input = MatrixInput { left_out: planned.left_out, ..MatrixInput::default() };
    let steps = Matrix::plan(&planned.settings, &input, geometry, Seed::new(planned.seed))?;
    let told =
        PlannedTest::new(&planned.target, Some(Matrix::outline(&steps))).with_meter(&job.args.options.meter);
    let complaints = folder_complaint_of(job).into_iter().chain(allowed.err());
    tell_plan(&[told], job.args.options.result.json.is_asked, complaints)
}

/// Attaches an image, and tries again for a while where it is attached already: what a killed run began (mkfs) may hold its
/// device a little longer than the run.
fn attach_when_free(name: &ImageName) -> Result<Attached, ImageError> {
    let attach = || Attached::attach(name, LoopAccess::ReadWrite);
    let is_attached = |error: &ImageError| matches!(error, ImageError::Attached { .. });
    try_again((50, Duration::from_millis(100)), attach(), is_attached, attach)
}

fn make(path: &Path, size: ByteCount) -> Result<(), Failure> {
    let made = File::create_new(path).and_then(|file| file.set_len(size.get()));
    made.map_err(|error| Failure::not_written(path, &error))
}
