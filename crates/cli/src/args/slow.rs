//! From when on an I/O is slow.

use clap::Args;
use drivelab_block::Nanos;
use drivelab_stats::Thresholds;

use super::units;

/// From when on an I/O is slow.
#[derive(Clone, Debug, Default, Args)]
pub struct SlowArgs {
    /// I/Os that take this or more are slow [default: chosen by how many are, and the same for all that is compared]
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    slow: Option<Nanos>,
}

impl SlowArgs {
    /// The threshold that was asked for.
    pub fn asked(&self) -> Option<Nanos> {
        self.slow
    }

    /// What is counted while I/Os are read.
    pub fn thresholds(&self) -> Thresholds {
        self.slow.map_or_else(Thresholds::default, |slow| Thresholds::with(slow.get()))
    }
}
