//! `drivelab trim`.

use drivelab_runner::{Ending, Failure, TestRequest, run_test};
use drivelab_tests::trim::{Trim, TrimSettings};

use crate::args::TrimArgs;

/// Tries whether TRIM makes a used drive fast again.
pub fn main(args: &TrimArgs) -> Result<Ending, Failure> {
    run_test::<Trim>(&TestRequest {
        target: &args.target,
        settings: TrimSettings {
            preconditioning_ns: args.precondition.random_time().get(),
            rounds: args.runs,
            purge: args.purge.asked(),
            range: args.range.typed(),
        },
        input: (),
        seed: args.result.seed(),
        destination: args.result.destination(),
        safety: &args.safety,
        meter: &args.meter,
    })
}
