//! `drivelab fill`.

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::fill::{Fill, FillSettings};
use drivelab_runner::{Ending, Failure, TestRequest, run_test};

use super::named_once::check_once;
use crate::args::FillArgs;

/// Writes a drive from its first byte to its last, and again after rests.
pub fn main(args: &FillArgs) -> Result<Ending, Failure> {
    check_once("--rests", &args.rests)?;
    check_once("--filled", &args.filled)?;
    let filled_percent = match (args.rests.is_empty(), args.filled.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => vec![0.0],
        (false, false) => args.filled.clone(),
    };
    run_test::<Fill>(&TestRequest {
        target: &args.target,
        settings: FillSettings {
            range: args.range.typed(),
            bytes: args.bytes.map(ByteCount::get),
            block_size_bytes: args.block_size.size().get(),
            queue_depth: args.queue_depth.depth(),
            purge: args.purge.asked(),
            rests_ns: args.rests.iter().copied().map(Nanos::get).collect(),
            filled_percent,
            compressibility_percent: args.compressibility.percent(),
            until_warm_ns: args.until_warm.at_most_ns(),
        },
        input: (),
        seed: args.result.seed(),
        destination: args.result.destination(),
        safety: &args.safety,
        meter: &args.meter,
    })
}
