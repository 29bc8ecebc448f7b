//! `drivelab stalls`.

mod resume;

use drivelab_block::{ByteCount, Nanos};
use drivelab_runner::{Ending, Failure, TargetName, TestRequest, run_test, unix_nanos};
use drivelab_tests::stalls::{ReadBack, Stalls, StallsSettings, StreamNumber};
use drivelab_workload::Seed;

use crate::args::{StallsArgs, VerifyArg};

/// Writes a stream, reads it back, and shows its delays; or verifies what an earlier run had acknowledged.
pub fn main(args: &StallsArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    if let Some(folder) = &args.verify_after_crash {
        return resume::main(args, &target, folder);
    }
    if args.device_times && matches!(target, TargetName::Simulated(_)) {
        let text = "--device-times goes with a real drive: the kernel has no requests of a simulated one";
        return Err(Failure::Usage(text.to_owned()));
    }
    run_test::<Stalls>(&TestRequest {
        target: &args.target,
        settings: settings(args, &target),
        input: (),
        seed: args.result.seed(),
        destination: args.result.destination(),
        safety: &args.safety,
        meter: &args.meter,
    })
}

fn settings(args: &StallsArgs, target: &TargetName) -> StallsSettings {
    let seed = Seed::new(args.result.seed());
    let stream = match target {
        TargetName::Simulated(_) => seed.child("stalls"),
        // Blocks of an earlier run with the same seed must not pass for this one's.
        TargetName::Path(_) => seed.numbered(unix_nanos()),
    };
    StallsSettings {
        block_bytes: args.block_size.size().get(),
        range: args.range.typed(),
        bytes: args.bytes.map(ByteCount::get),
        duration_ns: args.duration.map(Nanos::get),
        rate_bytes_s: args.byte_rate(),
        queue_depth: args.queue_depth.depth(),
        verify: match args.verify {
            VerifyArg::Continuous => ReadBack::Continuous,
            VerifyArg::End => ReadBack::End,
            VerifyArg::No => ReadBack::No,
        },
        device_times: args.device_times,
        stream_rates_bytes_s: args.stream_rate.clone(),
        stream: StreamNumber(stream.get()),
        on_drive: None,
    }
}
