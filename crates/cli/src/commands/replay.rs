//! `drivelab replay`.

use std::path::Path;
use std::sync::Arc;

use drivelab_block::Nanos;
use drivelab_method::replay::Speed;
use drivelab_record::is_run_folder;
use drivelab_runner::{
    Ending, Failure, NamedTarget, TargetName, TestRequest, check_meter, output, run_test, signals,
};
use drivelab_tests::replay::{
    AddressMapping, Replay, ReplayPrecondition, ReplaySettings, ReplayTiming, SurveyedTrace,
};
use drivelab_trace::{TraceSource, is_trace_folder};

use crate::args::{MapArg, Precondition, ReplayArgs, TimingArg};

/// Makes the requests of a trace again on a target, and shows how it answered.
pub fn main(args: &ReplayArgs) -> Result<Ending, Failure> {
    let settings = settings(args)?;
    check_order(args)?;
    let name = TargetName::parse(&args.target)?;
    check_meter(&args.meter, std::slice::from_ref(&name))?;
    let trace = TraceSource::open(&args.trace, &settings.phases)?;
    let geometry = NamedTarget::look_up(name)?.geometry(args.safety.file_size);
    let interrupt = signals::interrupt()?;
    let trace = SurveyedTrace::read(trace, &settings, geometry.as_ref(), &mut || !interrupt.is_raised())?;
    if !trace.is_whole() {
        output::say("interrupted while the trace was surveyed: nothing was replayed");
        return Ok(Ending::Interrupted);
    }
    run_test::<Replay>(&TestRequest {
        target: &args.target,
        settings: ReplaySettings { trace_digest: trace.digest().to_owned(), ..settings },
        input: Arc::new(trace),
        seed: args.result.seed(),
        destination: args.result.destination(),
        safety: &args.safety,
        meter: &args.meter,
    })
}

/// Refuses a trace and a target that were named in the other order.
fn check_order(args: &ReplayArgs) -> Result<(), Failure> {
    let holds_ios = |path: &Path| is_run_folder(path) || is_trace_folder(path);
    if holds_ios(Path::new(&args.target)) && !holds_ios(&args.trace) {
        return Err(Failure::Usage(format!(
            "the trace comes before the target: write drivelab replay {} {}",
            args.target,
            args.trace.display()
        )));
    }
    Ok(())
}

fn settings(args: &ReplayArgs) -> Result<ReplaySettings, Failure> {
    if args.timing == TimingArg::Unpaced && (args.speed.is_some() || args.max_idle.is_some()) {
        let text = "--speed and --max-idle go with --timing recorded or dependent: unpaced keeps no times";
        return Err(Failure::Usage(text.to_owned()));
    }
    Ok(ReplaySettings {
        trace: args.trace.display().to_string(),
        // It is known when the trace was read.
        trace_digest: String::new(),
        phases: args.phases.request(),
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
        trace_device: args.trace_device.clone(),
        duration_ns: args.duration.map(Nanos::get),
        queue_depth: args.queue_depth,
        writes: !args.no_writes,
        discards: !(args.no_writes || args.no_discards),
        precondition: match args.precondition {
            Precondition::Fill => ReplayPrecondition::Fill,
            Precondition::FillAll => ReplayPrecondition::FillAll,
            Precondition::None | Precondition::Random(_) => ReplayPrecondition::None,
        },
        compressibility_percent: args.compressibility.percent(),
        slow_ns: args.slow.asked().map(Nanos::get),
    })
}
