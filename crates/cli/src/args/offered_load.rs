//! Arguments of `offered-load`.

use clap::Args;
use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::offered_load::LoadOption;

use super::units::Rate;
use super::{
    BlockSizeArg, MeterArgs, Precondition, QueueDepthArg, RangeArg, ReadWrite, ResultArgs, SafetyArgs,
    UntilWarmArg, units,
};

/// The highest load, in per cent of the peak.
const PERCENT_MAX: f64 = 200.0;

/// A load as it is typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TypedLoad {
    /// In per cent of the peak.
    Percent(f64),
    /// A rate.
    Rate(Rate),
}

impl TypedLoad {
    /// Reads `50%`, `5000/s` or `160MB/s`.
    fn parse(text: &str) -> Result<TypedLoad, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(
                "nothing follows a comma: write the list without spaces, such as 10%,50%,5000/s".to_owned()
            );
        }
        if let Some(number) = text.parse::<f64>().ok().filter(|number| *number > 0.0) {
            let share = if number <= PERCENT_MAX {
                format!(", or {text}% for that share of the peak")
            } else {
                String::new()
            };
            return Err(format!("a load has a unit: write {text}/s for I/Os a second{share}"));
        }
        if text.contains('%') || ["percent", "per cent", "pct"].iter().any(|word| text.ends_with(word)) {
            return match units::percent(text)? {
                percent if (1.0..=PERCENT_MAX).contains(&percent) => Ok(TypedLoad::Percent(percent)),
                _ => Err("a load is from 1% to 200% of the peak, or a rate such as 5000/s".to_owned()),
            };
        }
        let is_number = text.contains(|sign: char| sign.is_ascii_digit());
        let example = || "a load is a share of the peak or a rate, such as 50%, 5000/s or 160MB/s".to_owned();
        Rate::parse(text).map(TypedLoad::Rate).map_err(|error| if is_number { error } else { example() })
    }

    /// The load, in I/Os of this size.
    pub fn asked(self, block_size: ByteCount) -> LoadOption {
        match self {
            TypedLoad::Percent(percent) => LoadOption::Percent(percent),
            TypedLoad::Rate(rate) => LoadOption::Iops(rate.ios(block_size)),
        }
    }
}

/// Arguments of `offered-load`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The peak is what the drive takes in a closed loop with --queue-depth in flight. Then I/Os arrive at random (a Poisson process) \
at shares of it, or at the rates that --loads names, whatever the drive does, and the response time counts from when an I/O \
was due. Up to 1,024 are in flight; where all of these are taken the drive is overloaded, and what waits counts. Where the \
machine itself sends late, that is said, and the load says nothing of the drive.

Examples:
  drivelab offered-load sim:consistent --limit 1ms
  drivelab offered-load sim:consistent --loads 5000/s,20000/s,50%
  drivelab offered-load /dev/nvme0n1 --loads 10%,50%,90% --cell-duration 60s -o nvme")]
pub struct OfferedLoadArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    /// What to do
    #[arg(long, value_enum, default_value_t = ReadWrite::Randread)]
    pub rw: ReadWrite,
    /// Share of reads, for randrw [default: 50%]
    #[arg(long, value_name = "PERCENT", value_parser = units::whole_percent)]
    pub read_percent: Option<u8>,
    /// Bytes of one I/O.
    #[command(flatten)]
    pub block_size: BlockSizeArg,
    /// I/Os in flight.
    #[command(flatten)]
    pub queue_depth: QueueDepthArg,
    /// The loads: shares of the peak, or rates, such as 50%, 5000/s or 160MB/s
    #[arg(
        long,
        value_name = "LOAD,...",
        value_delimiter = ',',
        default_value = "10%,20%,30%,40%,50%,60%,70%,80%,90%,95%",
        value_parser = TypedLoad::parse
    )]
    pub loads: Vec<TypedLoad>,
    /// The p99 of the response time that is still good enough: find the load at which it is passed
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    pub limit: Option<Nanos>,
    /// How long each cell lasts: the peak, and each load
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = units::duration)]
    pub cell_duration: Nanos,
    /// The part of the drive that is used.
    #[command(flatten)]
    pub range: RangeArg,
    /// What is written before the loads: fill (the range, in sequence) or none
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = Precondition::of_reads)]
    pub precondition: Precondition,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_a_share_of_the_peak_or_a_rate() {
        let asked = |text: &str| TypedLoad::parse(text).map(|load| load.asked(ByteCount::new(4096)));
        assert_eq!(asked("50%"), Ok(LoadOption::Percent(50.0)));
        assert_eq!(asked("5000/s"), Ok(LoadOption::Iops(5000.0)));
        assert_eq!(asked("4MiB/s"), Ok(LoadOption::Iops(1024.0)));
    }

    #[test]
    fn an_error_names_the_load_that_was_meant() {
        for (text, meant) in [
            ("5000", "write 5000/s for I/Os a second"),
            ("50", "write 50/s for I/Os a second, or 50%"),
            ("5000iops", "write 5000/s"),
            ("42k", "42000/s"),
            ("0%", "1% to 200%"),
            ("50 percent", "write 50%"),
            ("", "without spaces"),
            ("half", "such as 50%, 5000/s"),
        ] {
            let read = TypedLoad::parse(text);
            assert!(read.as_ref().is_err_and(|error| error.contains(meant)), "{text}: {read:?}");
        }
    }
}
