//! `drivelab pts`.

use drivelab_kinds::pts::{Pts, PtsPrecondition, PtsSettings};
use drivelab_runner::{Ending, Failure, TestRequest, run_cell_test};

use super::one_pass;
use crate::args::PtsArgs;

/// Runs tests in rounds.
pub fn main(args: &PtsArgs) -> Result<Ending, Failure> {
    let flash_over_provisioning = one_pass::over_provisioning(args.precondition, &args.target)?;
    run_cell_test::<Pts>(&TestRequest {
        target: &args.target,
        settings: PtsSettings {
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
        },
        input: (),
        seed: args.result.seed(),
        destination: args.result.destination(),
        safety: &args.safety,
        meter: &args.meter,
    })
}
