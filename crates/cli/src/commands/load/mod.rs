//! `drivelab load`.

mod plan;
mod show;

use std::path::Path;

use drivelab_block::Engine;
use drivelab_method::{LoadPlan, PhaseEnd};
use drivelab_record::Severity;
use drivelab_runner::{
    Account, Ending, Failure, Real, Session, Start, TargetName, begin_real, begin_simulated, check_cpus,
    check_discards, check_flags, check_meter, check_safety, checked, folder_complaint, geometry_of,
    real_conditions, signals, simulated_conditions, simulated_drive, unix_seconds,
};
use drivelab_safety::{System, Target};
use drivelab_sim::Profile;
use drivelab_uring::keep_off;
use drivelab_workload::{Compressibility, Incompressible, Seed};

use crate::args::{LoadArgs, ReadWrite};

/// Loads a target and says how it answered.
pub fn main(args: &LoadArgs) -> Result<Ending, Failure> {
    if args.read_percent.is_some() && args.rw != ReadWrite::Randrw {
        return Err(Failure::Usage("--read-percent goes with --rw randrw".to_owned()));
    }
    if args.rw == ReadWrite::Flush && args.bytes.is_some() {
        return Err(Failure::Usage("--bytes: flushes move none: say how long with --duration".to_owned()));
    }
    check_cpus(&args.cpus.0)?;
    let target = TargetName::parse(&args.target)?;
    let reading = (!plan::writes(args)).then(|| plan::name(args));
    check_flags(&args.safety, std::slice::from_ref(&target), reading.as_deref())?;
    check_meter(&args.meter, std::slice::from_ref(&target))?;
    match &target {
        TargetName::Simulated(profile) => {
            check_operation(args, &target, None)?;
            simulated(args, profile)
        }
        TargetName::Path(path) => real(args, &target, path),
    }
}

/// Refuses discards of a target that takes none.
fn check_operation(args: &LoadArgs, target: &TargetName, resolved: Option<&Target>) -> Result<(), Failure> {
    if args.rw != ReadWrite::Discard {
        return Ok(());
    }
    let asked = ("--rw discard asks for discards", "ask for another --rw, or name another target");
    check_discards(target, resolved, asked)
}

fn simulated(args: &LoadArgs, profile: &Profile) -> Result<Ending, Failure> {
    let geometry = profile.geometry();
    let planned = plan::of(args, &geometry);
    let plan = checked(planned, folder(args), || Ok(()))?;
    if args.safety.dry_run {
        return show::dry_run(args, &plan);
    }
    let conditions = simulated_conditions(profile);
    let manifest = plan::manifest(args, simulated_drive(profile), conditions, None, &geometry);
    let start = Start {
        manifest,
        folder: args.result.folder(),
        interrupt: signals::interrupt()?,
        meter: Some(&args.meter),
    };
    let mut session = begin_simulated(profile, args.result.seed(), args.threads, start)?;
    if plan::reads(args) && profile.has_flash() {
        let text = "The simulated drive begins empty: a read of what this load has not written itself costs no flash read.";
        session.notice(Severity::Note, text);
    }
    let account = Account::open(&mut session.engines()[0]);
    let end = run(&mut session, &plan, &geometry);
    let account = account.close(&mut session)?;
    show::show(args, &session.finish(Some(account)), end)
}

fn real(args: &LoadArgs, name: &TargetName, path: &Path) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    check_operation(args, name, Some(&target))
        .map_err(|refused| refused.with(check_target(args, &target).err()))?;
    let early = geometry_of(&target, args.safety.file_size);
    let planned = early.map(|geometry| plan::of(args, &geometry)).transpose();
    let plan = checked(planned, folder(args), || check_target(args, &target))?;
    if args.safety.dry_run {
        return show::dry_run_real(args, plan.as_ref(), check_target(args, &target));
    }
    let real = if plan::writes(args) {
        Real::open_for_writing(path, &args.safety, args.result.folder())?
    } else {
        Real::open_for_reading(path)?
    };
    let geometry = real.geometry();
    let plan = plan::of(args, &geometry)?;
    let conditions = real_conditions(real.identity());
    let manifest = plan::manifest(args, real.drive(), conditions, Some(unix_seconds()), &geometry);
    keep_off(&args.cpus.0).map_err(|error| Failure::io("the recorder cannot be moved", &error))?;
    let start = Start {
        manifest,
        folder: args.result.folder(),
        interrupt: signals::interrupt()?,
        meter: Some(&args.meter),
    };
    let mut session = begin_real(&real, engines(args, &real), start, args.safety.temperature_limit)?;
    if plan::writes(args) {
        real.verify_again()?;
    }
    let end = run(&mut session, &plan, &geometry);
    show::show(args, &session.finish(None), end)
}

/// What stands against the folder of the run.
fn folder(args: &LoadArgs) -> Option<Failure> {
    folder_complaint("--output", args.result.folder()?, args.safety.dry_run)
}

/// Says what stands against the target of a load that writes.
fn check_target(args: &LoadArgs, target: &Target) -> Result<(), Failure> {
    if plan::writes(args) { check_safety(target, &args.safety, args.result.folder()) } else { Ok(()) }
}

/// An engine a worker; workers take turns on the processors that were named.
fn engines(args: &LoadArgs, real: &Real) -> Vec<drivelab_uring::UringEngine<Incompressible>> {
    let share = Compressibility::percent(args.compressibility.percent()).unwrap_or_default();
    let seed = Seed::new(args.result.seed());
    let of_worker = |worker: u16| {
        let cpus = &args.cpus.0;
        let cpu = cpus.get(usize::from(worker) % cpus.len().max(1)).copied();
        let payload = Incompressible::new(seed.numbered(u64::from(worker)), share);
        real.engine(payload, cpu.as_slice())
    };
    (0..args.threads).map(of_worker).collect()
}

fn run<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &LoadPlan,
    geometry: &drivelab_block::Geometry,
) -> Result<PhaseEnd, Failure> {
    let engines = u16::try_from(session.engines().len()).unwrap_or(u16::MAX);
    let phase = plan.phase(geometry, engines < plan.workers)?;
    let workloads = plan.workloads(engines).map_err(|error| Failure::Usage(error.to_string()))?;
    if let (Some(asked), Some(whole)) = (plan.stop.bytes, plan.whole_bytes(engines))
        && asked != whole
    {
        let (asked, whole) = (asked.get(), whole.get());
        let text =
            format!("--bytes {asked} is no whole number of blocks for each worker: {whole} are asked for.");
        session.notice(Severity::Note, text);
    }
    let end = session.phase(&phase, workloads, None).map_err(|error| session.broke(error))?;
    let unsent = end.unsent.count();
    if unsent > 0 {
        let text = format!(
            "{unsent} requests were due and never sent: the drive did not keep up with --rate. Response times are at \
             least what is shown, since these count with what they had waited when the load ended."
        );
        session.notice(Severity::Warning, text);
    }
    if end.delayed_sends > 0 {
        let text = format!(
            "{} requests found all {} slots taken and were sent late; their response time counts from when they \
             were due.",
            end.delayed_sends, phase.limits.queue_depth
        );
        session.notice(Severity::Note, text);
    }
    Ok(end)
}
