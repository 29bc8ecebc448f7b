//! `drivelab trim`.

mod rounds;
mod show;

use std::path::Path;
use std::time::Duration;

use drivelab_block::{Geometry, Nanos};
use drivelab_method::trim::TrimPlan;
use drivelab_probe::{Roots, TrimClaims, trim_claims};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, MeasuredPhases};
use drivelab_runner::{
    Ending, Failure, LookWitness, Real, Session, Start, TargetName, begin_real, begin_witnessed, check_flags,
    check_meter, check_safety, checked, folder_complaint, geometry_of, real_conditions, signals,
    simulated_conditions, simulated_drive, unix_seconds,
};
use drivelab_safety::{System, Target};
use drivelab_settings::{Settings, TrimSettings};
use drivelab_sim::{Counts, Profile, SimDrive};
use drivelab_verify::{LookedAt, Looks};
use drivelab_workload::{Compressibility, Incompressible, Seed};

use super::simulated::Account;
use crate::args::TrimArgs;
use rounds::Rounds;

/// How long smartctl may take to say what a drive claims.
const PATIENCE: Duration = Duration::from_secs(20);

/// Tries whether TRIM makes a used drive fast again.
pub fn main(args: &TrimArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    check_flags(&args.safety, std::slice::from_ref(&target), None)?;
    check_meter(&args.meter, std::slice::from_ref(&target))?;
    match target {
        TargetName::Simulated(profile) => simulated(args, &profile),
        TargetName::Path(path) => real(args, &path),
    }
}

fn simulated(args: &TrimArgs, profile: &Profile) -> Result<Ending, Failure> {
    let geometry = profile.geometry();
    let plan = checked(plan(args, &geometry), folder(args), || Ok(()))?;
    if args.safety.dry_run {
        return show::dry_run(args, Some(&plan));
    }
    let conditions = simulated_conditions(profile);
    let manifest = manifest(args, simulated_drive(profile), conditions, None, &geometry);
    let start = start(args, manifest)?;
    let looks = Looks::default();
    let witness = LookWitness(looks.clone());
    let mut session = begin_witnessed(profile, args.seed.number(), Box::new(witness), start)?;
    let mut rounds = Rounds { plan, geometry, count: args.runs, looks, discarding: Nanos::ZERO };
    let account = Account::open(&mut session.engines()[0]);
    let found = rounds.run(&mut session, &|| Ok(()), &mut own_counts);
    // Each round has an account of its own; what the drive drew is of all of them.
    account.close(&mut session)?;
    show::show(args, &geometry, &session.finish(None), found, &TrimClaims::default())
}

/// A simulated drive knows what it has written to its flash.
fn own_counts(session: &mut Session<SimDrive>) -> Option<Counts> {
    session.engines().first_mut().map(|drive| drive.ground_truth().lifetime)
}

fn real(args: &TrimArgs, path: &Path) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    if matches!(target, Target::File(_)) {
        let text =
            "the TRIM of a file is its file system's, and says nothing of a drive: name a block device";
        return Err(Failure::Usage(format!("{}: {text}", path.display())));
    }
    let known = geometry_of(&target, args.safety.file_size);
    let planned = known.map(|geometry| plan(args, &geometry)).transpose();
    let safety = || check_safety(&target, &args.safety, args.output.folder());
    let planned = checked(planned, folder(args), safety)?;
    if args.safety.dry_run {
        safety()?;
        return show::dry_run(args, planned.as_ref());
    }
    let real = Real::open_for_writing(path, &args.safety, args.output.folder())?;
    let geometry = real.geometry();
    let plan = plan(args, &geometry)?;
    let claims = real
        .kernel_name()
        .map_or_else(TrimClaims::default, |drive| trim_claims(&Roots::live(), &drive, path, PATIENCE));
    let conditions = real_conditions(real.identity());
    let manifest = manifest(args, real.drive(), conditions, Some(unix_seconds()), &geometry);
    let start = start(args, manifest)?;
    let looks = Looks::default();
    let data = Incompressible::new(Seed::new(args.seed.number()).child("data"), Compressibility::default());
    let engines = vec![real.engine(LookedAt::new(data, looks.clone()), &[])];
    let mut session = begin_real(&real, engines, start, args.safety.temperature_limit)?;
    let mut rounds = Rounds { plan, geometry, count: args.runs, looks, discarding: Nanos::ZERO };
    let found = rounds.run(&mut session, &|| real.verify_again(), &mut |_| None);
    show::show(args, &geometry, &session.finish(None), found, &claims)
}

fn start(args: &TrimArgs, manifest: Manifest) -> Result<Start<'_>, Failure> {
    let (folder, interrupt) = (args.output.folder(), signals::interrupt()?);
    Ok(Start { manifest, folder, interrupt, meter: Some(&args.meter) })
}

fn plan(args: &TrimArgs, geometry: &Geometry) -> Result<TrimPlan, Failure> {
    let range = args.range.on(geometry);
    TrimPlan::new(geometry, range, args.precondition.random_time(), Seed::new(args.seed.number()))
        .map_err(|error| Failure::Usage(error.to_string()))
}

fn folder(args: &TrimArgs) -> Option<Failure> {
    folder_complaint("--output", args.output.folder()?, args.safety.dry_run)
}

fn manifest(
    args: &TrimArgs,
    drive: Drive,
    conditions: Vec<Condition>,
    started_unix_s: Option<u64>,
    geometry: &Geometry,
) -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        method: "trim".to_owned(),
        label: args.target.clone(),
        target: args.target.clone(),
        drive,
        seed: args.seed.number(),
        started_unix_s,
        measured: Some(MeasuredPhases::Every),
        settings: Settings::Trim(TrimSettings {
            preconditioning_ns: args.precondition.random_time().get(),
            rounds: args.runs,
            range: args.range.asked(geometry),
        })
        .to_value(),
        conditions,
        notices: Vec::new(),
        phases: Vec::new(),
        outcome: None,
    }
}
