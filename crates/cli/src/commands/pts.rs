//! `drivelab pts`.

use drivelab_kinds::pts::{Pts, PtsPrecondition, PtsSettings};
use drivelab_runner::{Ending, Failure, run_cell_test};

use super::drive_tests::find_flash_over_provisioning;
use crate::args::PtsArgs;

/// Runs tests in rounds.
pub fn main(args: &PtsArgs) -> Result<Ending, Failure> {
    let flash_over_provisioning = find_flash_over_provisioning(args.precondition, &args.test.target)?;
    let settings = PtsSettings {
        tests: args.tests.concat(),
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
    run_cell_test::<Pts>(&args.test.request(settings, ()))
}
