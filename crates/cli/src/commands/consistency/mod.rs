//! `drivelab consistency`.

mod bench;
mod describe;
mod dry_run;
mod results;

use std::path::PathBuf;
use std::time::SystemTime;

use drivelab_report::{ConsistencyDocument, terminal};
use drivelab_runner::{
    Ending, Failure, TargetName, check_flags, check_meter, folder_complaint, output, signals,
};

use super::report;
use crate::args::{ConsistencyArgs, SlowArgs};
use crate::kept::KeptRun;
use bench::{Bench, Claimed};

/// Why a series ends before its last run.
const NOT_BEGUN: &str = "the runs that are left were not begun, as their records could not be kept either: make room, or \
     name another -o";

/// Tests every target with every reserve and compares them.
pub fn main(args: &ConsistencyArgs) -> Result<Ending, Failure> {
    let targets = args.targets.iter().map(|name| TargetName::parse(name)).collect::<Result<Vec<_>, _>>()?;
    check_flags(&args.safety, &targets, None)?;
    check_meter(&args.meter, &targets)?;
    let output = args.result.folder().map_or_else(default_folder, std::path::Path::to_owned);
    if !args.window.get().is_multiple_of(1_000_000_000) {
        return Err(Failure::Usage("--window has to be whole seconds, such as 60s".to_owned()));
    }
    check_targets(&args.targets)?;
    check_reserves(&args.over_provisioning)?;
    let interrupt = signals::interrupt()?;
    let mut benches = Vec::new();
    for ((name, target), target_number) in args.targets.iter().zip(&targets).zip(0..) {
        for reserve in &args.over_provisioning {
            let bench = Bench {
                args,
                name,
                target,
                reserve: *reserve,
                output: &output,
                interrupt: &interrupt,
                target_number,
                number: benches.len(),
            };
            benches.push(bench);
        }
    }
    check(&benches, folder_complaint("-o", &output, args.safety.dry_run))?;
    if args.safety.dry_run {
        return dry_run::show(&benches);
    }
    let (runs, failure) = run_all(&benches);
    if runs.is_empty() {
        return failure.map_or(Ok(Ending::Interrupted), Err);
    }
    // What was measured before a target failed is shown; the failure is the end of the command all the same.
    show(args, &runs)?;
    let page = results::write(&runs, &output);
    if let Some(failure) = failure {
        return Err(failure.with(page.err()));
    }
    output::say(format_args!("report: {}", page?.display()));
    Ok(ending(&runs))
}

/// Checks every plan, and every target of several, before anything is touched for the first: what is refused last would
/// otherwise be told after the first was overwritten. A single target is checked as it is claimed; where something else
/// stands against it, what its claim would say is said as well, since the last complaint would be the gravest.
fn check(benches: &[Bench<'_>], folder: Option<Failure>) -> Result<(), Failure> {
    let mut complaints: Vec<Failure> =
        benches.iter().filter_map(|bench| bench.check().err()).chain(folder).collect();
    let are_several = benches.iter().any(|bench| bench.target_number > 0);
    if !complaints.is_empty() || are_several {
        let of_each_target = benches.chunk_by(|one, other| one.target_number == other.target_number);
        let firsts = of_each_target.filter_map(<[Bench<'_>]>::first);
        complaints.extend(firsts.filter_map(|bench| bench.check_safety().err()));
    }
    Failure::all(complaints)
}

/// Refuses a target that is named twice, by whatever path: its second run would begin on what the first one left.
fn check_targets(names: &[String]) -> Result<(), Failure> {
    let place = |name: &String| std::fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name));
    let places: Vec<PathBuf> = names.iter().map(place).collect();
    let twice = (1..names.len()).find(|number| places[..*number].contains(&places[*number]));
    twice.map_or(Ok(()), |number| {
        let name = &names[number];
        Err(Failure::Usage(format!("{name} is a target that was named before: name each target once")))
    })
}

/// Refuses a reserve that is named twice: its runs would have one name, and be one result seen twice.
fn check_reserves(reserves: &[f64]) -> Result<(), Failure> {
    let twice = reserves
        .iter()
        .enumerate()
        .find(|(place, reserve)| reserves[..*place].iter().any(|earlier| (earlier - *reserve).abs() < 1e-9));
    twice.map_or(Ok(()), |(_, reserve)| {
        Err(Failure::Usage(format!("--over-provisioning names {reserve}% twice: name each reserve once")))
    })
}

/// Runs one bench after the other until one fails or the user ends it.
fn run_all(benches: &[Bench<'_>]) -> (Vec<KeptRun>, Option<Failure>) {
    let mut runs = Vec::new();
    let mut claimed = Claimed::default();
    for (number, bench) in (1..).zip(benches) {
        match bench.run(&mut claimed) {
            Ok((run, None)) => runs.push(run),
            Ok((run, failure)) => {
                runs.push(run);
                return (runs, failure);
            }
            Err(failure) => return (runs, Some(failure)),
        }
        if bench.interrupt.is_raised() {
            break;
        }
        if number < benches.len() && runs.last().is_some_and(KeptRun::found_no_room) {
            output::say(NOT_BEGUN);
            break;
        }
    }
    (runs, None)
}

fn show(args: &ConsistencyArgs, runs: &[KeptRun]) -> Result<(), Failure> {
    let comparison = report::compare(runs, &SlowArgs::default())?;
    if args.result.is_json() {
        output::print_json(&ConsistencyDocument::of(&comparison))?;
    } else {
        output::print(&terminal(&comparison, output::style()))?;
    }
    Ok(())
}

fn ending(runs: &[KeptRun]) -> Ending {
    let mut outcomes = runs.iter().filter_map(|run| run.manifest.outcome.as_ref());
    if outcomes.any(|outcome| outcome.interrupted) {
        Ending::Interrupted
    } else if runs.iter().any(|run| run.manifest.has_failed()) {
        Ending::CheckFailed
    } else {
        Ending::Passed
    }
}

#[expect(clippy::disallowed_methods, reason = "a folder that nobody named is named by its time")]
fn default_folder() -> PathBuf {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let digits: String = now.chars().filter(|sign| sign.is_ascii_digit() || *sign == 'T').collect();
    PathBuf::from(format!("consistency-{}", digits.replace('T', "-")))
}
