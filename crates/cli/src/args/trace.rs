//! Arguments of `trace`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use drivelab_block::{ByteCount, Nanos};
use drivelab_export::HostName;
use drivelab_trace::{ExportFormat, Format, StretchRequest, TraceMoment};

use super::{ExportPlace, JsonArg, LiveArg, PhaseArgs, SlowArgs, TraceLabelArg, units};

/// What to do with traces.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Record what the system does to its drives, for as long as you like
    Record(TraceRecordArgs),
    /// Make a trace of files in other people's formats
    Import(TraceImportArgs),
    /// Show a trace, or a run as one: was the drive slow, and why; service times, load, whether slow I/Os are clustered
    Show(TraceShowArgs),
    /// Write a trace in another format, for peers to run or to read
    Export(TraceExportArgs),
}

/// Arguments of `trace record`.
#[derive(Debug, Args)]
#[command(after_help = RECORD_HELP)]
#[group(id = "place", required = true, multiple = false, args = ["output", "new_folder_in"])]
pub struct TraceRecordArgs {
    /// A whole drive, such as /dev/sda or sda [default: every drive that takes requests, loop devices left out]
    #[arg(short, long = "device", value_name = "DEVICE")]
    pub devices: Vec<PathBuf>,
    /// Keep the trace in this folder
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Keep the trace in a new folder in this one, named after when it begins: for a service. --max-size counts all traces
    /// that were named so, of which the oldest are removed; no summary is made at the end
    #[arg(long, value_name = "DIR")]
    pub new_folder_in: Option<PathBuf>,
    /// Stop after this time [default: until Ctrl-C]
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// Keep at most this much: the oldest segments are removed as new ones are closed
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub max_size: Option<ByteCount>,
    /// Leave out the writes of the recording itself, where its folder lies on a recorded drive
    #[arg(long)]
    pub exclude_own_writes: bool,
    /// Ring buffer of each processor in the kernel's memory
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub buffer: Option<ByteCount>,
    #[command(flatten)]
    pub label: TraceLabelArg,
    #[command(flatten)]
    pub rollup: RollupToArgs,
    #[command(flatten)]
    pub live: LiveArg,
    #[command(flatten)]
    pub json: JsonArg,
}

const RECORD_HELP: &str = "\
Durations are those of the device, from the issue of a request to its completion (D2C). Devices without \
requests (zram, md, dm) are recorded where they are named: from when an I/O was asked for (Q2C). \
`drivelab trace show TRACE` works while it records. Killed, it lacks at most the last second. \
--exclude-own-writes knows the data of the recording's own files, and not what their file system \
writes of itself (its journal).

With --rollup-to, DEST has what `drivelab export` of the finished trace would write there, up to the last five minutes that are \
over, and all of it when the recording ends. While DEST cannot be written the recording goes on, and what is missing is written \
later. After a kill, `drivelab export TRACE --destination DEST` adds what is missing.

Examples:
  drivelab trace record -o desktop
  drivelab trace record --device /dev/nvme0n1 --duration 14days --max-size 2GiB -o two-weeks
  drivelab trace record --new-folder-in /var/lib/drivelab --max-size 2GiB
  drivelab trace record --rollup-to s3://measurements/fleet -o desktop";

/// Arguments of `trace import`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  drivelab trace import hm_0.csv.gz -o hm_0\n  \
    drivelab trace import sda.blktrace.* -o desktop")]
pub struct TraceImportArgs {
    /// Files to import, packed (gz, bz2, xz, zst) or not; several become one trace; - is stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Keep the trace in this folder
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The format of the files [default: found out from what they hold]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::word)))]
    pub format: Option<String>,
    #[command(flatten)]
    pub label: TraceLabelArg,
    #[command(flatten)]
    pub json: JsonArg,
}

/// Arguments of `trace show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  drivelab trace show hm_0 --json\n  \
    drivelab trace show desktop --after 03:10 --before 03:30\n  \
    drivelab trace show before after --report both.html")]
pub struct TraceShowArgs {
    /// The folders of traces, or of runs; several are compared, at one threshold of slow I/Os
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub json: JsonArg,
    /// Write the page to this file, which needs no network to be read
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub phases: PhaseArgs,
    #[command(flatten)]
    pub stretch: StretchArgs,
    #[command(flatten)]
    pub slow: SlowArgs,
}

/// Arguments of `trace export`.
///
/// What the format cannot hold is said on stderr, with its count.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_HELP)]
pub struct TraceExportArgs {
    /// The folder of a trace, or of a run
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The format of the file
    #[arg(long, value_name = "FORMAT")]
    #[arg(value_parser = PossibleValuesParser::new(ExportFormat::ALL.map(ExportFormat::word)))]
    pub format: Option<String>,
    /// The file to write, which must not be there yet [default: stdout]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// fio2, fio3: name this target for all devices, to replay the trace on it
    #[arg(long, value_name = "PATH")]
    pub replay_on: Option<String>,
    #[command(flatten)]
    pub phases: PhaseArgs,
    #[command(flatten)]
    pub stretch: StretchArgs,
}

const EXPORT_HELP: &str = "\
Formats:
  fio3       fio's I/O log, to be replayed with fio --read_iolog (3.31 and later),
             which does not wait before the first time that is not 0
  fio2       the same for older fio, with lines that wait; fio itself takes their microseconds for
             milliseconds since its start, so replay fio3 where you can
  blkparse   Q, D and C lines in the order of time
  csv        the columns of a trace's own segments, with the names of devices and processes and what
             the durations of each device span
  blkreplay  a .load with durations; it has reads and writes only

`drivelab trace import` reads each of them again: what csv holds is all but the time of day; of the
others it is what the format can hold.

fio's logs have whole microseconds: times are rounded to the nearest. Offsets and lengths are bytes
there. fio splits lines at blanks: those in the names of devices become _.

Examples:
  drivelab trace export hm_0 hm_0.fio --format fio3 --replay-on /dev/sdb
  drivelab trace export desktop --format csv | duckdb -c \"FROM read_csv('/dev/stdin')\"";

/// Which part of a trace is read, by the time at which its I/Os were issued.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct StretchArgs {
    /// Only I/Os from then on: 90s or 2h after the beginning, or by the clock, 2026-11-26T03:10 or 03:10, the first such time
    /// of the trace
    #[arg(long, value_name = "TIME", value_parser = units::moment)]
    after: Option<TraceMoment>,
    /// Only I/Os before then, given in the same way; 03:20 is the first such time after --after
    #[arg(long, value_name = "TIME", value_parser = units::moment)]
    before: Option<TraceMoment>,
}

impl StretchArgs {
    /// What is asked for.
    pub fn request(self) -> StretchRequest {
        StretchRequest { after: self.after, before: self.before }
    }
}

/// The rollup that a recording writes while it goes on.
#[derive(Debug, Args)]
pub struct RollupToArgs {
    /// Also write the rollup of what is recorded to this folder, or to `s3://BUCKET/PREFIX`, every five minutes: counts, bytes
    /// and times, as `drivelab export` writes them; no addresses, file names or processes
    #[arg(long, value_name = "DEST", value_parser = ExportPlace::parser())]
    pub rollup_to: Option<ExportPlace>,
    /// The machine that the rollup is of [default: the name of this one]
    #[arg(long, value_name = "NAME", requires = "rollup_to")]
    pub host: Option<HostName>,
    /// Leave serial numbers out of the table of drives that comes with the rollup
    #[arg(long, requires = "rollup_to")]
    pub hide_serial: bool,
}
