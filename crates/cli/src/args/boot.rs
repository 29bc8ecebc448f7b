//! Arguments of `boot`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use clap::{Args, Subcommand};
use drivelab_block::ByteCount;
use drivelab_boot::BootLoader;

use super::{HideSerialArg, JsonArg, units};

/// Where boots are kept where nothing else is asked for.
pub const BOOTS: &str = "/var/lib/drivelab/boots";

/// Arguments of `boot`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  sudo drivelab boot enable      # each boot from now on is kept
  sudo drivelab boot show        # those that were kept, with their mean
  sudo drivelab boot show old-drive new-drive --report boots.html
  sudo drivelab boot disable")]
pub struct BootArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BootCommand,
}

/// What to do with boots.
#[derive(Clone, Debug, Subcommand)]
pub enum BootCommand {
    /// Keep a trace of each boot from now on, with the times of systemd
    Enable(BootEnableArgs),
    /// Keep no more boots; those that were kept stay
    Disable(BootDisableArgs),
    /// Show boots: how long each part took, what was read, the processors, units and programs
    Show(BootShowArgs),
    /// Keep this boot once it is over (what the unit runs)
    #[command(hide = true)]
    Keep(BootKeepArgs),
}

/// Arguments of `boot enable`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The kernel traces block I/O from its first moment, by parameters on its command line; a unit of systemd keeps the trace when \
the boot is over, and systemd counts what each unit reads and takes of the processors. Tracing costs less than a microsecond \
an I/O. Each boot takes a few MB.")]
pub struct BootEnableArgs {
    /// Keep boots in this folder
    #[arg(short, long, value_name = "DIR", default_value = BOOTS)]
    pub output: PathBuf,
    /// Ring buffer of each processor in the kernel's memory
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = units::size_above_zero)]
    pub buffer: ByteCount,
    /// How the kernel gets its parameters: grub, grubby, or manual, where you add them yourself [default: as found]
    #[arg(long, value_name = "LOADER", value_parser = loader())]
    pub boot_loader: Option<BootLoader>,
    /// Only say what would be done
    #[arg(long)]
    pub print: bool,
}

fn loader() -> impl clap::builder::TypedValueParser<Value = BootLoader> {
    let all = [BootLoader::Grub, BootLoader::Grubby, BootLoader::Manual];
    PossibleValuesParser::new(all.map(BootLoader::name))
        .map(|name| BootLoader::named(&name).expect("one of these names"))
}

/// Arguments of `boot disable`.
#[derive(Clone, Debug, Args)]
pub struct BootDisableArgs {
    /// Only say what would be done
    #[arg(long)]
    pub print: bool,
}

/// Arguments of `boot show`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Boots of one drive are put together: their mean, and its 95 % confidence interval from two boots on. Boots of several drives are \
compared. A boot is a trace, too: `drivelab trace show DIR` shows its I/O, and `drivelab replay DIR TARGET --timing dependent` \
predicts how long another drive would take.")]
pub struct BootShowArgs {
    /// Folders of boots, or folders that hold folders of boots
    #[arg(value_name = "DIR", default_value = BOOTS)]
    pub boots: Vec<PathBuf>,
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Whether serial numbers are shown.
    #[command(flatten)]
    pub hide_serial: HideSerialArg,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}

/// Arguments of `boot keep`.
#[derive(Clone, Debug, Args)]
pub struct BootKeepArgs {
    /// Keep the boot in a new folder below this one
    #[arg(short, long, value_name = "DIR", default_value = BOOTS)]
    pub output: PathBuf,
}
