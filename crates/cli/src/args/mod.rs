//! Arguments as they are typed. They end here: commands turn them into validated plans.

mod advice;
mod boot;
mod channel;
mod consistency;
mod contend;
mod cpus;
mod decode;
mod energy;
mod export;
mod fill;
mod fio_job;
mod fleet;
mod image;
mod lifetime;
mod load;
mod matrix;
mod meter;
mod name;
mod offered_load;
#[cfg(test)]
mod one_meaning;
mod other_names;
mod paths;
mod phases;
mod place;
mod places;
mod precondition;
mod pts;
mod purge;
mod purge_arg;
mod quick;
mod ranges;
mod replay;
mod review;
mod rollup_to;
mod safety;
mod shared;
mod slow;
mod stalls;
mod stream;
mod stretch;
mod trace;
mod trim;
mod units;
mod until_warm;
mod verify;
mod wake;
mod working_set;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use advice::parse;
pub use boot::{BootArgs, BootCommand, BootDisableArgs, BootEnableArgs, BootShowArgs};
pub use channel::ChannelArg;
pub use consistency::ConsistencyArgs;
pub use contend::StreamContendArgs;
pub use cpus::Cpus;
pub use decode::{DecodeArgs, DecodeWhat, KernelLogArgs, NumberArgs};
pub use energy::EnergyArgs;
pub use export::ExportArgs;
pub use fill::FillArgs;
pub use fleet::{FleetArgs, FleetCommand, FleetReportArgs};
pub use image::{ImageArgs, ImageCommand};
pub use lifetime::LifetimeArgs;
pub use load::{ArrivalArg, LoadArgs, ReadWrite};
pub use matrix::MatrixArgs;
pub use meter::MeterArgs;
pub use name::{HideSerialArg, LabelArgs, NameArgs, TraceLabelArg};
pub use offered_load::OfferedLoadArgs;
pub use paths::PathsArgs;
pub use phases::PhaseArgs;
pub use place::ExportPlace;
pub use precondition::Precondition;
pub use pts::PtsArgs;
pub use purge::PurgeArgs;
pub use purge_arg::PurgeArg;
pub use quick::QuickArgs;
pub use ranges::AddressRange;
pub use replay::{MapArg, ReplayArgs, TimingArg};
pub use review::ReviewArgs;
pub use rollup_to::RollupToArgs;
pub use safety::SafetyArgs;
pub use shared::{
    BlockSizeArg, CompressibilityArg, JsonArg, LiveArg, OutputArg, QueueDepthArg, RangeArg, ResultArgs,
    SeedArg,
};
pub use slow::SlowArgs;
pub use stalls::StallsArgs;
pub use stream::{
    Edge, FramesArgs, StreamArgs, StreamCommand, StreamExtractArgs, StreamListArgs, StreamLookArgs,
    StreamPlanArgs, StreamRecordArgs,
};
pub use stretch::StretchArgs;
pub use trace::{TraceArgs, TraceCommand, TraceExportArgs, TraceImportArgs, TraceRecordArgs, TraceShowArgs};
pub use trim::TrimArgs;
pub use until_warm::UntilWarmArg;
pub use verify::{AfterCrashArg, VerifyOption};
pub use wake::WakeArgs;
pub use working_set::WorkingSetArgs;

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

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A whole review: tests by a plan, one after the other, on one page; it goes on after anything
    Review(ReviewArgs),
    /// Performance consistency: purge, fill, random writes, the IOPS of every second
    Consistency(ConsistencyArgs),
    /// How fast is the drive written from its begin to its end, where does that change, and what comes back after rests?
    Fill(FillArgs),
    /// One plain load, measured: random or sequential, closed or open loop
    Load(LoadArgs),
    /// Can this drive record a stream? Long delays, verified data, and the buffer that a stream needs
    Stalls(StallsArgs),
    /// The same data by file system, device file and raw path: rates, processors, where the time goes
    Paths(PathsArgs),
    /// File systems, schedulers and threads against each other: rates, latencies, and what differs
    Matrix(MatrixArgs),
    /// Images of drives: attach, mount and detach them, whole or by partition
    Image(ImageArgs),
    /// A minute's look: rates of reading over the drive, and the time of a random access
    Quick(QuickArgs),
    /// Does TRIM make a used drive fast again, and what do trimmed blocks return?
    Trim(TrimArgs),
    /// How long does the first read take after the drive has rested, and from which rest on does it take longer?
    Wake(WakeArgs),
    /// Are random reads slower the larger the part of the drive is that they go to?
    WorkingSet(WorkingSetArgs),
    /// Which response times does the drive have at a given load, and up to which load is it fast enough?
    OfferedLoad(OfferedLoadArgs),
    /// Rounds in the style of SNIA's PTS: IOPS, throughput, latency, saturation, idle recovery, and more
    Pts(PtsArgs),
    /// What a command takes: mean power, energy above idle, joules a GB, minutes of a battery
    Energy(EnergyArgs),
    /// What was ever written to a drive: host, flash, ext4, wear, and the write amplification since then
    Lifetime(LifetimeArgs),
    /// Replay a trace on a drive: at its own times, after answers, or as fast as the drive goes
    Replay(ReplayArgs),
    /// Traces of block I/O: other people's formats in and out, and what one comes to
    Trace(TraceArgs),
    /// How long this machine takes to boot, and what its drive does meanwhile
    Boot(BootArgs),
    /// Record streams of frames to a raw drive, and find them again
    Stream(StreamArgs),
    /// Purge a drive: by its own sanitize or format, or by discards
    Purge(PurgeArgs),
    /// List the drives: what uses them, and whether they may be tested
    Drives(DrivesArgs),
    /// Open results again: the page of one, the comparison of several, in any form
    Report(ReportArgs),
    /// A table of every drive with results below some folders: sorted, filtered and compared on one page
    Index(IndexArgs),
    /// Write results as Parquet for query engines: rollups or records by day and machine, with a catalogue
    Export(ExportArgs),
    /// Many drives and machines together, from what was exported: which ones are slow, and which got slower
    Fleet(FleetArgs),
    /// Give a result another name or a remark
    Label(LabelArgs),
    /// List the simulated drives and their keys, or print one as TOML
    Profiles(ProfilesArgs),
    /// What the numbers mean that drives and kernels report errors with
    Decode(DecodeArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

/// Arguments of `drives`.
#[derive(Debug, Args)]
pub struct DrivesArgs {
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivelab report sdb                                    # makes the page of a result again
  drivelab report sdb sdc --report both.html --csv data   # compares two")]
pub struct ReportArgs {
    /// Folders of results, or folders that hold folders of results
    #[arg(required = true, value_name = "DIR")]
    pub runs: Vec<PathBuf>,
    /// Write the page to this file, which is not there yet where results are compared [default: report.html in the folder that is
    /// named alone]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write each picture as SVG into this folder
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Write each picture as PNG into this folder
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
    /// Write the data of each picture and table as CSV into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Print Markdown instead of the summary
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// From when on an I/O is slow.
    #[command(flatten)]
    pub slow: SlowArgs,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}

/// Arguments of `index`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivelab index results                        # makes results/index.html
  drivelab index 2025 2026 --report all.html    # of two folders
  drivelab index results --csv table            # for a spreadsheet")]
pub struct IndexArgs {
    /// Folders below which results are looked for
    #[arg(required = true, value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Write the page to this file [default: index.html in the folder that is named alone]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the data of each picture and table as CSV into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Print Markdown instead of the summary
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}

/// Arguments of `profiles`.
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

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Keep a page for every command in this folder, instead of printing one
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
