//! `drivelab paths`.

mod cell;
mod ground;
mod machine;
mod plan;
mod raw;
mod show;

use std::path::Path;

use drivelab_analysis::{DataPath, PathRun};
use drivelab_block::{Geometry, Nanos};
use drivelab_method::paths::{Cell, PathsPlan, REQUEST};
use drivelab_method::{Interrupt, Stage};
use drivelab_record::OnFull;
use drivelab_report::{EnergyDocument, PathsReport};
use drivelab_runner::{
    CellLine, Ending, Failure, Real, TargetName, Task, Watch, check_flags, check_safety, check_task_meter,
    folder_complaint, geometry_of, signals,
};
use drivelab_safety::{DriveKind, System, Target};
use drivelab_sim::{Profile, SimDrive};
use drivelab_uring::Clock;
use drivelab_workload::Seed;

use crate::args::PathsArgs;
use cell::Measure;
use ground::{Ground, room_in};

/// Writes the same data by several paths, and says what each costs.
pub fn main(args: &PathsArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    check_task_meter(&args.meter, Some(&target))?;
    match target {
        TargetName::Path(path) if path.is_dir() => {
            check_flags(&args.safety, &[], None)?;
            check_directory(args, "a directory is its own")?;
            if !args.range.is_whole() {
                let text = "--range goes with a drive or a file: where files in a directory lie is up to its file system";
                return Err(Failure::Usage(text.to_owned()));
            }
            folder(args, &path)
        }
        TargetName::Path(path) => {
            check_flags(&args.safety, &[TargetName::Path(path.clone())], None)?;
            real(args, &path)
        }
        TargetName::Simulated(profile) => {
            check_flags(&args.safety, &[], None)?;
            check_directory(args, "a simulated drive has no file system beside it")?;
            simulated(args, &profile)
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

fn output_complaint(args: &PathsArgs) -> Option<Failure> {
    args.output.folder().and_then(|folder| folder_complaint("-o", folder, args.safety.dry_run))
}

fn simulated(args: &PathsArgs, profile: &Profile) -> Result<Ending, Failure> {
    let ground = Ground::simulated();
    let plan = plan::of(args, &profile.geometry(), ground.paths())?;
    Failure::all(output_complaint(args))?;
    if args.safety.dry_run {
        return show::dry_run(args, Some(&plan));
    }
    let interrupt = signals::interrupt()?;
    let drive = SimDrive::new(profile, Seed::new(args.seed.number()).child("drive").get());
    let mut stage =
        Stage { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt: interrupt.clone() };
    let report = show::begin(args, &plan, &ground);
    let conducted = conduct(args, &plan, report, &interrupt, |cell, _, _| {
        let spent = raw::write(&plan, (cell.file, REQUEST), &mut stage, || None)?;
        let whole = spent.bytes == plan.cell_bytes(cell.file);
        Ok(whole.then(|| PathRun {
            run: cell.run,
            path: cell.path,
            file: cell.file,
            files: plan.files(cell.file),
            request: REQUEST.min(cell.file),
            elapsed: spent.elapsed,
            preparing: Nanos::ZERO,
            own_user: Nanos::ZERO,
            own_system: Nanos::ZERO,
            busy: None,
            windows: None,
        }))
    });
    finish(args, &plan, conducted, None)
}

fn folder(args: &PathsArgs, path: &Path) -> Result<Ending, Failure> {
    let room = room_in(path)?;
    let plan = plan::of(args, &room, vec![DataPath::FileBuffered, DataPath::FileDirect])?;
    Failure::all(output_complaint(args))?;
    if args.safety.dry_run {
        return show::dry_run(args, Some(&plan));
    }
    let interrupt = signals::interrupt()?;
    let ground = Ground::of_folder(path)?;
    let plan = PathsPlan { paths: ground.paths(), ..plan };
    measure(args, &plan, ground, Clock::start(), &interrupt)
}

fn real(args: &PathsArgs, path: &Path) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    if matches!(target, Target::File(_)) {
        check_directory(args, "a file is written where it is")?;
    }
    let early = geometry_of(&target, args.safety.file_size);
    let planned = early.map(|geometry| planned(args, &geometry, &target)).transpose();
    let check_target = || check_safety(&target, &args.safety, args.output.folder());
    let early_plan = match (planned, output_complaint(args)) {
        (Ok(plan), None) => plan,
        (Ok(_), Some(folder)) => return Err(folder.with(check_target().err())),
        (Err(wrong), folder) => return Err(wrong.with(folder.into_iter().chain(check_target().err()))),
    };
    if args.safety.dry_run {
        check_target()?;
        return show::dry_run(args, early_plan.as_ref());
    }
    let interrupt = signals::interrupt()?;
    let real = Real::open_for_writing(path, &args.safety, args.output.folder())?;
    let (geometry, clock) = (real.geometry(), real.clock());
    let ground = Ground::of_real(real, args.directory.as_deref(), args.fs.is_some())?;
    let plan = plan::of(args, &geometry, ground.paths())?;
    measure(args, &plan, ground, clock, &interrupt)
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
    let plan = plan::of(args, geometry, paths)?;
    if args.fs.is_some() {
        plan::check_scratch(&plan)?;
    }
    if let Some(directory) = &args.directory {
        plan::check_room(&plan, &room_in(directory)?)?;
    }
    Ok(plan)
}

/// Measures every cell on a real target.
fn measure(
    args: &PathsArgs,
    plan: &PathsPlan,
    mut ground: Ground,
    clock: Clock,
    interrupt: &Interrupt,
) -> Result<Ending, Failure> {
    let drive = ground.real.as_ref().and_then(Real::kernel_name);
    let watch = Watch::start(drive, args.safety.temperature_limit, interrupt);
    let report = show::begin(args, plan, &ground);
    let seed = Seed::new(args.seed.number());
    let device = ground.device(DataPath::Raw).or_else(|| ground.device(DataPath::FileBuffered));
    let mut measure =
        Measure { plan, ground: &mut ground, clock, idle: args.idle, seed, interrupt, refused: Vec::new() };
    let mut block = None;
    let run = |cell: &Cell, number, notices: &mut Vec<String>| {
        if block != Some(cell.run) {
            block = Some(cell.run);
            measure.ground.real.as_ref().map_or(Ok(()), Real::verify_again)?;
        }
        let run = measure.run(cell, number)?;
        for refused in std::mem::take(&mut measure.refused) {
            let text = format!("A ring did not get what it asked for: {refused}.");
            if !notices.contains(&text) {
                notices.push(text);
            }
        }
        watch.check()?;
        Ok(run)
    };
    let task = Task {
        meter: &args.meter,
        command: "paths",
        target: &args.target,
        folder: args.output.folder(),
        device,
        clock,
        json: args.json.is_asked(),
    };
    let conduct = || conduct(args, plan, report, interrupt, run);
    task.run(interrupt, conduct, |conducted, energy| finish(args, plan, conducted, energy))
}

/// Runs all cells, and keeps what there is after each block of runs; says how it ended beside what there is.
fn conduct(
    args: &PathsArgs,
    plan: &PathsPlan,
    mut report: PathsReport,
    interrupt: &Interrupt,
    mut run: impl FnMut(&Cell, u64, &mut Vec<String>) -> Result<Option<PathRun>, Failure>,
) -> (PathsReport, Result<(), Failure>) {
    let cells = plan.cells();
    let line = CellLine::new(&args.target, cells.len(), 0);
    let ended = cells.iter().zip(0..).try_for_each(|(cell, number)| {
        if interrupt.is_raised() {
            return Ok(());
        }
        line.show(format!("{}, files of {}", cell.path.word(), cell.file));
        let measured = run(cell, number, &mut report.notices)?;
        report.runs.extend(measured);
        let is_last = cells.get(report.runs.len()).is_none_or(|next| next.run != cell.run);
        if is_last { show::keep(args.output.folder(), &report) } else { Ok(()) }
    });
    line.clear();
    report.interrupted = interrupt.is_raised();
    (report, ended)
}

/// Judges and keeps what there is, and shows it.
fn finish(
    args: &PathsArgs,
    plan: &PathsPlan,
    (mut report, ended): (PathsReport, Result<(), Failure>),
    energy: Option<EnergyDocument>,
) -> Result<Ending, Failure> {
    report.energy = energy;
    show::judge(&mut report, plan);
    let kept = show::keep(args.output.folder(), &report);
    show::show(args, &report, ended.and(kept))
}
