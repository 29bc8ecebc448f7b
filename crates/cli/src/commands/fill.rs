//! `drivelab fill`.

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::fill::{Fill, FillSettings};
use drivelab_runner::{Ending, Failure, run_test};

use super::named_once::check_once;
use super::shared_args::SharedArgs;
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
    let settings = FillSettings {
        range: args.range.typed(),
        bytes: args.bytes.map(ByteCount::get),
        block_size_bytes: args.block_size.size().get(),
        queue_depth: args.queue_depth.depth(),
        purge: args.purge.asked(),
        rests_ns: args.rests.iter().copied().map(Nanos::get).collect(),
        filled_percent,
        compressibility_percent: args.compressibility.percent(),
        until_warm_ns: args.until_warm.at_most_ns(),
    };
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_test::<Fill>(&shared.request(&args.target, settings, ()))
}
