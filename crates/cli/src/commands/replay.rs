//! `drivelab replay`.

use std::path::Path;
use std::sync::Arc;

use drivelab_block::{Nanos, Op};
use drivelab_kinds::PurgeOption;
use drivelab_kinds::replay::{
    DISCARDS, NAME_OF_READING, Replay, ReplayPrecondition, ReplaySettings, ReplayTiming, SurveyedTrace,
};
use drivelab_method::replay::{Speed, Survey};
use drivelab_record::is_run_folder;
use drivelab_runner::{
    Ending, Failure, NamedTarget, RunTest as _, TargetName, check_flags, check_meter, folder_complaint, say,
    signals, usage,
};
use drivelab_trace::{TraceSource, is_trace_folder};

use crate::args::{Precondition, ReplayArgs};

/// Makes the requests of a trace again on a target, and shows how it answered.
pub fn main(args: &ReplayArgs) -> Result<Ending, Failure> {
    let settings = settings(args)?;
    check_order(args)?;
    let name = TargetName::parse(&args.test.target)?;
    check_meter(&args.test.options.meter, std::slice::from_ref(&name))?;
    let trace = TraceSource::open(&args.trace, &settings.phases)?;
    let mut ahead = ReplayAhead::open_trace(args, &settings, name)?;
    let interrupt = signals::interrupt()?;
    let mut refused = Vec::new();
    let geometry = ahead.target.geometry(args.test.options.safety.file_size);
    let trace = SurveyedTrace::read::<Failure>(trace, &settings, geometry.as_ref(), &mut |survey| {
        refused = ahead.complaints(survey);
        refused.is_empty() && !interrupt.is_raised()
    })?;
    Failure::all(refused)?;
    if !trace.survey.is_whole {
        let by = signals::stopped_in_words();
        say!("{by} while the trace was surveyed: nothing was replayed");
        return Ok(Ending::Interrupted);
    }
    let settings = ReplaySettings { trace_digest: trace.survey.digest.clone(), ..settings };
    Replay::run(&args.test.request(settings, Arc::new(trace)))
}

/// Refuses a trace and a target that were named in the other order.
fn check_order(args: &ReplayArgs) -> Result<(), Failure> {
    let holds_ios = |path: &Path| is_run_folder(path) || is_trace_folder(path);
    if holds_ios(Path::new(&args.test.target)) && !holds_ios(&args.trace) {
        return Err(usage!(
            "the trace comes before the target: write drivelab replay {} {}",
            args.test.target,
            args.trace.display()
        ));
    }
    Ok(())
}

/// What can be checked before the trace is read to its end, which may take minutes.
struct ReplayAhead<'a> {
    args: &'a ReplayArgs,
    target: NamedTarget,
    /// Whether writing to the target is still to be checked: a trace that turns out to read only writes
    /// nothing.
    checks_writing: bool,
    /// Whether it is still to be checked that the target takes discards.
    checks_discards: bool,
}

impl<'a> ReplayAhead<'a> {
    /// Checks what needs nothing of the trace: the flags, the target, and where the result goes.
    fn open_trace(
        args: &'a ReplayArgs,
        settings: &ReplaySettings,
        name: TargetName,
    ) -> Result<ReplayAhead<'a>, Failure> {
        let fills = settings.precondition != ReplayPrecondition::None || settings.purge != PurgeOption::None;
        let reads_only = !settings.writes && !fills;
        let reading = reads_only.then_some(NAME_OF_READING);
        check_flags(&args.test.options.safety, std::slice::from_ref(&name), reading)?;
        let target = NamedTarget::look_up(name)?;
        if reads_only {
            target.check_reading()?;
        }
        // A dry run says at its end, with the plan, what stands against writing and against the folder.
        let is_dry_run = args.test.options.safety.dry_run;
        let ahead =
            ReplayAhead { args, target, checks_writing: !fills && !is_dry_run, checks_discards: true };
        let destination = args.test.options.result.destination();
        destination.check([args.test.target.as_str()])?;
        if is_dry_run {
            return Ok(ahead);
        }
        let folder = destination.folder.and_then(|folder| folder_complaint("-o", folder));
        let writing = if fills { ahead.check_writing().err() } else { None };
        Failure::all(folder.into_iter().chain(writing))?;
        Ok(ahead)
    }

    /// What stands against the target, as soon as the trace is known to write or to discard. Each is checked
    /// once.
    fn complaints(&mut self, survey: &Survey) -> Vec<Failure> {
        let ops = survey.ops();
        let mut complaints = Vec::new();
        if self.checks_discards && ops.contains(Op::Discard) {
            self.checks_discards = false;
            complaints.extend(self.target.check_discards(DISCARDS).err());
        }
        if self.checks_writing && ops.is_destructive() {
            self.checks_writing = false;
            complaints.extend(self.check_writing().err());
        }
        complaints
    }

    fn check_writing(&self) -> Result<(), Failure> {
        self.target
            .check_writing(&self.args.test.options.safety, self.args.test.options.result.destination().folder)
    }
}

fn settings(args: &ReplayArgs) -> Result<ReplaySettings, Failure> {
    if args.timing == ReplayTiming::Unpaced && (args.speed.is_some() || args.max_idle.is_some()) {
        return Err(usage!(
            "--speed and --max-idle go with --timing recorded or dependent: unpaced keeps no times"
        ));
    }
    Ok(ReplaySettings {
        trace: args.trace.display().to_string(),
        // It is known when the trace was read.
        trace_digest: String::new(),
        phases: args.phases.request(),
        timing: args.timing,
        speed: args.speed.unwrap_or(Speed::ONE).factor(),
        max_idle_ns: args.max_idle.map(Nanos::get),
        map: args.map,
        trace_device: args.trace_device.clone(),
        duration_ns: args.duration.map(Nanos::get),
        queue_depth: args.queue_depth,
        writes: !args.no_writes,
        discards: !(args.no_writes || args.no_discards),
        purge: args.purge,
        precondition: match args.precondition {
            Precondition::Fill => ReplayPrecondition::Fill,
            Precondition::FillAll => ReplayPrecondition::FillAll,
            Precondition::None | Precondition::Random(_) | Precondition::OnePass(_) => {
                ReplayPrecondition::None
            }
        },
        compressibility_percent: args.compressibility.percent,
        slow_ns: args.slow.asked.map(Nanos::get),
    })
}
