//! The commands of the tests whose settings are their arguments.

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::FlashOverProvisioning;
use drivelab_kinds::fill::{Fill, FillSettings};
use drivelab_kinds::load::Operation;
use drivelab_kinds::offered_load::{LoadOption, OfferedLoad, OfferedLoadSettings};
use drivelab_kinds::pts::{Pts, PtsPrecondition, PtsSettings};
use drivelab_kinds::quick::{Quick, QuickSettings};
use drivelab_kinds::stalls::{Stalls, StallsSettings};
use drivelab_kinds::trim::{Trim, TrimPrecondition, TrimSettings};
use drivelab_kinds::wake::{Wake, WakeSettings};
use drivelab_kinds::working_set::{WorkingSet, WorkingSetSettings};
use drivelab_runner::{Ending, Failure, RunTest, TargetName, find_over_provisioning, usage};

use super::after_crash::{self, number_of_run};
use super::folders::check_once;
use crate::args::{
    FillArgs, OfferedLoadArgs, Precondition, PtsArgs, QuickArgs, StallsArgs, TestArgs, TrimArgs, WakeArgs,
    WorkingSetArgs,
};

/// How long random writes last where nothing else is said.
const TRIM_PRECONDITIONING: Nanos = Nanos::from_secs(30 * 60);
/// How often they write the range at most then: a drive keeps back less flash than the range is long, and what comes after
/// that is written to blocks that were written before.
const TRIM_PASSES_MAX: u32 = 4;

fn run<T: RunTest<Input = ()>>(test: &TestArgs, settings: T::Settings) -> Result<Ending, Failure> {
    T::run(&test.request(settings, ()))
}

/// Runs a quick test.
pub fn run_quick(args: &QuickArgs) -> Result<Ending, Failure> {
    let mut request = args.test.request::<Quick>(QuickSettings { write: args.write }, ());
    request.destination.page = args.report.as_deref();
    Quick::run(&request)
}

/// Reads a drive after rests.
pub fn run_wake(args: &WakeArgs) -> Result<Ending, Failure> {
    let mut rests_ns: Vec<u64> = args.rests.iter().copied().map(Nanos::get).collect();
    rests_ns.sort_unstable();
    rests_ns.dedup();
    run::<Wake>(&args.test, WakeSettings { rests_ns, runs: args.runs, range: args.range.typed })
}

/// Reads growing parts of a drive.
pub fn run_working_set(args: &WorkingSetArgs) -> Result<Ending, Failure> {
    run::<WorkingSet>(
        &args.test,
        WorkingSetSettings {
            range: args.cells.range.typed,
            block_size_bytes: args.block_size.size.get(),
            queue_depth: args.queue_depth.depth,
            cell_duration_ns: args.cells.cell_duration.get(),
            fill: args.cells.precondition == Precondition::Fill,
            until_warm_ns: args.cells.until_warm.at_most.map(Nanos::get),
        },
    )
}

pub fn run_offered_load(args: &OfferedLoadArgs) -> Result<Ending, Failure> {
    if matches!(args.operation.rw, Operation::Discard | Operation::Flush) {
        return Err(usage!(
            "--rw of offered-load is a read or a write: write randread, randwrite, randrw, read or write"
        ));
    }
    run::<OfferedLoad>(
        &args.test,
        OfferedLoadSettings {
            operation: args.operation.operation()?,
            range: args.cells.range.typed,
            block_size_bytes: args.block_size.size.get(),
            queue_depth: args.queue_depth.depth,
            loads: loads(args)?,
            cell_duration_ns: args.cells.cell_duration.get(),
            limit_ns: args.limit.map(Nanos::get),
            fill: args.cells.precondition == Precondition::Fill,
            until_warm_ns: args.cells.until_warm.at_most.map(Nanos::get),
        },
    )
}

/// The loads: shares in rising order, then rates in rising order, so that what was asked for alike is alike.
fn loads(args: &OfferedLoadArgs) -> Result<Vec<LoadOption>, Failure> {
    let key = |load: &LoadOption| match load {
        LoadOption::Percent(percent) => (false, *percent),
        LoadOption::Iops(iops) => (true, *iops),
    };
    let mut loads: Vec<LoadOption> = args.loads.iter().map(|load| load.asked(args.block_size.size)).collect();
    loads.sort_by(|one, other| {
        let ((one_is_rate, one), (other_is_rate, other)) = (key(one), key(other));
        one_is_rate.cmp(&other_is_rate).then(one.total_cmp(&other))
    });
    check_once("--loads", &loads)?;
    Ok(loads)
}

/// Writes a drive from its first byte to its last, and again after rests.
pub fn run_fill(args: &FillArgs) -> Result<Ending, Failure> {
    check_once("--rests", &args.rests)?;
    check_once("--filled", &args.filled)?;
    let filled_percent = match (args.rests.is_empty(), args.filled.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => vec![0.0],
        (false, false) => args.filled.clone(),
    };
    run::<Fill>(
        &args.test,
        FillSettings {
            range: args.range.typed,
            bytes: args.bytes.map(ByteCount::get),
            block_size_bytes: args.block_size.size.get(),
            queue_depth: args.queue_depth.depth,
            purge: args.purge.asked,
            rests_ns: args.rests.iter().copied().map(Nanos::get).collect(),
            filled_percent,
            compressibility_percent: args.compressibility.percent,
            until_warm_ns: args.until_warm.at_most.map(Nanos::get),
        },
    )
}

/// Tries whether TRIM makes a used drive fast again.
pub fn run_trim(args: &TrimArgs) -> Result<Ending, Failure> {
    let flash_over_provisioning = find_flash_over_provisioning(args.precondition, &args.test.target)?;
    let preconditioning = args.precondition.map_or(TRIM_PRECONDITIONING, Precondition::random_time);
    run::<Trim>(
        &args.test,
        TrimSettings {
            precondition: match args.precondition {
                Some(Precondition::OnePass(_)) => TrimPrecondition::OnePass,
                _ => TrimPrecondition::Random,
            },
            flash_over_provisioning,
            preconditioning_ns: preconditioning.get(),
            preconditioning_passes_max: args.precondition.is_none().then_some(TRIM_PASSES_MAX),
            rounds: args.runs,
            purge: args.purge.asked,
            range: args.range.typed,
        },
    )
}

pub fn run_pts(args: &PtsArgs) -> Result<Ending, Failure> {
    let flash_over_provisioning = find_flash_over_provisioning(args.precondition, &args.test.target)?;
    let settings = PtsSettings {
        tests: args.tests.concat(),
        cell_duration_ns: args.cell_duration.get(),
        queue_depth: args.queue_depth.depth,
        purge: args.purge.asked,
        precondition: match args.precondition {
            Some(_) => PtsPrecondition::OnePass,
            None => PtsPrecondition::FillTwice,
        },
        flash_over_provisioning,
        range: args.range.typed,
    };
    Pts::run(&args.test.request(settings, ()))
}

/// Writes a stream, reads it back, and shows its delays; or verifies what an earlier run had acknowledged.
pub fn run_stalls(args: &StallsArgs) -> Result<Ending, Failure> {
    if let Some(folder) = &args.after_crash.verify_after_crash {
        return after_crash::main::<Stalls>(&args.test, folder);
    }
    let target = TargetName::parse(&args.test.target)?;
    if args.device_times && matches!(target, TargetName::Simulated(_)) {
        return Err(usage!(
            "--device-times goes with a real drive: the kernel has no requests of a simulated one"
        ));
    }
    run::<Stalls>(
        &args.test,
        StallsSettings {
            block_bytes: args.block_size.size.get(),
            range: args.range.typed,
            bytes: args.bytes.map(ByteCount::get),
            duration_ns: args.duration.map(Nanos::get),
            rate_bytes_s: args.rate.map(|rate| rate.bytes(args.block_size.size)),
            queue_depth: args.queue_depth.depth,
            verify: args.verify.read_back,
            device_times: args.device_times,
            until_warm_ns: args.until_warm.at_most.map(Nanos::get),
            stream_rates_bytes_s: args.stream_rate.clone(),
            stream: number_of_run(&target, args.test.options.result.seed.number, "stalls"),
            on_drive: None,
        },
    )
}

/// What is known of the target's over-provisioning, given or found; none where one pass was not asked for. Refused where the
/// target has no flash, or is not a whole drive and nothing was given.
pub fn find_flash_over_provisioning(
    asked: Option<Precondition>,
    target: &str,
) -> Result<Option<FlashOverProvisioning>, Failure> {
    match asked {
        Some(Precondition::OnePass(given)) => find_over_provisioning(target, given).map(Some),
        _ => Ok(None),
    }
}
