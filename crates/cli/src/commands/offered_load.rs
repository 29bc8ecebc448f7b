//! `drivelab offered-load`.

use drivelab_block::Nanos;
use drivelab_kinds::offered_load::{LoadOption, OfferedLoad, OfferedLoadSettings};
use drivelab_runner::{Ending, Failure, run_test};

use super::named_once::check_once;
use super::shared_args::SharedArgs;
use crate::args::{OfferedLoadArgs, Precondition, ReadWrite};

/// Measures response times at given loads.
pub fn main(args: &OfferedLoadArgs) -> Result<Ending, Failure> {
    if matches!(args.rw, ReadWrite::Discard | ReadWrite::Flush) {
        let text =
            "--rw of offered-load is a read or a write: write randread, randwrite, randrw, read or write";
        return Err(Failure::Usage(text.to_owned()));
    }
    let settings = OfferedLoadSettings {
        operation: args.rw.operation(args.read_percent).map_err(Failure::Usage)?,
        range: args.range.typed(),
        block_size_bytes: args.block_size.size().get(),
        queue_depth: args.queue_depth.depth(),
        loads: loads(args)?,
        cell_duration_ns: args.cell_duration.get(),
        limit_ns: args.limit.map(Nanos::get),
        fill: args.precondition == Precondition::Fill,
        until_warm_ns: args.until_warm.at_most_ns(),
    };
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_test::<OfferedLoad>(&shared.request(&args.target, settings, ()))
}

/// The loads: shares in rising order, then rates in rising order, so that what was asked for alike is alike.
fn loads(args: &OfferedLoadArgs) -> Result<Vec<LoadOption>, Failure> {
    let key = |load: &LoadOption| match load {
        LoadOption::Percent(percent) => (false, *percent),
        LoadOption::Iops(iops) => (true, *iops),
    };
    let mut loads: Vec<LoadOption> =
        args.loads.iter().map(|load| load.asked(args.block_size.size())).collect();
    loads.sort_by(|one, other| {
        let ((one_is_rate, one), (other_is_rate, other)) = (key(one), key(other));
        one_is_rate.cmp(&other_is_rate).then(one.total_cmp(&other))
    });
    check_once("--loads", &loads)?;
    Ok(loads)
}
