//! `drivelab working-set`.

use drivelab_kinds::working_set::{WorkingSet, WorkingSetSettings};
use drivelab_runner::{Ending, Failure, run_test};

use super::shared_args::SharedArgs;
use crate::args::{Precondition, WorkingSetArgs};

/// Reads growing parts of a drive.
pub fn main(args: &WorkingSetArgs) -> Result<Ending, Failure> {
    let settings = WorkingSetSettings {
        range: args.range.typed(),
        block_size_bytes: args.block_size.size().get(),
        queue_depth: args.queue_depth.depth(),
        cell_duration_ns: args.cell_duration.get(),
        fill: args.precondition == Precondition::Fill,
        until_warm_ns: args.until_warm.at_most_ns(),
    };
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_test::<WorkingSet>(&shared.request(&args.target, settings, ()))
}
