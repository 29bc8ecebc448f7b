//! `drivelab paths`.

use std::path::Path;

use drivelab_block::ByteCount;
use drivelab_kinds::paths::{DataPath, FileDirectory, FileLocation, Paths, PathsInput, PathsSettings};
use drivelab_runner::{Ending, Failure, RunTest as _, TargetName, room_in, usage};
use drivelab_safety::{DriveKind, System, Target};

use crate::args::PathsArgs;

/// Writes the same data by several paths, and shows which is the fastest and where the time goes.
pub fn main(args: &PathsArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.test.target)?;
    let paths = match &target {
        TargetName::Path(path) if path.is_dir() => {
            check_directory(args, "a directory is its own")?;
            if !args.range.typed.is_whole() {
                return Err(usage!(
                    "--range goes with a drive or a file: where files in a directory lie is up to its file system"
                ));
            }
            vec![DataPath::FileBuffered, DataPath::FileDirect]
        }
        TargetName::Path(path) => paths_to(args, path)?,
        TargetName::Simulated(_) => {
            check_directory(args, "a simulated drive has no file system")?;
            vec![DataPath::Raw]
        }
    };
    let directory = match &args.directory {
        Some(path) => Some(FileDirectory { path: path.clone(), room: room_in(path)?.capacity }),
        None => None,
    };
    let settings = settings(args, &target);
    Paths::run(&args.test.request(settings, PathsInput { paths, directory }))
}

/// Refuses `--directory` and `--fs` where they name nothing that is used.
fn check_directory(args: &PathsArgs, why: &str) -> Result<(), Failure> {
    let given = [("--directory", args.directory.is_some()), ("--fs", args.fs.is_some())];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(usage!("{flag} goes with a drive, and {why}: leave it out")),
        None => Ok(()),
    }
}

/// The paths to a drive or a file, as far as they are known before it is opened.
fn paths_to(args: &PathsArgs, path: &Path) -> Result<Vec<DataPath>, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    if matches!(target, Target::File(_)) {
        check_directory(args, "a file is written where it is")?;
    }
    let is_left_out = |path: &DataPath| match &target {
        Target::File(_) => {
            matches!(path, DataPath::DeviceBuffered | DataPath::DeviceDirect | DataPath::Passthrough)
        }
        Target::Drive(drive) if *path == DataPath::Passthrough => {
            drive.identity().kind != DriveKind::Nvme || drive.identity().parent.is_some()
        }
        Target::Drive(_) => path.is_file() && args.directory.is_none() && args.fs.is_none(),
    };
    Ok(DataPath::ALL.into_iter().filter(|path| !is_left_out(path)).collect())
}

fn settings(args: &PathsArgs, target: &TargetName) -> PathsSettings {
    PathsSettings {
        file_bytes: args.sizes.iter().map(|size| size.get()).collect(),
        cell_bytes: args.cell_bytes.map(ByteCount::get),
        runs: args.runs,
        range: args.range.typed,
        queue_depth: args.queue_depth.depth,
        idle_ns: match target {
            TargetName::Simulated(_) => 0,
            TargetName::Path(_) => args.idle.get(),
        },
        files: match (&args.directory, args.fs) {
            (Some(_), _) => FileLocation::Directory,
            (None, Some(_)) => FileLocation::NewExt4,
            (None, None) => FileLocation::Target,
        },
    }
}
