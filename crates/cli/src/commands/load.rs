//! `drivelab load`.

use drivelab_block::{ByteCount, Nanos};
use drivelab_runner::{Ending, Failure, TestRequest, run_test};
use drivelab_tests::load::{Load, LoadSettings, Operation, Spacing};

use crate::args::{ArrivalArg, LoadArgs, ReadWrite};

/// How long a load lasts where nothing else ends it.
const DEFAULT_DURATION: Nanos = Nanos::from_secs(10);

/// Loads a target and shows how it answered.
pub fn main(args: &LoadArgs) -> Result<Ending, Failure> {
    let operation = args.rw.operation(args.read_percent).map_err(Failure::Usage)?;
    if args.rw == ReadWrite::Flush && args.bytes.is_some() {
        return Err(Failure::Usage("--bytes: flushes move none: say how long with --duration".to_owned()));
    }
    let destination = args.result.destination();
    run_test::<Load>(&TestRequest {
        target: &args.target,
        settings: settings(args, operation),
        input: (),
        seed: args.result.seed(),
        destination,
        safety: &args.safety,
        meter: &args.meter,
    })
}

fn settings(args: &LoadArgs, operation: Operation) -> LoadSettings {
    let spacing = match args.arrivals {
        ArrivalArg::Regular => Spacing::Regular,
        ArrivalArg::Poisson => Spacing::Poisson,
    };
    let duration = args.duration.or(args.bytes.is_none().then_some(DEFAULT_DURATION));
    LoadSettings {
        operation,
        block_size_bytes: args.block_size.size().get(),
        queue_depth: args.queue_depth.depth(),
        threads: args.threads,
        rate: args.ios(),
        arrivals: args.rate.map(|_| spacing),
        range: args.range.typed(),
        duration_ns: duration.map(Nanos::get),
        bytes: args.bytes.map(ByteCount::get),
        compressibility_percent: args.compressibility.percent(),
        cpus: args.cpus.0.clone(),
    }
}
