//! `drivelab wake`.

use drivelab_block::Nanos;
use drivelab_kinds::wake::{Wake, WakeSettings};
use drivelab_runner::{Ending, Failure, run_test};

use super::shared_args::SharedArgs;
use crate::args::WakeArgs;

/// Reads a drive after rests.
pub fn main(args: &WakeArgs) -> Result<Ending, Failure> {
    let mut rests_ns: Vec<u64> = args.rests.iter().copied().map(Nanos::get).collect();
    rests_ns.sort_unstable();
    rests_ns.dedup();
    let settings = WakeSettings { rests_ns, runs: args.runs, range: args.range.typed() };
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_test::<Wake>(&shared.request(&args.target, settings, ()))
}
