//! Arguments of the tests in cells of file systems and paths: `matrix` and `paths`.

use std::path::PathBuf;

use clap::Args;
use drivelab_block::{ByteCount, Caching, FileSystem, Nanos, Work};
use drivelab_kinds::matrix::THREADS_MAX;

use super::{BlockSizeArg, QueueDepthArg, RangeArg, TestArgs, TestOptions, units};

#[derive(Clone, Debug, Args)]
#[command(mut_arg("block_size", |arg| arg.default_value("64KiB").help("Bytes of one sequential I/O; random ones have 4 KiB")))]
#[command(after_help = "\
The work, by each thread on a file (or a folder of small files) of its own:
  seq-read, seq-write        from begin to end in pieces of --block-size, and again
  random-read, random-write  4 KiB anywhere in the file
  rewrite                    read a piece, change it, write it back
  create, stat, delete       small files of 4 KiB, each once

Buffered work ends with fsync, which counts; direct work (O_DIRECT) is not flushed. Every cell has a new \
file system, mounted where no other program sees it, and its files out of the cache. A simulated drive has \
threads and reads and writes alone.

With -o a run that was interrupted or killed goes on with --resume, on the same plan. The target and what \
confirms it are typed again: they are not taken from the folder.

Examples:
  drivelab matrix /dev/sdb --serial=S3Z9NB0K123456 --destroy-data -o matrix
  drivelab matrix image:disk.img:2 --fs ext4,xfs --threads 1,8 --destroy-data --json
  drivelab matrix /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --resume matrix")]
pub struct MatrixArgs {
    /// A drive, a partition, image:FILE[:PARTITION], or a simulated drive
    #[arg(required_unless_present = "resume")]
    pub target: Option<String>,
    /// The file systems that are made, anew for each cell [default: all five]
    #[arg(long, value_name = "FS,...", value_delimiter = ',')]
    #[arg(value_parser = one_of("file system", &FileSystem::ALL, FileSystem::word))]
    pub fs: Vec<FileSystem>,
    /// Threads: 1,8 or powers of two, 1..128
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1..128", value_parser = threads)]
    pub threads: Vec<Threads>,
    /// I/O schedulers, each for its cells alone [default: the one that is chosen already]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub schedulers: Vec<String>,
    /// Through the page cache, past it, or both [default: buffered,direct]
    #[arg(long, value_name = "WAY,...", value_delimiter = ',')]
    #[arg(value_parser = one_of("way of caching", &Caching::ALL, Caching::word))]
    pub caching: Vec<Caching>,
    /// Kinds of work
    #[arg(long, value_name = "WORK,...", value_delimiter = ',', value_parser = one_of("kind of work", &Work::ALL, Work::word))]
    #[arg(default_value = "seq-read,seq-write,random-read,random-write")]
    pub work: Vec<Work>,
    /// Repetitions of every cell, in random order within each block of runs; a difference takes 3 to be shown
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub runs: u16,
    /// How long each cell lasts: its threads begin new steps; what was begun is ended, and its fsync counts
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = units::duration)]
    pub cell_duration: Nanos,
    /// What the large files of a cell hold together [default: 1GiB, or a quarter of the file system]
    #[arg(long, value_name = "SIZE", value_parser = units::size_above_zero)]
    pub working_set: Option<ByteCount>,
    /// The size of each file system, from the target's begin [default: 8GiB, or all of a smaller target]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub fs_size: Option<ByteCount>,
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    #[command(flatten)]
    pub options: TestOptions,
    /// Go on with the run that this folder keeps, on its target: name it, and confirm it again
    #[arg(long, value_name = "DIR", help_heading = None, conflicts_with_all = [
        "fs", "threads", "schedulers", "caching", "work", "runs", "cell_duration", "working_set", "fs_size",
        "block_size", "seed", "output"])]
    pub resume: Option<PathBuf>,
}

/// One number of threads, or the powers of two between two numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threads(pub Vec<u16>);

fn threads(text: &str) -> Result<Threads, String> {
    let number = |text: &str| {
        let number = text.trim().parse::<u16>().ok().filter(|number| (1..=THREADS_MAX).contains(number));
        number.ok_or_else(|| format!("{text:?} is no number of threads from 1 to {THREADS_MAX}"))
    };
    let Some((low, high)) = text.split_once("..") else { return Ok(Threads(vec![number(text)?])) };
    let (low, high) = (number(low)?, number(high)?);
    if low > high {
        return Err(format!("{text} goes down: write {high}..{low}"));
    }
    let powers = (0..=10).map(|power| 1u16 << power).filter(|power| *power > low && *power < high);
    let mut all: Vec<u16> = std::iter::once(low).chain(powers).chain(std::iter::once(high)).collect();
    all.dedup();
    Ok(Threads(all))
}

/// Reads one of these by its word.
fn one_of<T: Copy + 'static>(
    what: &'static str,
    all: &'static [T],
    word: fn(T) -> &'static str,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let words = || all.iter().map(|one| word(*one)).collect::<Vec<_>>().join(", ");
        let found = all.iter().copied().find(|one| word(*one) == text);
        found.ok_or_else(|| format!("no {what} that is known: {}", words()))
    }
}

#[derive(Clone, Debug, Args)]
#[command(mut_arg("target", |arg| arg.help("A drive, a file, a directory on a mounted file system, or a simulated drive")))]
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
    #[arg(long, value_name = "FS", value_parser = ext4, conflicts_with = "directory")]
    pub fs: Option<FileSystem>,
    #[command(flatten)]
    pub range: RangeArg,
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// Idle time before and after each cell, in which the processors are watched, too
    #[arg(long, default_value = "1s", value_parser = units::duration)]
    pub idle: Nanos,
    #[command(flatten)]
    pub test: TestArgs,
}

fn ext4(text: &str) -> Result<FileSystem, String> {
    match FileSystem::of_word(text) {
        Some(FileSystem::Ext4) => Ok(FileSystem::Ext4),
        _ => Err("paths are compared on ext4: write ext4".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dots_mean_powers_of_two() {
        let all = |text: &str| threads(text).map(|threads| threads.0);
        assert_eq!(all("1..128"), Ok(vec![1, 2, 4, 8, 16, 32, 64, 128]));
        assert_eq!(all("3..9"), Ok(vec![3, 4, 8, 9]));
        assert_eq!(all("4..4"), Ok(vec![4]));
        assert_eq!(all("7"), Ok(vec![7]));
        assert!(all("0").is_err() && all("8..1").is_err() && all("2000").is_err() && all("a..b").is_err());
    }
}
