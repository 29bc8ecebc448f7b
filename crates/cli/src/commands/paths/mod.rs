//! `drivelab paths`.

mod bench;
mod cell;
mod ground;
mod machine;
mod raw;
mod simulated;

use std::path::Path;

use drivelab_block::{ByteCount, Geometry};
use drivelab_kinds::paths::{DataPath, FileLocation, Paths, PathsPlan, PathsSettings};
use drivelab_kinds::{Outline, PlanError, PlannedTime};
use drivelab_record::Drive;
use drivelab_runner::{
    Ending, Failure, HostMonitors, NOT_ENDED_BY_HEAT, PlannedTest, Real, Served, TargetName, UnrecordedStart,
    Watch, check_flags, check_safety, check_task_meter, checked, condition, dry_run, folder_complaint,
    geometry_of, machine_conditions, real_conditions, refuse_temperature_limit, signals,
    simulated_conditions, simulated_drive, started_now,
};
use drivelab_safety::{DriveKind, System, Target};
use drivelab_sim::Profile;
use drivelab_uring::Clock;
use drivelab_workload::Seed;

use crate::args::PathsArgs;
use bench::carry_out;
use cell::PathMeasure;
use ground::{PathTargets, room_in};
use simulated::OnSimulated;

/// Writes the same data by several paths, and shows which is the fastest and where the time goes.
pub fn main(args: &PathsArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    check_task_meter(&args.meter, Some(&target))?;
    match target {
        TargetName::Path(path) if path.is_dir() => {
            check_flags(&args.safety, &[], None)?;
            refuse_temperature_limit(args.safety.temperature_limit, "a directory has no sensor")?;
            check_directory(args, "a directory is its own")?;
            if !args.range.typed().is_whole() {
                let text = "--range goes with a drive or a file: where files in a directory lie is up to its file system";
                return Err(Failure::Usage(text.to_owned()));
            }
            on_directory(args, &path)
        }
        TargetName::Path(path) => {
            check_flags(&args.safety, &[TargetName::Path(path.clone())], None)?;
            on_real(args, &path)
        }
        TargetName::Simulated(profile) => {
            check_flags(&args.safety, &[], None)?;
            refuse_temperature_limit(args.safety.temperature_limit, NOT_ENDED_BY_HEAT)?;
            check_directory(args, "a simulated drive has no file system")?;
            on_simulated(args, &profile)
        }
    }
}

/// Refuses `--directory` and `--fs` where they name nothing that is used.
fn check_directory(args: &PathsArgs, why: &str) -> Result<(), Failure> {
    let given = [("--directory", args.directory.is_some()), ("--fs", args.fs.is_some())];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::Usage(format!("{flag} goes with a drive, and {why}: leave it out"))),
        None => Ok(()),
    }
}

fn on_simulated(args: &PathsArgs, profile: &Profile) -> Result<Ending, Failure> {
    let ground = PathTargets::simulated();
    let geometry = profile.geometry();
    let settings = PathsSettings { idle_ns: 0, ..settings(args) }.on_capacity(geometry.capacity);
    let plan = plan(args, &settings, &geometry, ground.paths());
    if args.safety.dry_run {
        return planned_paths(args, Some(&plan?), complaint(args));
    }
    let plan = checked(plan, complaint(args), || Ok(()))?;
    let start = UnrecordedStart {
        started: None,
        conditions: simulated_conditions(profile),
        ..start(args, settings, simulated_drive(profile))?
    };
    let drive = OnSimulated::new(&plan, profile, args.result.seed(), (&start.interrupt, &start.served));
    carry_out(&plan, ground.known(&args.target), start, drive)
}

fn on_directory(args: &PathsArgs, path: &Path) -> Result<Ending, Failure> {
    let (room, settings) = (room_in(path)?, settings(args));
    let paths = vec![DataPath::FileBuffered, DataPath::FileDirect];
    let plan = plan(args, &settings, &room, paths);
    if args.safety.dry_run {
        return planned_paths(args, Some(&plan?), complaint(args));
    }
    let plan = checked(plan, complaint(args), || Ok(()))?;
    let drive = Drive { model: "directory".to_owned(), ..Drive::default() };
    let start = start(args, settings, drive)?;
    let ground = PathTargets::of_folder(path)?;
    let plan = PathsPlan { paths: ground.paths(), ..plan };
    let mut conditions = vec![condition("Drive", "Directory", path.display().to_string())];
    conditions.extend(machine_conditions());
    measure(args, &plan, ground, Clock::start(), UnrecordedStart { conditions, ..start })
}

fn on_real(args: &PathsArgs, path: &Path) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    if matches!(target, Target::File(_)) {
        check_directory(args, "a file is written where it is")?;
    }
    let early = geometry_of(&target, args.safety.file_size);
    let early = early.map(|geometry| planned(args, &geometry, &target)).transpose();
    let check_target = || check_safety(&target, &args.safety, args.result.folder());
    if args.safety.dry_run {
        let early = checked(early, None, check_target)?;
        return planned_paths(args, early.as_ref(), complaint(args).into_iter().chain(check_target().err()));
    }
    checked(early, complaint(args), check_target)?;
    let real = Real::open_for_writing(path, &args.safety, args.result.folder())?;
    let (geometry, clock) = (real.geometry(), real.clock());
    let settings = settings(args).on_capacity(geometry.capacity);
    let conditions = real_conditions(&real);
    let start = UnrecordedStart { conditions, ..start(args, settings, real.drive())? };
    let ground = PathTargets::of_real(real, args.directory.as_deref(), args.fs.is_some())?;
    let plan = plan(args, &start.settings, &geometry, ground.paths())?;
    measure(args, &plan, ground, clock, start)
}

/// The plan as far as it is known before the target is opened.
fn planned(args: &PathsArgs, geometry: &Geometry, target: &Target) -> Result<PathsPlan, Failure> {
    let is_left_out = |path: DataPath| match target {
        Target::File(_) => {
            matches!(path, DataPath::DeviceBuffered | DataPath::DeviceDirect | DataPath::Passthrough)
        }
        Target::Drive(drive) if path == DataPath::Passthrough => {
            drive.identity().kind != DriveKind::Nvme || drive.identity().parent.is_some()
        }
        Target::Drive(_) => path.is_file() && args.directory.is_none() && args.fs.is_none(),
    };
    let paths = DataPath::ALL.into_iter().filter(|path| !is_left_out(*path)).collect();
    let plan = plan(args, &settings(args), geometry, paths)?;
    if let Some(directory) = &args.directory {
        plan.check_directory(room_in(directory)?.capacity).map_err(PlanError::from)?;
    }
    Ok(plan)
}

/// Measures every cell on a real target.
fn measure(
    args: &PathsArgs,
    plan: &PathsPlan,
    mut ground: PathTargets,
    clock: Clock,
    start: UnrecordedStart<'_, Paths>,
) -> Result<Ending, Failure> {
    let limit = args.safety.temperature_limit;
    let watch = ground.real.as_ref().map(|real| Watch::start(real, limit, &start.interrupt)).transpose()?;
    let target = watch.unwrap_or_else(Watch::nothing);
    let device = ground.device(DataPath::Raw).or_else(|| ground.device(DataPath::FileBuffered));
    let surroundings = HostMonitors { device, clock, target, meter: &args.meter };
    let (idle, interrupt, served) = (start.settings.idle(), start.interrupt.clone(), start.served.clone());
    let start = UnrecordedStart { surroundings: Some(surroundings), ..start };
    let known = ground.known(&args.target);
    let seed = Seed::new(args.result.seed());
    let measure = PathMeasure {
        plan,
        ground: &mut ground,
        clock,
        idle,
        seed,
        interrupt: &interrupt,
        served,
        refused: Vec::new(),
    };
    carry_out(plan, known, start, measure)
}

fn settings(args: &PathsArgs) -> PathsSettings {
    let files = match (&args.directory, args.fs) {
        (Some(_), _) => FileLocation::Directory,
        (None, Some(_)) => FileLocation::NewExt4,
        (None, None) => FileLocation::Target,
    };
    PathsSettings {
        file_bytes: args.sizes.iter().map(|size| size.get()).collect(),
        cell_bytes: args.cell_bytes.map(ByteCount::get),
        runs: args.runs,
        range: args.range.typed(),
        queue_depth: args.queue_depth.depth(),
        idle_ns: args.idle.get(),
        files,
    }
}

fn plan(
    args: &PathsArgs,
    settings: &PathsSettings,
    geometry: &Geometry,
    paths: Vec<DataPath>,
) -> Result<PathsPlan, Failure> {
    let plan = PathsPlan::new(settings, geometry, paths, Seed::new(args.result.seed()));
    Ok(plan.map_err(PlanError::from)?)
}

/// A run on a real machine; a simulated drive has no date.
fn start(
    args: &PathsArgs,
    settings: PathsSettings,
    drive: Drive,
) -> Result<UnrecordedStart<'_, Paths>, Failure> {
    Ok(UnrecordedStart {
        target: &args.target,
        settings,
        seed: args.result.seed(),
        drive,
        conditions: Vec::new(),
        started: started_now(),
        destination: args.result.destination(),
        interrupt: signals::interrupt()?,
        surroundings: None,
        served: Served::default(),
    })
}

fn complaint(args: &PathsArgs) -> Option<Failure> {
    folder_complaint("-o", args.result.folder()?)
}

/// Says what would be done.
fn planned_paths(
    args: &PathsArgs,
    plan: Option<&PathsPlan>,
    complaints: impl IntoIterator<Item = Failure>,
) -> Result<Ending, Failure> {
    let outline = |plan: &PathsPlan| {
        let words: Vec<&str> = plan.paths.iter().map(|path| path.word()).collect();
        let made_anew =
            if args.fs.is_some() { ", on an ext4 made anew for each cell of the first two" } else { "" };
        let sentence = format!("{} cells by {}{made_anew}", plan.cells().len(), words.join(", "));
        let time = PlannedTime { unpaced: plan.all_bytes(), ..PlannedTime::default() };
        Outline { sentences: vec![sentence], written: Some(plan.all_bytes()), time: Some(time) }
    };
    let planned = PlannedTest::new(&args.target, plan.map(outline)).with_meter(&args.meter);
    dry_run(&[planned], args.result.is_json(), complaints)
}
