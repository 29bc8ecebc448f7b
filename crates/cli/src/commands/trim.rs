//! `drivelab trim`.

use drivelab_block::Nanos;
use drivelab_kinds::trim::{Trim, TrimPrecondition, TrimSettings};
use drivelab_runner::{Ending, Failure, run_test};

use super::one_pass;
use super::shared_args::SharedArgs;
use crate::args::{Precondition, TrimArgs};

/// How long random writes last where nothing else is said.
const PRECONDITIONING: Nanos = Nanos::from_secs(30 * 60);
/// How often they write the range at most then: a drive keeps back less flash than the range is long, and what comes after
/// that is written to blocks that were written before.
const PASSES_MAX: u32 = 4;

/// Tries whether TRIM makes a used drive fast again.
pub fn main(args: &TrimArgs) -> Result<Ending, Failure> {
    let flash_over_provisioning = one_pass::over_provisioning(args.precondition, &args.target)?;
    let preconditioning = args.precondition.map_or(PRECONDITIONING, Precondition::random_time);
    let settings = TrimSettings {
        precondition: match args.precondition {
            Some(Precondition::OnePass(_)) => TrimPrecondition::OnePass,
            _ => TrimPrecondition::Random,
        },
        flash_over_provisioning,
        preconditioning_ns: preconditioning.get(),
        preconditioning_passes_max: args.precondition.is_none().then_some(PASSES_MAX),
        rounds: args.runs,
        purge: args.purge.asked(),
        range: args.range.typed(),
    };
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_test::<Trim>(&shared.request(&args.target, settings, ()))
}
