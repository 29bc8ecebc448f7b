//! Arguments of `stalls`.

use clap::Args;
use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::stalls::DELAY_DEFINITION;

use super::units::Rate;
use super::{
    AfterCrashArg, BlockSizeArg, MeterArgs, QueueDepthArg, RangeArg, ResultArgs, SafetyArgs, UntilWarmArg,
    VerifyOption, units,
};

/// What says how a stream is written, and so does not go with reading back what one wrote.
const NOT_AFTER_CRASH: [&str; 7] =
    ["output", "bytes", "duration", "rate", "verify", "device_times", "until_warm"];

/// Arguments of `stalls`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("block_size", |arg| arg.default_value("3MiB")))]
#[command(mut_arg("queue_depth", |arg| arg.default_value("1")))]
#[command(mut_arg("verify_after_crash", |arg| arg.conflicts_with_all(NOT_AFTER_CRASH)))]
#[command(after_help = format!("{DELAY_DEFINITION}

Examples:
  drivelab stalls sim:mx200-250 --bytes 2.1TB -o mx200
  drivelab stalls /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --verify continuous -o sdb
  drivelab stalls /dev/sdb --verify-after-crash sdb   # after a power cut: is all there that was acknowledged?
  drivelab report mx200 x300s --report both.html"))]
pub struct StallsArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// Bytes of one I/O.
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
    /// Stop after this many bytes, over the range again and again [default: four times the range, or until --duration]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub bytes: Option<ByteCount>,
    /// Stop after this time
    #[arg(long, value_parser = units::duration)]
    pub duration: Option<Nanos>,
    /// Open loop: write at this rate on an absolute schedule, such as 160MB/s [default: as fast as the drive goes]
    #[arg(long, value_name = "RATE", value_parser = Rate::parse)]
    pub rate: Option<Rate>,
    /// I/Os in flight.
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// When what was written is read back.
    #[command(flatten)]
    pub verify: VerifyOption,
    /// Report the buffer for a stream of this rate as well, such as 160MB/s. Repeatable
    #[arg(long, value_name = "RATE", value_parser = units::byte_rate)]
    pub stream_rate: Vec<f64>,
    /// Report what of each write's time was the device's, by the kernel's block events (root; the trace is kept in -o)
    #[arg(long, requires = "output")]
    pub device_times: bool,
    /// The run whose writes are read back after a crash.
    #[command(flatten)]
    pub after_crash: AfterCrashArg,
    /// How long the drive is read before, until it is warm.
    #[command(flatten)]
    pub until_warm: UntilWarmArg,
    /// The seed, where the result goes, and how it is printed.
    #[command(flatten)]
    pub result: ResultArgs,
    /// How the power is measured.
    #[command(flatten)]
    pub meter: MeterArgs,
    /// What has to be said before anything is written.
    #[command(flatten)]
    pub safety: SafetyArgs,
}

impl StallsArgs {
    /// Bytes a second of an open loop; none in a closed one.
    pub fn byte_rate(&self) -> Option<f64> {
        self.rate.map(|rate| rate.bytes(self.block_size.size()))
    }
}
