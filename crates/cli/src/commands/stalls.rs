//! `drivelab stalls`.

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::read_back::StreamNumber;
use drivelab_kinds::stalls::{Stalls, StallsSettings};
use drivelab_runner::{Ending, Failure, TargetName, run_test, unix_nanos};
use drivelab_workload::Seed;

use super::after_crash::{self, AfterCrash};
use super::shared_args::SharedArgs;
use crate::args::StallsArgs;

/// Writes a stream, reads it back, and shows its delays; or verifies what an earlier run had acknowledged.
pub fn main(args: &StallsArgs) -> Result<Ending, Failure> {
    if let Some(folder) = &args.after_crash.verify_after_crash {
        return after_crash::main::<Stalls>(&AfterCrash {
            target: &args.target,
            folder,
            destination: args.result.destination(),
            is_json: args.result.is_json(),
            safety: &args.safety,
        });
    }
    let target = TargetName::parse(&args.target)?;
    if args.device_times && matches!(target, TargetName::Simulated(_)) {
        let text = "--device-times goes with a real drive: the kernel has no requests of a simulated one";
        return Err(Failure::Usage(text.to_owned()));
    }
    let settings = settings(args, &target);
    let shared = SharedArgs::new(&args.result, &args.safety, &args.meter);
    run_test::<Stalls>(&shared.request(&args.target, settings, ()))
}

fn settings(args: &StallsArgs, target: &TargetName) -> StallsSettings {
    StallsSettings {
        block_bytes: args.block_size.size().get(),
        range: args.range.typed(),
        bytes: args.bytes.map(ByteCount::get),
        duration_ns: args.duration.map(Nanos::get),
        rate_bytes_s: args.byte_rate(),
        queue_depth: args.queue_depth.depth(),
        verify: args.verify.read_back(),
        device_times: args.device_times,
        until_warm_ns: args.until_warm.at_most_ns(),
        stream_rates_bytes_s: args.stream_rate.clone(),
        stream: number_of_run(target, args.result.seed(), "stalls"),
        on_drive: None,
    }
}

/// What tells the blocks of a run with this seed from those of every other.
pub fn number_of_run(target: &TargetName, seed: u64, kind: &'static str) -> StreamNumber {
    let seed = Seed::new(seed);
    let number = match target {
        TargetName::Simulated(_) => seed.child(kind),
        // Blocks of an earlier run with the same seed must not pass for this one's.
        TargetName::Path(_) => seed.numbered(unix_nanos()),
    };
    StreamNumber(number.get())
}
