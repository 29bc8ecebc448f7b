//! `--until-warm`: reads before anything is measured.

use clap::Args;
use drivelab_block::Nanos;
use drivelab_stats::WarmUp;

use super::units;

/// Whether, and for how long at most, the drive is read before anything is measured, until it is warm.
#[derive(Clone, Copy, Debug, Args)]
pub struct UntilWarmArg {
    /// Read the range before anything is measured, until the drive is warm: the mean temperature of a minute is less than 1 K
    /// above that of the minute five minutes before. Go on and say so after this time [default where the option has no
    /// value: 30min]
    #[arg(
        long,
        value_name = "DURATION",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "30min",
        value_parser = at_most
    )]
    until_warm: Option<Nanos>,
}

impl UntilWarmArg {
    /// How long the drive is read at most, in nanoseconds; none where it is not read before.
    pub fn at_most_ns(self) -> Option<u64> {
        self.until_warm.map(Nanos::get)
    }
}

/// A time in which a drive can be seen to be warm.
fn at_most(text: &str) -> Result<Nanos, String> {
    match units::duration(text)? {
        time if time >= WarmUp::SHORTEST => Ok(time),
        _ => Err(
            "whether a drive is warm is known after 6 min at the earliest: write 6min or more, such as 30min"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_in_which_no_drive_is_seen_to_be_warm_is_refused() {
        assert_eq!(at_most("6min"), Ok(WarmUp::SHORTEST));
        assert!(at_most("359s").is_err_and(|error| error.contains("6min")));
        assert!(at_most("10").is_err_and(|error| error.contains("10min")));
    }
}
