//! Arguments of `paths`.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::{ByteCount, FileSystem, Nanos};

use super::{MeterArgs, QueueDepthArg, RangeArg, ResultArgs, SafetyArgs, units};

/// Arguments of `paths`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("queue_depth", |arg| arg.default_value("8")))]
#[command(after_help = "\
The paths:
  file-buffered    write(2) of new files, fsync after each
  file-direct      the same with O_DIRECT, no flush
  device-buffered  write(2) to the device file, fsync after each file's length
  device-direct    the same with O_DIRECT, no flush
  raw              io_uring: registered buffers, batches of requests, O_DIRECT, no flush
  raw-passthrough  the same with the commands of an NVMe drive, past the block layer

A drive has the device file and the raw path, an NVMe drive (no partition) the last as well; the files \
come with --fs, or with --directory for those of a mounted file system. A directory has the \
first two. A file is written in place: the first two, and the raw path. A simulated drive has the raw \
path alone.

Examples:
  drivelab paths /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --fs ext4
  drivelab paths /mnt/data --sizes 1MB,64MB --cell-bytes 1GB --json")]
pub struct PathsArgs {
    /// A drive, a file, a directory on a mounted file system, or a simulated drive
    pub target: String,
    /// Sizes of files, rounded up to whole blocks
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_value = "1MB,2MB,8MB,64MB", value_parser = units::size)]
    pub sizes: Vec<ByteCount>,
    /// What each cell (a path with a size) writes, in whole files [default: 256MB, or what there is room for]
    #[arg(long, value_name = "SIZE", value_parser = units::size_above_zero)]
    pub cell_bytes: Option<ByteCount>,
    /// Repetitions of every cell, in random order within each block of runs
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub runs: u16,
    /// Where the files of the file-system paths are made, alongside a drive
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// The file system (ext4) that is made on the drive itself for the file-system paths, anew for each cell, in the range
    /// that is written
    #[arg(long, value_name = "FS", value_parser = file_system, conflicts_with = "directory")]
    pub fs: Option<FileSystem>,
    #[command(flatten)]
    pub range: RangeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// Idle time before and after each cell, in which the processors are watched, too
    #[arg(long, default_value = "1s", value_parser = units::duration)]
    pub idle: Nanos,
    #[command(flatten)]
    pub result: ResultArgs,
    #[command(flatten)]
    pub meter: MeterArgs,
    #[command(flatten)]
    pub safety: SafetyArgs,
}

fn file_system(text: &str) -> Result<FileSystem, String> {
    match FileSystem::of_word(text) {
        Some(FileSystem::Ext4) => Ok(FileSystem::Ext4),
        _ => Err("paths are compared on ext4: write ext4".to_owned()),
    }
}
