//! `drivelab pts`.

use drivelab_kinds::pts::{Pts, PtsPrecondition, PtsSettings};
use drivelab_runner::{Ending, Failure, run_cell_test};

use super::one_pass;
use super::shared_args::SharedArgs;
use crate::args::PtsArgs;

/// Runs tests in rounds.
pub fn main(args: &PtsArgs) -> Result<Ending, Failure> {
    let flash_over_provisioning = one_pass::over_provisioning(args.precondition, &args.target)?;
    let settings = PtsSettings {
        tests: args.tests.iter().flat_map(|test| test.tests()).copied().collect(),
        cell_duration_ns: args.cell_duration.get(),
        queue_depth: args.queue_depth.depth(),
        purge: args.purge.asked(),
        precondition: match args.precondition {
            Some(_) => PtsPrecondition::OnePass,
            None => PtsPrecondition::FillTwice,
        },
        flash_over_provisioning,
        range: args.range.typed(),
    };
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_cell_test::<Pts>(&shared.request(&args.target, settings, ()))
}
