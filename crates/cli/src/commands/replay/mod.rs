//! `drivelab replay`.

mod plan;
mod show;

use std::path::Path;

use drivelab_analysis::ReplayAnalysis;
use drivelab_block::{ByteCount, Engine, Geometry, Op};
use drivelab_inspect::trace::TracePhases;
use drivelab_method::replay::{Placed, ReadyReplay, ReplayPlan, Survey, Timing};
use drivelab_method::{Beside, Interrupt, PhaseEnd};
use drivelab_record::Severity;
use drivelab_runner::{
    Account, Ending, Failure, Real, Session, Start, TargetName, begin_real, begin_simulated, check_discards,
    check_flags, check_meter, check_safety, folder_complaint, geometry_of, output, real_conditions, signals,
    simulated_conditions, simulated_drive, unix_seconds,
};
use drivelab_safety::{System, Target};
use drivelab_sim::Profile;
use drivelab_trace::TraceSource;
use drivelab_workload::{Compressibility, Incompressible, Seed};

use super::trace::shown_phases;
use crate::args::ReplayArgs;

/// A replay that was asked for, its trace surveyed.
struct Asked<'a> {
    args: &'a ReplayArgs,
    trace: TraceSource,
    plan: ReplayPlan,
    survey: Survey,
    interrupt: Interrupt,
}

/// How a replay went.
struct Went {
    end: PhaseEnd,
    placed: Placed,
    held_back: u64,
    late_steps: u64,
}

/// Asks a target what a trace asked, and says how it answered.
pub fn main(args: &ReplayArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    check_meter(&args.meter, std::slice::from_ref(&target))?;
    let trace = TraceSource::open(&args.trace, &args.phases.request())?;
    let plan = plan::of(args, trace.manifest())?;
    let resolved = match &target {
        TargetName::Simulated(_) => None,
        TargetName::Path(path) => Some(Target::resolve(&System::live(), path)?),
    };
    let geometry = match (&target, &resolved) {
        (TargetName::Simulated(profile), _) => Some(profile.geometry()),
        (_, Some(target)) => geometry_of(target, args.safety.file_size),
        (TargetName::Path(_), None) => None,
    };
    let interrupt = signals::interrupt()?;
    let survey = plan.survey(trace.reader()?, geometry.as_ref(), &mut || !interrupt.is_raised());
    if !survey.is_whole {
        output::say("interrupted while the trace was surveyed: nothing was replayed");
        return Ok(Ending::Interrupted);
    }
    let asked = Asked { args, trace, plan, survey, interrupt };
    check_flags(&args.safety, std::slice::from_ref(&target), (!asked.writes()).then_some("this replay"))?;
    let check_target = || resolved.as_ref().map_or(Ok(()), |target| asked.check_target(target));
    let discards = asked.check_discards(&target, resolved.as_ref());
    let ready = asked.checked(geometry.as_ref(), discards, check_target)?;
    if args.safety.dry_run {
        return show::dry_run(&asked, ready.as_ref(), check_target());
    }
    match &target {
        TargetName::Simulated(profile) => simulated(&asked, profile),
        TargetName::Path(path) => real(&asked, path),
    }
}

impl Asked<'_> {
    /// Which phases are replayed, where the trace is a run.
    fn phases(&self) -> Option<TracePhases> {
        let run = self.trace.run()?;
        Some(shown_phases(&run.chosen, self.survey.other_phases))
    }

    fn writes(&self) -> bool {
        self.plan.writes(&self.survey)
    }

    fn ready(&self, geometry: &Geometry) -> Result<ReadyReplay, Failure> {
        self.plan.ready(&self.survey, geometry).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// The replay, where nothing stands against it, its discards and the folder of the records; none where the target's
    /// size is not known. Where something does, what stands against the target is said as well: mended one by one,
    /// the last complaint would be the gravest.
    fn checked(
        &self,
        geometry: Option<&Geometry>,
        discards: Result<(), Failure>,
        check_target: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Option<ReadyReplay>, Failure> {
        let folder = self.args.result.folder();
        let folder = folder.and_then(|folder| folder_complaint("-o", folder, self.args.safety.dry_run));
        let mut complaints = discards.err().into_iter().chain(folder);
        let ready = geometry.map(|geometry| self.ready(geometry)).transpose();
        match (ready, complaints.next()) {
            (Ok(ready), None) => Ok(ready),
            (Ok(_), Some(first)) => Err(first.with(complaints.chain(check_target().err()))),
            (Err(wrong), first) => {
                Err(wrong.with(first.into_iter().chain(complaints).chain(check_target().err())))
            }
        }
    }

    /// Refuses the trace's discards where the target takes none: the replay would fail at them, after its fill.
    fn check_discards(&self, target: &TargetName, resolved: Option<&Target>) -> Result<(), Failure> {
        let count = self.survey.asked.op(Op::Discard).requests;
        if count == 0 {
            return Ok(());
        }
        let asked = format!("the trace has discards ({count})");
        let mend = "leave them out with --no-discards, or name another target";
        check_discards(target, resolved, (&asked, mend))
    }

    /// Says what stands against a target that is to be written to.
    fn check_target(&self, target: &Target) -> Result<(), Failure> {
        if !self.writes() {
            return Ok(());
        }
        check_safety(target, &self.args.safety, self.args.result.folder())
    }
}

fn simulated(asked: &Asked<'_>, profile: &Profile) -> Result<Ending, Failure> {
    let args = asked.args;
    let ready = asked.ready(&profile.geometry())?;
    let conditions = simulated_conditions(profile);
    let depth = ready.phase.limits.queue_depth;
    let manifest = plan::manifest(args, depth, simulated_drive(profile), conditions, None);
    let start = Start {
        manifest,
        folder: args.result.folder(),
        interrupt: asked.interrupt.clone(),
        meter: Some(&args.meter),
    };
    let mut session = begin_simulated(profile, args.result.seed(), 1, start)?;
    let account = Account::open(&mut session.engines()[0]);
    let went = run(asked, &mut session, ready.clone(), true, || Ok(()));
    let account = account.close(&mut session)?;
    show::show(asked, &ready, &session.finish(Some(account)), went)
}

fn real(asked: &Asked<'_>, path: &Path) -> Result<Ending, Failure> {
    let args = asked.args;
    let real = if asked.writes() {
        Real::open_for_writing(path, &args.safety, args.result.folder())?
    } else {
        Real::open_for_reading(path)?
    };
    let ready = asked.ready(&real.geometry())?;
    let conditions = real_conditions(real.identity());
    let depth = ready.phase.limits.queue_depth;
    let manifest = plan::manifest(args, depth, real.drive(), conditions, Some(unix_seconds()));
    let share = Compressibility::percent(args.compressibility.percent()).unwrap_or_default();
    let engine = real.engine(Incompressible::new(Seed::new(args.result.seed()), share), &[]);
    let start = Start {
        manifest,
        folder: args.result.folder(),
        interrupt: asked.interrupt.clone(),
        meter: Some(&args.meter),
    };
    let mut session = begin_real(&real, vec![engine], start, args.safety.temperature_limit)?;
    let verify = || if asked.writes() { real.verify_again() } else { Ok(()) };
    let went = run(asked, &mut session, ready.clone(), false, verify);
    show::show(asked, &ready, &session.finish(None), went)
}

/// Fills, where that was asked for, and replays. `waits` lets the target's time stand still for the trace's reader.
fn run<E: Engine + Send>(
    asked: &Asked<'_>,
    session: &mut Session<E>,
    ready: ReadyReplay,
    waits: bool,
    verify: impl Fn() -> Result<(), Failure>,
) -> Result<Went, Failure> {
    notices(asked, session);
    if let Some((phase, fill)) = &ready.fill {
        verify()?;
        let bytes = fill.bytes();
        session.phase(phase, vec![fill.clone()], Some(bytes)).map_err(|error| session.broke(error))?;
    }
    verify()?;
    let phase = ready.phase.clone();
    let bytes: u64 = Op::ALL.iter().map(|op| asked.survey.asked.op(*op).bytes).sum();
    let thread = |error: std::io::Error| Failure::io("the trace's reader could not be started", &error);
    let (workload, reading) = ready.start(asked.trace.reader()?, waits).map_err(thread)?;
    let counts = workload.counts();
    let thresholds = asked.args.slow.thresholds();
    session.add_beside(|phase| Beside::Replay(Box::new(ReplayAnalysis::new(phase, thresholds))));
    let ended = session.phase(&phase, vec![workload], Some(ByteCount::new(bytes)));
    let placed = reading.end();
    let end = ended.map_err(|error| session.broke(error))?;
    Ok(Went { end, placed, held_back: counts.held_back(), late_steps: counts.late_steps() })
}

/// What the reader has to know of the trace.
fn notices<E: Engine + Send>(asked: &Asked<'_>, session: &mut Session<E>) {
    for fault in &asked.survey.faults {
        session.notice(Severity::Failure, format!("The replay lacks a part of the trace: {fault}."));
    }
    if let Some(phases) = asked.phases() {
        session.notice(Severity::Note, format!("The trace is a run. {}", phases.sentence("replayed")));
    }
    let trace = asked.trace.manifest();
    let account = trace.account.iter().chain(&trace.so_far).next();
    if let Some(losses) = account.and_then(drivelab_trace::Account::losses) {
        session.notice(Severity::Warning, format!("The trace is not whole. {losses}"));
    }
    // How many there should be of a part of a trace is not known.
    for gap in account.iter().flat_map(|account| account.gaps(u64::MAX)) {
        session.notice(Severity::Warning, format!("The trace is not whole. {gap}"));
    }
    if trace.account.is_none() {
        session.notice(Severity::Warning, "The trace was not ended: what there is of it is replayed.");
    }
    if asked.survey.durable > 0 {
        let count = asked.survey.durable;
        let text =
            format!("{count} requests were marked FUA or flush-first in the trace and are replayed without.");
        session.notice(Severity::Note, text);
    }
    let unknown = asked.survey.asked.requests() - asked.survey.with_durations;
    if asked.plan.timing == Timing::Dependent && unknown > 0 {
        let text = format!(
            "Of {unknown} requests the trace does not say when they were complete: none waits for them."
        );
        session.notice(Severity::Note, text);
    }
}
