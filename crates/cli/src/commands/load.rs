//! `drivelab load`.

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::load::{Load, LoadSettings, LoadVerification, Operation};
use drivelab_kinds::read_back::ReadBack;
use drivelab_runner::{Ending, Failure, Printed, RunTest as _, TargetName, usage};

use super::after_crash::{self, number_of_run};
use crate::args::LoadArgs;

/// How long a load lasts where nothing else ends it.
const DEFAULT_DURATION: Nanos = Nanos::from_secs(10);

/// Loads a target and shows how it answered.
pub fn main(args: &LoadArgs) -> Result<Ending, Failure> {
    if let Some(folder) = &args.after_crash.verify_after_crash {
        return after_crash::main::<Load>(&args.test, folder);
    }
    let operation = args.operation.operation()?;
    if args.operation.rw == Operation::Flush && args.bytes.is_some() {
        return Err(usage!("--bytes: flushes move none: say how long with --duration"));
    }
    if args.fio_json && args.operation.rw == Operation::Flush {
        return Err(usage!("--fio-json: fio has no job of flushes alone: use --json"));
    }
    let verify = verification(args, operation)?;
    let settings = LoadSettings { verify, ..settings(args, operation) };
    let mut request = args.test.request::<Load>(settings, ());
    if args.fio_json {
        request.destination.printed = Printed::FioOutput;
    }
    Load::run(&request)
}

pub fn settings(args: &LoadArgs, operation: Operation) -> LoadSettings {
    let duration = args.duration.or(args.bytes.is_none().then_some(DEFAULT_DURATION));
    LoadSettings {
        operation,
        block_size_bytes: args.block_size.size.get(),
        queue_depth: args.queue_depth.depth,
        threads: args.threads,
        rate: args.rate.map(|rate| rate.ios(args.block_size.size)),
        arrivals: args.rate.map(|_| args.arrivals),
        range: args.range.typed,
        duration_ns: duration.map(Nanos::get),
        bytes: args.bytes.map(ByteCount::get),
        compressibility_percent: args.compressibility.percent,
        cpus: args.cpus.0.clone(),
        until_warm_ns: args.until_warm.at_most.map(Nanos::get),
        verify: None,
    }
}

/// How the load is verified; none where that is not asked for.
fn verification(args: &LoadArgs, operation: Operation) -> Result<Option<LoadVerification>, Failure> {
    let read_back = args.verify.read_back;
    if read_back == ReadBack::No {
        return match args.flush_every {
            Some(_) => Err(usage!("--flush-every goes with --verify end or --verify continuous")),
            None => Ok(None),
        };
    }
    let refused = match operation {
        Operation::Randwrite => None,
        Operation::Write => Some("drivelab stalls verifies writes in sequence".to_owned()),
        Operation::Randread | Operation::Read | Operation::Flush | Operation::Discard => {
            Some(format!("--rw {} writes nothing that could be verified", operation.word()))
        }
        Operation::Randrw { .. } => Some("--verify continuous adds reads of what was written".to_owned()),
    };
    if let Some(why) = refused {
        return Err(usage!("--verify goes with --rw randwrite: {why}"));
    }
    if args.compressibility.percent > 0 {
        return Err(usage!(
            "--compressibility does not go with --verify: self-describing blocks cannot be compressed"
        ));
    }
    if args.rate.is_some() && (read_back == ReadBack::Continuous || args.flush_every.is_some()) {
        return Err(usage!(
            "--rate goes with --verify end and without --flush-every: it is that of the writes alone"
        ));
    }
    let target = TargetName::parse(&args.test.target)?;
    let boot = match target {
        TargetName::Simulated(_) => None,
        TargetName::Path(_) => after_crash::this_boot(),
    };
    Ok(Some(LoadVerification {
        read_back,
        flush_every: args.flush_every,
        blocks: number_of_run(&target, args.test.options.result.seed.number, "load"),
        boot,
        on_drive: None,
    }))
}
