//! From arguments to the plan of a stream, and to what its manifest says.

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_method::stalls::{ReadBack, StallsPlan};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, MeasuredPhases};
use drivelab_runner::Failure;
use drivelab_settings::{Settings, StallsSettings, VerifyWhen};
use drivelab_verify::RunId;

use super::Planned;
use crate::args::{StallsArgs, VerifyArg};

/// How often the range is written where nothing else ends the stream.
const ROUNDS: u64 = 4;

/// The plan, checked against a target of this geometry, and the blocks that it writes.
pub fn of(args: &StallsArgs, geometry: &Geometry) -> Result<Planned, Failure> {
    let range = args.range.on(geometry);
    let mut plan = StallsPlan {
        block_size: args.block_size.size(),
        range,
        bytes: args.bytes,
        duration: args.duration,
        rate: args.byte_rate(),
        queue_depth: args.queue_depth.depth(),
        read_back: match args.verify {
            VerifyArg::Continuous => ReadBack::Continuous,
            VerifyArg::End => ReadBack::End,
            VerifyArg::No => ReadBack::No,
        },
    };
    let span = plan.check(geometry).map_err(|error| Failure::Usage(error.to_string()))?;
    if plan.bytes.is_none() && plan.duration.is_none() {
        plan.bytes = Some(ByteCount::new(span.bytes().get() * ROUNDS));
    }
    Ok((plan, span))
}

/// What the stream is asked to be, and what reading it back takes.
fn settings(args: &StallsArgs, (plan, geometry, run): (&StallsPlan, &Geometry, RunId)) -> Settings {
    Settings::Stalls(StallsSettings {
        block_bytes: plan.block_size.get(),
        logical_block_bytes: geometry.logical_block,
        range: Some(args.range.asked(geometry)),
        range_bytes: [plan.range.0.get(), plan.range.1.get()],
        bytes: plan.bytes.map(ByteCount::get),
        duration_ns: plan.duration.map(Nanos::get),
        rate_bytes_s: plan.rate,
        queue_depth: plan.queue_depth,
        verify: match args.verify {
            VerifyArg::Continuous => VerifyWhen::Continuous,
            VerifyArg::End => VerifyWhen::End,
            VerifyArg::No => VerifyWhen::No,
        },
        stream_rates_bytes_s: args.stream_rate.clone(),
        run: run.0,
    })
}

/// The manifest of a stream before its first write.
pub fn manifest(
    args: &StallsArgs,
    (plan, geometry, run): (&StallsPlan, &Geometry, RunId),
    drive: Drive,
    conditions: Vec<Condition>,
    started_unix_s: Option<u64>,
) -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        method: crate::kept_stream::METHOD.to_owned(),
        label: args.target.clone(),
        target: args.target.clone(),
        drive,
        seed: args.seed.number(),
        started_unix_s,
        measured: Some(MeasuredPhases::Phase(plan.writing().name)),
        settings: settings(args, (plan, geometry, run)).to_value(),
        conditions,
        notices: Vec::new(),
        phases: Vec::new(),
        outcome: None,
    }
}
