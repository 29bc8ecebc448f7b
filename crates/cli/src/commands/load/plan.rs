//! From arguments to the plan of a load, and to what its manifest says.

use drivelab_block::{ByteCount, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, Pace, StopRule};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, MeasuredPhases};
use drivelab_runner::Failure;
use drivelab_settings::{LoadSettings, Operation, Settings, Spacing};
use drivelab_workload::{Arrivals, Mix, Order, Seed};

use crate::args::{ArrivalArg, LoadArgs, ReadWrite};

/// How long a load lasts where nothing else ends it.
const DEFAULT_DURATION: Nanos = Nanos::from_secs(10);

/// Whether the load changes what the target holds.
pub fn writes(args: &LoadArgs) -> bool {
    let reads_only = matches!(args.rw, ReadWrite::Randread | ReadWrite::Read | ReadWrite::Flush);
    !reads_only && args.read_percent != Some(100)
}

/// Whether it reads.
pub fn reads(args: &LoadArgs) -> bool {
    matches!(args.rw, ReadWrite::Randread | ReadWrite::Read | ReadWrite::Randrw)
        && args.read_percent != Some(0)
}

/// The plan, checked against a target of this geometry.
pub fn of(args: &LoadArgs, geometry: &Geometry) -> Result<LoadPlan, Failure> {
    let (order, mix) = order_and_mix(args);
    let plan = LoadPlan {
        name: name(args),
        order,
        mix,
        block_size: args.block_size.size(),
        range: args.range.on(geometry),
        queue_depth: args.queue_depth.depth(),
        workers: args.threads,
        pace: args.ios().map_or(Pace::Closed, |rate| Pace::Open { rate, arrivals: arrivals(args) }),
        stop: StopRule { duration: duration(args), bytes: args.bytes },
        seed: Seed::new(args.result.seed()),
    };
    plan.phase(geometry, false)?;
    Ok(plan)
}

/// What a load is called: the word that asks for it.
pub fn name(args: &LoadArgs) -> String {
    format!("{:?}", args.rw).to_lowercase()
}

fn duration(args: &LoadArgs) -> Option<Nanos> {
    args.duration.or(args.bytes.is_none().then_some(DEFAULT_DURATION))
}

fn order_and_mix(args: &LoadArgs) -> (Order, Mix) {
    match args.rw {
        ReadWrite::Randread => (Order::Uniform, Mix::Only(Op::Read)),
        ReadWrite::Randwrite => (Order::Uniform, Mix::Only(Op::Write)),
        ReadWrite::Randrw => (Order::Uniform, Mix::ReadPercent(read_percent(args))),
        ReadWrite::Read => (Order::Sequential, Mix::Only(Op::Read)),
        ReadWrite::Write => (Order::Sequential, Mix::Only(Op::Write)),
        ReadWrite::Discard => (Order::Sequential, Mix::Only(Op::Discard)),
        ReadWrite::Flush => (Order::Sequential, Mix::Only(Op::Flush)),
    }
}

/// The share of reads of a load that mixes them with writes.
fn read_percent(args: &LoadArgs) -> u8 {
    args.read_percent.unwrap_or(50)
}

fn arrivals(args: &LoadArgs) -> Arrivals {
    match args.arrivals {
        ArrivalArg::Regular => Arrivals::Regular,
        ArrivalArg::Poisson => Arrivals::Poisson,
    }
}

/// What the load is asked to do on a target of this geometry.
fn settings(args: &LoadArgs, geometry: &Geometry) -> Settings {
    let spacing = match args.arrivals {
        ArrivalArg::Regular => Spacing::Regular,
        ArrivalArg::Poisson => Spacing::Poisson,
    };
    Settings::Load(LoadSettings {
        operation: match args.rw {
            ReadWrite::Randread => Operation::Randread,
            ReadWrite::Randwrite => Operation::Randwrite,
            ReadWrite::Randrw => Operation::random(read_percent(args)),
            ReadWrite::Read => Operation::Read,
            ReadWrite::Write => Operation::Write,
            ReadWrite::Discard => Operation::Discard,
            ReadWrite::Flush => Operation::Flush,
        },
        block_size_bytes: args.block_size.size().get(),
        queue_depth: args.queue_depth.depth(),
        threads: args.threads,
        rate: args.ios(),
        arrivals: args.rate.map(|_| spacing),
        range: args.range.asked(geometry),
        duration_ns: duration(args).map(Nanos::get),
        bytes: args.bytes.map(ByteCount::get),
        compressibility_percent: args.compressibility.percent(),
        cpus: args.cpus.0.clone(),
    })
}

/// The manifest of a load before its first I/O.
pub fn manifest(
    args: &LoadArgs,
    drive: Drive,
    conditions: Vec<Condition>,
    started_unix_s: Option<u64>,
    geometry: &Geometry,
) -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        method: "load".to_owned(),
        label: args.target.clone(),
        target: args.target.clone(),
        drive,
        seed: args.result.seed(),
        started_unix_s,
        measured: Some(MeasuredPhases::Phase(name(args))),
        settings: settings(args, geometry).to_value(),
        conditions,
        notices: Vec::new(),
        phases: Vec::new(),
        outcome: None,
    }
}
