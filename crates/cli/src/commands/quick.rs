//! `drivelab quick`.

use drivelab_kinds::quick::{Quick, QuickSettings};
use drivelab_runner::{Destination, Ending, Failure, TestRequest, run_test};

use crate::args::QuickArgs;

/// Runs a quick test.
pub fn main(args: &QuickArgs) -> Result<Ending, Failure> {
    let destination = Destination { page: args.report.as_deref(), ..args.result.destination() };
    run_test::<Quick>(&TestRequest {
        target: &args.target,
        settings: QuickSettings { write: args.write },
        input: (),
        seed: args.result.seed(),
        destination,
        safety: &args.safety,
        meter: &args.meter,
    })
}
