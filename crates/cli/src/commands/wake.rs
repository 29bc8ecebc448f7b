//! `drivelab wake`.

use drivelab_block::Nanos;
use drivelab_kinds::wake::{Wake, WakeSettings};
use drivelab_runner::{Ending, Failure, TestRequest, run_test};

use crate::args::WakeArgs;

/// Reads a drive after rests.
pub fn main(args: &WakeArgs) -> Result<Ending, Failure> {
    let mut rests_ns: Vec<u64> = args.rests.iter().copied().map(Nanos::get).collect();
    rests_ns.sort_unstable();
    rests_ns.dedup();
    run_test::<Wake>(&TestRequest {
        target: &args.target,
        settings: WakeSettings { rests_ns, runs: args.runs, range: args.range.typed() },
        input: (),
        seed: args.result.seed(),
        destination: args.result.destination(),
        safety: &args.safety,
        meter: &args.meter,
    })
}
