//! From arguments to the plan of a load, and to what its manifest says.

use drivelab_block::{ByteCount, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, Pace, StopRule};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, MeasuredPhases};
use drivelab_runner::Failure;
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
    let duration = args.duration.or(args.bytes.is_none().then_some(DEFAULT_DURATION));
    let plan = LoadPlan {
        name: name(args),
        order,
        mix,
        block_size: args.block_size,
        range: args.address_range.on(geometry),
        queue_depth: args.queue_depth,
        workers: args.workers,
        pace: args.rate.map_or(Pace::Closed, |rate| Pace::Open { rate, arrivals: arrivals(args) }),
        stop: StopRule { duration, bytes: args.bytes },
        seed: Seed::new(args.seed),
    };
    plan.phase(geometry, false)?;
    Ok(plan)
}

/// What a load is called: the word that asks for it.
pub fn name(args: &LoadArgs) -> String {
    format!("{:?}", args.rw).to_lowercase()
}

fn order_and_mix(args: &LoadArgs) -> (Order, Mix) {
    match args.rw {
        ReadWrite::Randread => (Order::Uniform, Mix::Only(Op::Read)),
        ReadWrite::Randwrite => (Order::Uniform, Mix::Only(Op::Write)),
        ReadWrite::Randrw => (Order::Uniform, Mix::ReadPercent(args.read_percent.unwrap_or(50))),
        ReadWrite::Read => (Order::Sequential, Mix::Only(Op::Read)),
        ReadWrite::Write => (Order::Sequential, Mix::Only(Op::Write)),
        ReadWrite::Discard => (Order::Sequential, Mix::Only(Op::Discard)),
        ReadWrite::Flush => (Order::Sequential, Mix::Only(Op::Flush)),
    }
}

fn arrivals(args: &LoadArgs) -> Arrivals {
    match args.arrivals {
        ArrivalArg::Regular => Arrivals::Regular,
        ArrivalArg::Poisson => Arrivals::Poisson,
    }
}

/// The manifest of a load before its first I/O.
pub fn manifest(
    args: &LoadArgs,
    drive: Drive,
    conditions: Vec<Condition>,
    started_unix_s: Option<u64>,
    range: (ByteCount, ByteCount),
) -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        method: "load".to_owned(),
        label: args.target.clone(),
        target: args.target.clone(),
        drive,
        seed: args.seed,
        started_unix_s,
        measured: Some(MeasuredPhases::Phase(name(args))),
        settings: serde_json::json!({
            "rw": name(args),
            "read_percent": args.read_percent,
            "block_size_bytes": args.block_size.get(),
            "range_bytes": [range.0.get(), range.1.get()],
            "duration_ns": args.duration.map(Nanos::get),
            "bytes": args.bytes.map(ByteCount::get),
            "cpus": args.cpus.0,
            "compressibility_percent": args.compressibility,
            "queue_depth": args.queue_depth,
            "workers": args.workers,
            "rate": args.rate,
            "arrivals": args.rate.map(|_| format!("{:?}", args.arrivals).to_lowercase()),
        }),
        conditions,
        notices: Vec::new(),
        phases: Vec::new(),
        outcome: None,
    }
}
