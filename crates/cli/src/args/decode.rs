//! Arguments of `decode`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::JsonArg;

/// Arguments of `decode`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivelab decode serr 0xd0000
  drivelab decode ata-status 0x51
  drivelab decode nvme-status 0x4281
  dmesg | drivelab decode kernel-log -")]
pub struct DecodeArgs {
    /// Which number it is.
    #[command(subcommand)]
    pub what: DecodeWhat,
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
    KernelLog(KernelLogArgs),
}

/// A number.
#[derive(Debug, Args)]
pub struct NumberArgs {
    /// The number, in hexadecimal with 0x, or in decimal
    #[arg(value_parser = number)]
    pub value: u32,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}

/// Lines of a log.
#[derive(Debug, Args)]
pub struct KernelLogArgs {
    /// A file with the lines, or - for standard input
    pub file: PathBuf,
    /// Print every line, also those without a code that is known
    #[arg(long)]
    pub all: bool,
}

fn number(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "a register is a number below 2^32, such as 0xd0000".to_owned())
}
