//! Arguments of `trim`.

use clap::Args;
use drivelab_kinds::trim::ROUNDS_MAX;

use super::{MeterArgs, Precondition, PurgeArg, RangeArg, ResultArgs, SafetyArgs, units};

/// Arguments of `trim`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("file_size", |arg| arg.hide(true)))]
#[command(after_help = "\
Each round fills the range and takes a curve of writing rates (fresh), writes at random for the time of --precondition and takes \
it again (used: the control), writes at random as long once more, trims the whole range and takes it a third time \
(trimmed). A curve is taken on 64 spans, at most 2 % of the range together, so that measuring does not restore \
the drive. 256 blocks are read before the TRIM and twice after it.

Verdicts: effective (a trimmed drive is shown to be faster than a used one), ineffective (use has cost speed and TRIM does not \
bring half of it back; exit code 1), unsupported, undecided (use has cost nothing, or the rounds differ too much). If the rates \
decide nothing, the blocks that were read do: ignored (all return what they held; exit code 1), dropped (none does). \
Intervals are over rounds. A round takes twice the time of --precondition and a fill. Without that option random writes end \
after 30 minutes, or once they have written the range four times, which uses up all the flash that a drive keeps back. \
A used drive rests as long as the discards before it took (in the first round those that ask whether it takes TRIM), as \
a trimmed one does. What the range holds is destroyed.

Examples:
  drivelab trim /dev/sdb --serial=S3Z9NB0K123456 --destroy-data --precondition random:10min
  drivelab trim 'sim:sm2246en?trim=ignored' --json")]
pub struct TrimArgs {
    /// A drive or a simulated drive
    pub target: String,
    /// What is written before a curve is taken of the used drive, twice a round: random:TIME, or one-pass, which writes the
    /// flash once; one-pass:PERCENT gives the over-provisioning of the drive [default: random:30min, or less where a drive is
    /// small]
    #[arg(long, value_name = "HOW", value_parser = Precondition::of_trim)]
    pub precondition: Option<Precondition>,
    /// Repetitions; a verdict needs two at least
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = units::whole(1..=ROUNDS_MAX))]
    pub runs: u16,
    /// How the drive is purged before.
    #[command(flatten)]
    pub purge: PurgeArg,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
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
