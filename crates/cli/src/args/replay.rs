//! Arguments of `replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use drivelab_block::Nanos;
use drivelab_kinds::PurgeOption;
use drivelab_method::replay::Speed;

use super::{
    CompressibilityArg, MeterArgs, PhaseArgs, Precondition, ResultArgs, SafetyArgs, SlowArgs, units,
};

/// Arguments of `replay`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Timing:
  recorded   each request at its own time on an absolute schedule, whatever the target does
  dependent  as long after an answer as in the trace: after that of the request whose completion was
             the latest there before this one was issued; order is kept
  unpaced    with a fixed number in flight; a request waits for one in flight on the same sectors
             where one of the two writes or discards, and so do those behind it

Examples:
  drivelab replay desktop sim:consistent --max-idle 1s
  drivelab replay shipped:compile sim:sm2246en --timing dependent --map compact
  drivelab replay desktop /dev/sdb --map compact --no-writes -o runs/sdb
  drivelab replay desktop /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --precondition fill -o runs/sdb")]
pub struct ReplayArgs {
    /// The folder of a trace, as `trace import` makes it, or of a run; or shipped:boot, shipped:compile, shipped:upgrade
    pub trace: PathBuf,
    /// A drive, a file or a simulated drive
    pub target: String,
    /// When requests are made
    #[arg(long, value_enum, default_value_t = TimingArg::Recorded)]
    pub timing: TimingArg,
    /// How much faster than the trace [default: 1]
    #[arg(long, value_name = "X", value_parser = speed, allow_hyphen_values = true)]
    pub speed: Option<Speed>,
    /// Cut spans in which nothing was in flight to this, in the trace's own time
    #[arg(long, value_name = "DURATION", value_parser = units::duration, allow_hyphen_values = true)]
    pub max_idle: Option<Nanos>,
    /// Where requests go
    #[arg(long, value_enum, default_value_t = MapArg::Identity)]
    pub map: MapArg,
    /// Only the requests of this device of the trace, by its name there
    #[arg(long, value_name = "NAME")]
    pub trace_device: Option<String>,
    /// Stop after this much of the trace, in its own time
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// I/Os in flight at most [default: 32 unpaced, else 1024, or fewer where buffers would take over 256 MiB, and no fewer than
    /// the trace had]
    #[arg(long, value_name = "N")]
    pub queue_depth: Option<u32>,
    /// Leave the trace's writes and discards out: nothing on the target is changed
    #[arg(long)]
    pub no_writes: bool,
    /// Leave the trace's discards out, as for a target that takes none
    #[arg(long)]
    pub no_discards: bool,
    /// How the drive is purged before: none, discard, auto, sanitize, format or secure-erase (the whole target)
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub purge: PurgeOption,
    /// What is written before the replay: none, fill (what it will touch), or fill-all (the whole target)
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = Precondition::of_replay)]
    pub precondition: Precondition,
    /// How far the data can be compressed.
    #[command(flatten)]
    pub compressibility: CompressibilityArg,
    /// The seed, where the result goes, and how it is printed.
    #[command(flatten)]
    pub result: ResultArgs,
    /// Which phases of a run are read.
    #[command(flatten)]
    pub phases: PhaseArgs,
    /// From when on an I/O is slow.
    #[command(flatten)]
    pub slow: SlowArgs,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}

/// When requests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// At the trace's own times
    Recorded,
    /// As long after an answer as in the trace
    Dependent,
    /// With a fixed number in flight
    Unpaced,
}

/// Where requests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MapArg {
    /// To their own addresses, where these fit
    Identity,
    /// What the trace touches moved together, devices one after the other
    Compact,
}

fn speed(text: &str) -> Result<Speed, String> {
    let factor = text.parse().ok().and_then(Speed::new);
    factor.ok_or_else(|| "a speed is a number from 0.001 to a million, such as 2 or 0.5".to_owned())
}
