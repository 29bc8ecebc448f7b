//! `drivelab quick`.

mod show;

use std::path::Path;

use drivelab_analysis::CurvePoint;
use drivelab_block::{Engine, Geometry, Op};
use drivelab_method::LoadPlan;
use drivelab_method::quick::QuickPlan;
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest};
use drivelab_runner::{
    Ending, Failure, Real, Session, Start, TargetName, Task, begin_real, begin_simulated, check_flags,
    check_safety, check_task_meter, checked, folder_complaint, geometry_of, output, real_conditions, signals,
    simulated_conditions, simulated_drive, unix_seconds,
};
use drivelab_safety::{System, Target};
use drivelab_sim::Profile;
use drivelab_workload::{Compressibility, Incompressible, Seed};

use crate::args::QuickArgs;

/// Looks at a target for a minute at most.
pub fn main(args: &QuickArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    let reading = (!args.write).then_some("quick without --write");
    check_flags(&args.safety, std::slice::from_ref(&target), reading)?;
    check_task_meter(&args.meter, Some(&target))?;
    args.report.as_ref().map_or(Ok(()), |page| output::check_place(page, b'<'))?;
    match target {
        TargetName::Simulated(profile) => simulated(args, &profile),
        TargetName::Path(path) => real(args, &path),
    }
}

fn simulated(args: &QuickArgs, profile: &Profile) -> Result<Ending, Failure> {
    let plan = checked(plan(args, profile.geometry()), folder(args), || Ok(()))?;
    if args.safety.dry_run {
        return show::dry_run(args);
    }
    let conditions = simulated_conditions(profile);
    let manifest = manifest(args, simulated_drive(profile), conditions, None);
    let start = Start { manifest, folder: None, interrupt: signals::interrupt()?, meter: None };
    let mut session = begin_simulated(profile, args.seed, 1, start)?;
    fill(&mut session, &plan, &profile.geometry())?;
    let looked = look(args, &mut session, &plan, &profile.geometry(), || Ok(()));
    show::show(args, &profile.geometry(), &session.finish(None), looked, None)
}

/// Writes what is read later: a simulated drive is new, and empty.
fn fill<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &QuickPlan,
    geometry: &Geometry,
) -> Result<(), Failure> {
    // The places come last: they push the blocks of the random reads out of the drive's write buffer.
    load(session, &plan.fill_access(), geometry)?;
    let (phase, writes) = plan.fill();
    session.phase(&phase, vec![writes], None).map(drop).map_err(|error| session.broke(error))
}

fn real(args: &QuickArgs, path: &Path) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    let output = args.output.as_deref();
    let planned =
        geometry_of(&target, args.safety.file_size).map(|geometry| plan(args, geometry)).transpose();
    let check_target = || if args.write { check_safety(&target, &args.safety, output) } else { Ok(()) };
    checked(planned, folder(args), check_target)?;
    if args.safety.dry_run {
        check_target()?;
        return show::dry_run(args);
    }
    let real = if args.write {
        Real::open_for_writing(path, &args.safety, output)?
    } else {
        Real::open_for_reading(path)?
    };
    let geometry = real.geometry();
    let plan = plan(args, geometry)?;
    let conditions = real_conditions(real.identity());
    let manifest = manifest(args, real.drive(), conditions, Some(unix_seconds()));
    let payload = Incompressible::new(Seed::new(args.seed), Compressibility::default());
    let interrupt = signals::interrupt()?;
    let start = Start { manifest, folder: None, interrupt: interrupt.clone(), meter: None };
    let engines = vec![real.engine(payload, &[])];
    let mut session = begin_real(&real, engines, start, args.safety.temperature_limit)?;
    let task = Task {
        meter: &args.meter,
        command: "quick",
        target: &args.target,
        folder: output,
        device: Some(real.device()),
        clock: real.clock(),
        json: args.json,
    };
    let look = || {
        let looked = look(args, &mut session, &plan, &geometry, || real.verify_again());
        (session.finish(None), looked)
    };
    task.run(&interrupt, look, |(finished, looked), energy| {
        show::show(args, &geometry, &finished, looked, energy)
    })
}

fn folder(args: &QuickArgs) -> Option<Failure> {
    folder_complaint("-o", args.output.as_deref()?, args.safety.dry_run)
}

fn plan(args: &QuickArgs, geometry: Geometry) -> Result<QuickPlan, Failure> {
    QuickPlan::new(geometry, args.write, Seed::new(args.seed))
        .map_err(|error| Failure::Usage(error.to_string()))
}

/// What was found, as far as it came.
#[derive(Default)]
struct Looked {
    read: Vec<CurvePoint>,
    write: Option<Vec<CurvePoint>>,
    ended: Option<Failure>,
}

/// The curve of reading, random reads, the curve of writing. What was found before something broke is kept.
fn look<E: Engine + Send>(
    args: &QuickArgs,
    session: &mut Session<E>,
    plan: &QuickPlan,
    geometry: &Geometry,
    verify_target: impl Fn() -> Result<(), Failure>,
) -> Looked {
    let mut looked = Looked::default();
    let ended = curve(session, plan, Op::Read, &mut looked.read).and_then(|()| {
        load(session, &plan.access(), geometry)?;
        if args.write && !session.is_interrupted() {
            verify_target()?;
            curve(session, plan, Op::Write, looked.write.get_or_insert_default())?;
        }
        Ok(())
    });
    looked.ended = ended.err();
    looked
}

fn curve<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &QuickPlan,
    op: Op,
    found: &mut Vec<CurvePoint>,
) -> Result<(), Failure> {
    let (requests, points) = plan.curve(op);
    let ended = session.phase(&plan.curve_phase(op), vec![requests], None);
    *found = points.all();
    ended.map(drop).map_err(|error| session.broke(error))
}

fn load<E: Engine + Send>(
    session: &mut Session<E>,
    load: &LoadPlan,
    geometry: &Geometry,
) -> Result<(), Failure> {
    let workloads = load.workloads(1).map_err(|error| Failure::Usage(error.to_string()))?;
    let phase = load.phase(geometry, true)?;
    let ended = session.phase(&phase, workloads, None);
    ended.map(drop).map_err(|error| session.broke(error))
}

/// What the run is called while it lasts: it is not kept.
fn manifest(
    args: &QuickArgs,
    drive: Drive,
    conditions: Vec<Condition>,
    started_unix_s: Option<u64>,
) -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        method: "quick".to_owned(),
        label: args.target.clone(),
        target: args.target.clone(),
        drive,
        seed: args.seed,
        started_unix_s,
        settings: serde_json::json!({ "write": args.write }),
        conditions,
        notices: Vec::new(),
        phases: Vec::new(),
        outcome: None,
    }
}
