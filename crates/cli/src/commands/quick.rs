//! `drivelab quick`.

use drivelab_kinds::quick::{Quick, QuickSettings};
use drivelab_runner::{Destination, Ending, Failure, TestRequest, run_test};

use super::shared_args::SharedArgs;
use crate::args::QuickArgs;

/// Runs a quick test.
pub fn main(args: &QuickArgs) -> Result<Ending, Failure> {
    let destination = Destination { page: args.report.as_deref(), ..args.result.destination() };
    let settings = QuickSettings { write: args.write };
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_test::<Quick>(&TestRequest { destination, ..shared.request(&args.target, settings, ()) })
}
