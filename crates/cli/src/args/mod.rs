//! Arguments as they are typed, a file for each group of commands. They end here: commands turn them into validated plans.

mod advice;
mod cells;
mod fio_job;
mod loads;
mod machine;
mod precondition;
mod results;
mod review;
mod runner;
mod shared;
mod stream;
#[cfg(test)]
mod tests;
mod trace;
mod units;
mod writes;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use advice::parse;
pub use cells::{MatrixArgs, PathsArgs};
pub use loads::*;
pub use machine::*;
pub use precondition::Precondition;
pub use results::*;
pub use review::ReviewArgs;
pub use runner::{MeterArgs, SafetyArgs};
pub use shared::*;
pub use stream::*;
pub use trace::*;
pub use units::range;
pub use writes::*;

/// Finds out how a storage drive behaves over time, not only how fast it is on average.
///
/// A TARGET is a block device, a regular file, or a simulated drive: `sim:PROFILE` or `sim:FILE.toml`, with
/// keys overridden as in `sim:sm2246en?size=64GiB&over_provisioning=12%`.
///
/// Exit codes: 0 success, 1 the run's own check failed, 2 usage, 3 device or environment, 4 refused for safety,
/// 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "drivelab", version, max_term_width = 100)]
pub struct Cli {
    /// What to do; where nothing is said, what there is to be tested is shown.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Makes the commands of a list: a variant each, and where in its arguments those of a test are.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident($args:ty): $of_test:ident,)*) => {
        /// What to do.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$about])* $name($args),)*
        }

        impl Command {
            /// What every test and every review has, to be changed; none of other commands.
            pub fn test(&mut self) -> Option<TestOfCommand<'_>> {
                match self {
                    $(Command::$name(args) => test_of!(args.$of_test),)*
                }
            }
        }
    };
}

/// What a command has of a test: nothing, a test of one target or of several ones, or the options alone of what has no process of
/// its own: a review has one for each step, and a matrix makes what it tests.
macro_rules! test_of {
    ($args:ident.none) => {{
        let _ = $args;
        None
    }};
    ($args:ident.test) => {
        Some(TestOfCommand { targets: vec![$args.test.target.as_str()], options: &mut $args.test.options })
    };
    ($args:ident.targets) => {{
        let targets = $args.targets.iter().map(String::as_str).collect();
        Some(TestOfCommand { targets, options: &mut $args.options })
    }};
    ($args:ident.options) => {
        Some(TestOfCommand { targets: Vec::new(), options: &mut $args.options })
    };
}

/// What every test and every review has.
pub struct TestOfCommand<'a> {
    /// The targets that it tests itself, as they were typed.
    pub targets: Vec<&'a str>,
    /// Its options.
    pub options: &'a mut TestOptions,
}

commands! {
    /// A whole review: tests by a plan, one after the other, on one page; it goes on after anything
    Review(ReviewArgs): options,
    /// Performance consistency: purge, fill, random writes, the IOPS of every second
    Consistency(ConsistencyArgs): targets,
    /// How fast is the drive written from its begin to its end, where does that change, and what comes back after rests?
    Fill(FillArgs): test,
    /// One plain load, measured: random or sequential, closed or open loop
    Load(LoadArgs): test,
    /// Can this drive record a stream? Long delays, verified data, and the buffer that a stream needs
    Stalls(StallsArgs): test,
    /// The same data by file system, device file and raw path: rates, processors, where the time goes
    Paths(PathsArgs): test,
    /// File systems, schedulers and threads against each other: rates, latencies, and what differs
    Matrix(MatrixArgs): options,
    /// Images of drives: attach, mount and detach them, whole or by partition
    Image(ImageArgs): none,
    /// A minute's look: rates of reading over the drive, and the time of a random access
    Quick(QuickArgs): test,
    /// Does TRIM make a used drive fast again, and what do trimmed blocks return?
    Trim(TrimArgs): test,
    /// How long does the first read take after the drive has rested, and from which rest on does it take longer?
    Wake(WakeArgs): test,
    /// Are random reads slower the larger the part of the drive is that they go to?
    WorkingSet(WorkingSetArgs): test,
    /// Which response times does the drive have at a given load, and up to which load is it fast enough?
    OfferedLoad(OfferedLoadArgs): test,
    /// Rounds in the style of SNIA's PTS: IOPS, throughput, latency, saturation, idle recovery, and more
    Pts(PtsArgs): test,
    /// What a command takes: mean power, energy above idle, joules a GB, minutes of a battery
    Energy(EnergyArgs): none,
    /// What was ever written to a drive: host, flash, ext4, wear, and the write amplification since then
    Lifetime(LifetimeArgs): none,
    /// Replay a trace on a drive: at its own times, after answers, or as fast as the drive goes
    Replay(ReplayArgs): test,
    /// Traces of block I/O: other people's formats in and out, and what one comes to
    #[command(subcommand)]
    Trace(TraceCommand): none,
    /// How long this machine takes to boot, and what its drive does meanwhile
    #[command(
        subcommand,
        after_help = "\
Examples:
  sudo drivelab boot enable      # each boot from now on is kept
  sudo drivelab boot show        # those that were kept, with their mean
  sudo drivelab boot show old-drive new-drive --report boots.html
  sudo drivelab boot disable"
    )]
    Boot(BootCommand): none,
    /// Record streams of frames to a raw drive, and find them again
    #[command(subcommand)]
    Stream(StreamCommand): none,
    /// Purge a drive: by its own sanitize or format, or by discards
    Purge(PurgeArgs): none,
    /// List the drives: what uses them, and whether they may be tested
    Drives(DrivesArgs): none,
    /// Open results again: the page of one, the comparison of several, in any form
    Report(ReportArgs): none,
    /// A table of every drive with results below some folders: sorted, filtered and compared on one page
    Index(IndexArgs): none,
    /// Write results as Parquet for query engines: rollups or records by day and machine, with a catalogue
    Export(ExportArgs): none,
    /// Many drives and machines together, from what was exported: which ones are slow, and which got slower
    #[command(subcommand)]
    Fleet(FleetCommand): none,
    /// Give a result another name or a remark
    Label(LabelArgs): none,
    /// List the simulated drives and their keys, or print one as TOML
    Profiles(ProfilesArgs): none,
    /// What the numbers mean that drives and kernels report errors with
    #[command(
        subcommand,
        after_help = "\
Examples:
  drivelab decode serr 0xd0000
  drivelab decode ata-status 0x51
  drivelab decode nvme-status 0x4281
  dmesg | drivelab decode kernel-log -"
    )]
    Decode(DecodeWhat): none,
    /// Print completions for a shell
    Completions(CompletionsArgs): none,
    /// Print the manual page
    Man(ManArgs): none,
}

impl Command {
    /// The targets of a test or a recording, which is done by a process of its own: a drive that hangs may keep it in the kernel.
    pub fn tested_targets(&mut self) -> Vec<&str> {
        match self {
            // A name that is no text is none of a simulated drive.
            Command::Stream(StreamCommand::Record(args)) => vec![args.target.to_str().unwrap_or_default()],
            _ => self.test().map_or_else(Vec::new, |test| test.targets),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: a drive of one's own
  drivelab profiles sm2246en > mine.toml    # change what differs
  drivelab consistency 'sim:mine.toml?size=64GiB' -o runs")]
pub struct ProfilesArgs {
    /// Print the TOML of this simulated drive
    #[arg(value_name = "PROFILE")]
    pub profile: Option<String>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Keep a page for every command in this folder, instead of printing one
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
