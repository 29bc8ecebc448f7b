//! Arguments of `paths`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_block::{ByteCount, Nanos};

use super::{AddressRange, MeterArgs, SafetyArgs, units};

/// Arguments of `paths`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The paths:
  file-buffered    write(2) of new files, fsync after each
  file-direct      the same with O_DIRECT, no flush
  device-buffered  write(2) to the device file, fsync after each file's length
  device-direct    the same with O_DIRECT, no flush
  raw              io_uring: registered buffers, batches of requests, O_DIRECT, no flush
  raw-passthrough  the same with the commands of an NVMe drive, past the block layer

A drive has the device file and the raw path, an NVMe drive (no partition) the last as well; the files \
come with --fs, or with --directory for those of a mounted file system beside it. A directory has the \
first two. A file is written in place: the first two, and the raw path. A simulated drive has the raw \
path alone.

Examples:
  drivelab paths /dev/sdb --serial=S3Z9NB0K123456 --discard-contents --fs ext4
  drivelab paths /mnt/data --sizes 1MB,64MB --bytes 1GB --json")]
pub struct PathsArgs {
    /// A drive, a file, a directory on a mounted file system, or a simulated drive
    pub target: String,
    /// Sizes of files, rounded up to whole blocks
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_value = "1MB,2MB,8MB,64MB", value_parser = units::size)]
    pub sizes: Vec<ByteCount>,
    /// What each cell (a path with a size) writes, in whole files [default: 256MB, or what there is room for]
    #[arg(long, value_name = "SIZE", value_parser = units::size_above_zero)]
    pub bytes: Option<ByteCount>,
    /// Runs of every cell, in random order within each block of runs
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub runs: u16,
    /// Where the files of the file-system paths are made, beside a drive
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Make a file system on the drive itself for the file-system paths, anew for each cell, in the range that is written
    #[arg(long, value_enum, conflicts_with = "directory")]
    pub fs: Option<FileSystemArg>,
    /// The part of the target to write, in sizes or percentages
    #[arg(long, value_name = "START-END", default_value = "0-100%", value_parser = AddressRange::parse)]
    pub range: AddressRange,
    /// Requests in flight on the raw paths
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub queue_depth: u32,
    /// Idle time before and after each cell, in which the processors are watched, too
    #[arg(long, default_value = "1s", value_parser = units::duration)]
    pub idle: Nanos,
    /// The seed of the order of cells, and of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Keep paths.json and report.html in this folder, which must be empty or not there yet
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON document (schema drivelab.paths/1) instead of the tables
    #[arg(long, conflicts_with = "dry_run")]
    pub json: bool,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}

/// A file system that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileSystemArg {
    /// ext4 (mkfs.ext4 of e2fsprogs)
    Ext4,
}
