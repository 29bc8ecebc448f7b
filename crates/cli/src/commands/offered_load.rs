//! `drivelab offered-load`.

use drivelab_block::Nanos;
use drivelab_runner::{Ending, Failure, TestRequest, run_test};
use drivelab_tests::offered_load::{OfferedLoad, OfferedLoadSettings};

use crate::args::{OfferedLoadArgs, Precondition, ReadWrite};

/// Measures response times at given loads.
pub fn main(args: &OfferedLoadArgs) -> Result<Ending, Failure> {
    if matches!(args.rw, ReadWrite::Discard | ReadWrite::Flush) {
        let text =
            "--rw of offered-load is a read or a write: write randread, randwrite, randrw, read or write";
        return Err(Failure::Usage(text.to_owned()));
    }
    let mut loads_percent = args.loads.clone();
    loads_percent.sort_by(f64::total_cmp);
    loads_percent.dedup();
    if let Some(wrong) = loads_percent.iter().find(|percent| !(1.0..=200.0).contains(*percent)) {
        return Err(Failure::Usage(format!("--loads has {wrong}%: write loads from 1% to 200% of the peak")));
    }
    run_test::<OfferedLoad>(&TestRequest {
        target: &args.target,
        settings: OfferedLoadSettings {
            operation: args.rw.operation(args.read_percent).map_err(Failure::Usage)?,
            range: args.range.typed(),
            block_size_bytes: args.block_size.size().get(),
            queue_depth: args.queue_depth.depth(),
            loads_percent,
            cell_duration_ns: args.cell_duration.get(),
            limit_ns: args.limit.map(Nanos::get),
            fill: args.precondition == Precondition::Fill,
            until_warm_ns: args.until_warm.at_most_ns(),
        },
        input: (),
        seed: args.result.seed(),
        destination: args.result.destination(),
        safety: &args.safety,
        meter: &args.meter,
    })
}
