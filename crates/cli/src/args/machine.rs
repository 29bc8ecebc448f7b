//! Arguments of commands about this machine and its drives.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use drivelab_block::ByteCount;
use drivelab_boot::BootLoader;
use drivelab_kinds::PurgeOption;
use drivelab_runner::{MeterOptions, SafetyOptions};

use super::{HideSerialArg, JsonArg, LiveArg, NameArgs, OutputArg, PageArg, meter_help, units};

/// Where boots are kept where nothing else is asked for.
pub const BOOTS: &str = "/var/lib/drivelab/boots";

/// What to do with boots.
#[derive(Clone, Debug, Subcommand)]
pub enum BootCommand {
    /// Keep a trace of each boot from now on, with the times of systemd
    Enable(BootEnableArgs),
    /// Keep no more boots; those that were kept stay
    Disable {
        /// Only say what would be done
        #[arg(long)]
        print: bool,
    },
    /// Show boots: how long each part took, what was read, the processors, units and programs
    Show(BootShowArgs),
    /// Keep this boot once it is over (what the unit runs)
    #[command(hide = true)]
    Keep {
        /// Keep the boot in a new folder below this one
        #[arg(short, long, value_name = "DIR", default_value = BOOTS)]
        output: PathBuf,
    },
}

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
    #[arg(long, value_name = "LOADER", value_parser = units::word(BootLoader::ALL, BootLoader::word))]
    pub boot_loader: Option<BootLoader>,
    /// Only say what would be done
    #[arg(long)]
    pub print: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Boots of one drive are put together: their mean, and its 95 % confidence interval from two boots on. Boots of several drives are \
compared. A boot is a trace, too: `drivelab trace show DIR` shows its I/O, and `drivelab replay DIR TARGET --timing dependent` \
predicts how long another drive would take.")]
pub struct BootShowArgs {
    /// Folders of boots, or folders that hold folders of boots
    #[arg(value_name = "DIR", default_value = BOOTS)]
    pub boots: Vec<PathBuf>,
    #[command(flatten)]
    pub page: PageArg,
    #[command(flatten)]
    pub hide_serial: HideSerialArg,
    #[command(flatten)]
    pub json: JsonArg,
}

/// Which number it is.
#[derive(Debug, Subcommand)]
pub enum DecodeWhat {
    /// The error register of a SATA link (what the kernel calls SErr)
    Serr(NumberArgs),
    /// The status register of an ATA device
    AtaStatus(NumberArgs),
    /// The error register of an ATA device
    AtaError(NumberArgs),
    /// The status field of an NVMe completion, as Linux and nvme-cli show it (15 bits, without the phase)
    NvmeStatus(NumberArgs),
    /// The lines of a kernel's log that have codes of errors, each with what these mean
    KernelLog {
        /// A file with the lines, or - for standard input
        file: PathBuf,
        /// Print every line, also those without a code that is known
        #[arg(long)]
        all: bool,
    },
}

/// A number.
#[derive(Debug, Args)]
pub struct NumberArgs {
    /// The number, in hexadecimal with 0x, or in decimal
    #[arg(value_parser = number)]
    pub value: u32,
    #[command(flatten)]
    pub json: JsonArg,
}

fn number(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "a register is a number below 2^32, such as 0xd0000".to_owned())
}

#[derive(Clone, Debug, Args)]
#[command(mut_arg("meter", |arg| arg.help(meter_help())))]
#[command(after_help = "\
The idle power is the mean of before and after; what it moved by in between is in its error. The energy is \
the area below the readings, or the difference of a counter of energy. The errors are those of sampling and \
of the idle power: the meter's own accuracy is in none of them. Without --meter the batteries are read while \
they discharge, else the processor packages (rapl), which are not the drive. The summary goes to stderr, \
so that the command's own output can be piped; with --json that goes to stderr, and stdout has the document.

Examples:
  drivelab energy --meter scpi:10.0.0.7:5025 --moved 10GB -o ssd -- cp film.mkv /mnt/ssd
  drivelab energy --meter hwmon:ina226 --battery 50 -- cp -r photos /mnt/stick
  drivelab energy --meter hwmon:ina226 --runs 5 -o stick --place /mnt/stick -- sh -c 'cp film.mkv {} && sync'
  drivelab energy --compare ssd disk")]
pub struct EnergyArgs {
    /// The command to run, with its arguments
    #[arg(last = true, required_unless_present = "compare", value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Compare the energies of two kept results instead, of commands or of tests with --meter: their folders
    #[arg(long, num_args = 2, value_names = ["DIR", "DIR"])]
    #[arg(conflicts_with_all = ["command", "output", "label", "note", "moved", "place", "runs", "meter", "volts"])]
    pub compare: Vec<PathBuf>,
    /// What {} in the command stands for: commands that differ only in it are one task, whose results are compared
    #[arg(long, value_name = "PLACE")]
    pub place: Option<String>,
    /// Repetitions of the command: means over them have 95 % intervals. The idle time after one is that before the next
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::whole::<u16>(1..=100))]
    pub runs: u16,
    /// Bytes that the command moves each time, for the joules a gigabyte
    #[arg(long, value_name = "SIZE", value_parser = units::size_above_zero)]
    pub moved: Option<ByteCount>,
    #[command(flatten)]
    pub output: OutputArg,
    #[command(flatten)]
    pub name: NameArgs,
    #[command(flatten)]
    pub live: LiveArg,
    #[command(flatten)]
    pub json: JsonArg,
    #[command(flatten)]
    pub meter: MeterOptions,
}

#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |arg| arg.global(true)))]
#[command(after_help = "\
Examples:
  drivelab image list disk.img
  drivelab image attach --partitions disk.img
  drivelab image mount --read-only disk.img:2 /mnt
  drivelab image detach disk.img")]
pub struct ImageArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ImageCommand,
    #[command(flatten)]
    pub json: JsonArg,
}

/// What to do with an image.
#[derive(Clone, Debug, Subcommand)]
pub enum ImageCommand {
    /// Show which partitions an image has, and as what they are attached and mounted
    List {
        /// A file that holds a drive's contents
        #[arg(value_name = "FILE")]
        image: PathBuf,
    },
    /// Show an image, or a partition of it, as a loop device
    Attach {
        #[command(flatten)]
        name: ImageNameArgs,
        /// Attach each partition as a loop device of its own
        #[arg(long)]
        partitions: bool,
        /// Let nothing be written to it
        #[arg(long)]
        read_only: bool,
    },
    /// Attach it and mount the file system that it holds
    Mount {
        #[command(flatten)]
        name: ImageNameArgs,
        /// Where to mount it
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Let nothing be written to it
        #[arg(long)]
        read_only: bool,
    },
    /// Unmount and detach it; without a partition, all that is attached of it
    Detach(ImageNameArgs),
}

/// An image.
#[derive(Clone, Debug, Args)]
pub struct ImageNameArgs {
    /// A file that holds a drive's contents, and the number of a partition
    #[arg(value_name = "FILE[:PARTITION]", value_parser = NonEmptyStringValueParser::new())]
    pub image: String,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Host and flash writes come from the drive's own counters (smartctl; root), and a unit is only believed if \
a standard states it, or the name that smartctl's database has for an attribute of this drive. ext4 counts what \
its mounted file systems were written. Nothing is written to a drive. The exit code is 1 if a drive reports \
that it fails, or has replaced, or cannot read, a thousand sectors or more.

Examples:
  drivelab lifetime
  drivelab lifetime /dev/nvme0n1 --rated-tbw 600 -o monday
  drivelab lifetime --report drives.html
  drivelab lifetime /dev/nvme0n1 --since monday   # and the write amplification in between")]
pub struct LifetimeArgs {
    /// A drive or a partition of it [default: every drive]
    pub target: Option<PathBuf>,
    /// The endurance that the named drive is rated for, in decimal terabytes written
    #[arg(long, value_name = "TB", value_parser = units::rated_terabytes, requires = "target")]
    pub rated_tbw: Option<f64>,
    #[command(flatten)]
    pub output: OutputArg,
    #[command(flatten)]
    pub page: PageArg,
    /// Show what was written since the result that was kept in this folder
    #[arg(long, value_name = "DIR")]
    pub since: Option<PathBuf>,
    #[command(flatten)]
    pub hide_serial: HideSerialArg,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
auto takes the first of these that the drive has and that reaches nothing but the target, and says why: NVMe \
Sanitize (block erase, or else crypto erase), NVMe Format (user data erase), ATA SECURITY ERASE UNIT (enhanced, or \
else normal), discard. What a power cut has cut off is finished by the next purge: a sanitize in progress is waited \
for, and the password of a secure erase (\"drivelab\") is taken away. Afterwards sampled places are read back: exit \
code 1 where data is still there after anything but a discard.

Examples:
  drivelab purge /dev/nvme0n1 --dry-run --serial=S3Z9NB0K123456 --destroy-data
  drivelab purge /dev/nvme0n1 --serial=S3Z9NB0K123456 --destroy-data --purge format")]
pub struct PurgeArgs {
    /// The drive, partition or file
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// How the drive is purged: auto, sanitize, format, secure-erase or discard
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub purge: PurgeOption,
    #[command(flatten)]
    pub safety: SafetyOptions,
    #[command(flatten)]
    pub json: JsonArg,
}

#[derive(Debug, Args)]
pub struct DrivesArgs {
    #[command(flatten)]
    pub json: JsonArg,
}
