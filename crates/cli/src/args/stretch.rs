//! Which part of a trace is read.

use clap::Args;
use drivelab_trace::{StretchRequest, TraceMoment};

use super::units;

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
