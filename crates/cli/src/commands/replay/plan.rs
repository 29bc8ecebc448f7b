//! From arguments to the plan of a replay, and to what its manifest says.

use drivelab_block::{DeviceId, Nanos};
use drivelab_method::replay::{Choice, FillWhat, Map, REPLAY_PHASE, ReplayPlan, Speed, Survey, Timing};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, MeasuredPhases};
use drivelab_runner::Failure;
use drivelab_settings::{AddressMapping, Prefill, ReplaySettings, ReplayTiming, Settings};
use drivelab_trace::{Measured, TraceManifest};

use crate::args::{MapArg, Precondition, ReplayArgs, TimingArg};

/// The plan, as far as it can be judged without reading the trace.
pub fn of(args: &ReplayArgs, trace: &TraceManifest) -> Result<ReplayPlan, Failure> {
    let wrong = |text: &str| Err(Failure::Usage(text.to_owned()));
    if args.timing == TimingArg::Unpaced && (args.speed.is_some() || args.max_idle.is_some()) {
        return wrong(
            "--speed and --max-idle go with --timing recorded or dependent: unpaced keeps no times",
        );
    }
    Ok(ReplayPlan {
        choice: Choice {
            device: args.trace_device.as_deref().map(|name| device(name, trace)).transpose()?,
            writes: !args.no_writes,
            discards: !(args.no_writes || args.no_discards),
            duration: args.duration,
        },
        timing: match args.timing {
            TimingArg::Recorded => Timing::Recorded,
            TimingArg::Dependent => Timing::Dependent,
            TimingArg::Unpaced => Timing::Unpaced,
        },
        speed: args.speed.unwrap_or(Speed::ONE),
        max_idle: args.max_idle,
        map: match args.map {
            MapArg::Identity => Map::Identity,
            MapArg::Compact => Map::Compact,
        },
        depth_limit: args.queue_depth,
        fill: match args.precondition {
            Precondition::Fill => Some(FillWhat::Touched),
            Precondition::FillAll => Some(FillWhat::Target),
            Precondition::None | Precondition::Random(_) => None,
        },
    })
}

/// The most names that are listed.
const NAMES: usize = 8;

/// The device of this name.
fn device(name: &str, trace: &TraceManifest) -> Result<DeviceId, Failure> {
    let place = trace.devices.iter().position(|device| device.name == name);
    place.and_then(|place| u16::try_from(place).ok()).map(DeviceId).ok_or_else(|| {
        let mut names: Vec<&str> =
            trace.devices.iter().take(NAMES).map(|device| device.name.as_str()).collect();
        if trace.devices.len() > NAMES {
            names.push("...");
        }
        Failure::Usage(format!("--trace-device {name}: the trace has {}", names.join(", ")))
    })
}

/// What the durations of the devices span that are replayed.
pub fn measured(trace: &TraceManifest, survey: &Survey) -> String {
    let of = |device: &DeviceId| trace.devices.get(usize::from(device.0)).map(|device| device.measured);
    let mut spans = survey.devices.iter().filter_map(of).filter(|span| *span != Measured::Nothing);
    let Some(first) = spans.next() else { return Measured::Nothing.name().to_owned() };
    if spans.all(|span| span == first) { first.name().to_owned() } else { "mixed".to_owned() }
}

/// The word of the timing.
pub fn timing(args: &ReplayArgs) -> String {
    format!("{:?}", args.timing).to_lowercase()
}

/// The word of the map.
pub fn map(args: &ReplayArgs) -> String {
    format!("{:?}", args.map).to_lowercase()
}

/// What the replay is asked to do.
fn settings(args: &ReplayArgs, depth_limit: u32) -> Settings {
    Settings::Replay(ReplaySettings {
        trace: args.trace.display().to_string(),
        timing: match args.timing {
            TimingArg::Recorded => ReplayTiming::Recorded,
            TimingArg::Dependent => ReplayTiming::Dependent,
            TimingArg::Unpaced => ReplayTiming::Unpaced,
        },
        speed: args.speed.unwrap_or(Speed::ONE).factor(),
        max_idle_ns: args.max_idle.map(Nanos::get),
        map: match args.map {
            MapArg::Identity => AddressMapping::Identity,
            MapArg::Compact => AddressMapping::Compact,
        },
        device: args.trace_device.clone(),
        duration_ns: args.duration.map(Nanos::get),
        queue_depth: depth_limit,
        writes: !args.no_writes,
        discards: !(args.no_writes || args.no_discards),
        fill: match args.precondition {
            Precondition::Fill => Some(Prefill::Touched),
            Precondition::FillAll => Some(Prefill::Target),
            Precondition::None | Precondition::Random(_) => None,
        },
        compressibility_percent: args.compressibility.percent(),
    })
}

/// The manifest of a replay before its first I/O.
pub fn manifest(
    args: &ReplayArgs,
    depth_limit: u32,
    drive: Drive,
    conditions: Vec<Condition>,
    started_unix_s: Option<u64>,
) -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        method: "replay".to_owned(),
        label: format!("{} on {}", args.trace.display(), args.target),
        target: args.target.clone(),
        drive,
        seed: args.result.seed(),
        started_unix_s,
        measured: Some(MeasuredPhases::Phase(REPLAY_PHASE.to_owned())),
        settings: settings(args, depth_limit).to_value(),
        conditions,
        notices: Vec::new(),
        phases: Vec::new(),
        outcome: None,
    }
}
