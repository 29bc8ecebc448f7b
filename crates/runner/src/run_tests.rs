//! Several tests of one kind, one after the other: of several targets, or of one that is asked in several ways.

use std::ops::ControlFlow;
use std::path::Path;

use drivelab_kinds::{RecordedTest, StoredResult, Test};

use crate::kinds::tests_with_simulated_energy;
use crate::request::{Claimed, TestRequest};
use crate::results::Printed;
use crate::run_test::EndedTest;
use crate::{
    Destination, Ending, Failure, MeterOptions, NOT_ENDED_BY_HEAT, NamedTarget, PlannedTest, TargetName,
    check_flags, check_meter, dry_run, folder_complaint, output, refuse_temperature_limit, signals,
};

/// Why a series ends before its last test.
const NOT_BEGUN: &str = "the tests that are left were not begun, as their records could not be kept either: make room, or \
     name another -o";

/// Tests that follow each other; those of one target stand next to each other.
pub struct TestSeries<'a, T: RecordedTest> {
    /// The tests; each has a folder of its own, below that of all.
    pub requests: Vec<TestRequest<'a, T>>,
    /// Where they are shown next to each other.
    pub destination: Destination<'a>,
}

/// Runs a test, keeps its result where a folder was named, and shows it.
pub fn run_test<T: RecordedTest>(request: &TestRequest<'_, T>) -> Result<Ending, Failure> {
    // A drive that hangs may be kept by whoever lets it go, and what is known of it is kept and shown before.
    let mut claimed = Claimed::default();
    let ended = match run_unshown(request, &mut claimed)? {
        ControlFlow::Continue(ended) => ended,
        ControlFlow::Break(ending) => return Ok(ending),
    };
    // Where there is no room for the findings, they are shown all the same.
    let kept = request.destination.keep(&ended.kept);
    let shown = request.destination.show(std::slice::from_ref(&ended.kept));
    let complaints = [kept, shown].into_iter().filter_map(Result::err);
    Failure::all(ended.failure.into_iter().chain(complaints)).map(|()| ended.ending)
}

/// Runs a test, and hands its result over, which is not shown; or how it ended before it began.
pub fn run_unshown<T: RecordedTest>(
    request: &TestRequest<'_, T>,
    claimed: &mut Claimed,
) -> Result<ControlFlow<Ending, EndedTest<T>>, Failure> {
    let requests = std::slice::from_ref(request);
    let targets = match prepare(requests, &request.destination, Recording::Records)? {
        ControlFlow::Continue(targets) => targets,
        ControlFlow::Break(ending) => return Ok(ControlFlow::Break(ending)),
    };
    let interrupt = signals::interrupt()?;
    if interrupt.is_raised() {
        return Ok(ControlFlow::Break(Ending::Interrupted));
    }
    let output = request.destination.folder;
    request.run_on(&targets[0], claimed, (output, &interrupt)).map(ControlFlow::Continue)
}

/// Runs tests one after the other, until one fails or the user ends it, and shows them next to each other.
pub fn run_tests<T: RecordedTest>(series: &TestSeries<'_, T>) -> Result<Ending, Failure> {
    let TestSeries { requests, destination } = series;
    let targets = match prepare(requests, destination, Recording::Records)? {
        ControlFlow::Continue(targets) => targets,
        ControlFlow::Break(ending) => return Ok(ending),
    };
    let (results, ending, failure) = run_all(requests, &targets, destination.folder)?;
    if results.is_empty() {
        return failure.map_or(Ok(Ending::Interrupted), Err);
    }
    // What was measured before a target failed is shown; the failure is the end of the command all the same. Each file is
    // tried even where another found no room: what fits is there, and all that does not is named.
    let own = results.iter().zip(requests).flat_map(|(kept, request)| {
        [request.destination.keep(kept), request.destination.write_page(std::slice::from_ref(kept))]
    });
    let mut complaints: Vec<Failure> = own.filter_map(Result::err).collect();
    complaints.extend(destination.show(&results).err());
    Failure::all(failure.into_iter().chain(complaints)).map(|()| ending)
}

/// Whether a test records its I/Os, or is done in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    Records,
    /// I/Os are counted and timed. No meter and no temperature of a simulated drive has a part in that.
    Cells,
}

/// Checks where all is shown, every plan, and every target of several, before anything is touched for the first: what is refused
/// last would otherwise be known after the first was overwritten. A single target is checked as it is claimed; where something
/// else stands against it, what its claim would say is said as well, since the last complaint would be the gravest.
///
/// The targets come back, or the end of a dry run.
pub fn prepare<T: Test>(
    requests: &[TestRequest<'_, T>],
    destination: &Destination<'_>,
    recording: Recording,
) -> Result<ControlFlow<Ending, Vec<NamedTarget>>, Failure> {
    destination.check(requests.iter().map(|request| request.target))?;
    let output = destination.folder;
    let Some(first) = requests.first() else { return Ok(ControlFlow::Break(Ending::Passed)) };
    let names = requests.iter().map(TestRequest::target_name);
    let names = names.collect::<Result<Vec<_>, _>>()?;
    check_options(first, &names, recording)?;
    let look_up = |name| match directory::<T>(&name) {
        Some(path) => NamedTarget::look_up_directory(path),
        None => NamedTarget::look_up(name),
    };
    let targets = names.into_iter().map(look_up).collect::<Result<Vec<_>, _>>()?;
    let is_dry_run = first.safety.dry_run;
    let (mut plans, mut complaints) = (Vec::new(), Vec::new());
    for (request, target) in requests.iter().zip(&targets) {
        complaints.extend(request.check_kind(target).err());
        let geometry = target.geometry(request.safety.file_size);
        match geometry.map(|geometry| request.plan(geometry)).transpose() {
            Ok(plan) => plans.push(plan),
            Err(failure) => complaints.push(failure),
        }
    }
    let output_to_make = output.filter(|_| !first.goes_on);
    let against_folder =
        || output_to_make.and_then(|folder| folder_complaint(T::RULES.folder_option, folder));
    if !is_dry_run {
        complaints.extend(against_folder());
    }
    let are_several = requests.iter().any(|request| request.target != first.target);
    let against_targets = || {
        let is_first = |place: &usize| {
            !requests[..*place].iter().any(|earlier| earlier.target == requests[*place].target)
        };
        // What a file would need is no matter where the test takes none.
        let is_taken = |place: &usize| !(targets[*place].is_file() && T::RULES.not_of_files.is_some());
        let firsts = (0..requests.len()).filter(is_first).filter(is_taken);
        firsts.filter_map(|place| requests[place].check_target(&targets[place], output).err())
    };
    if !complaints.is_empty() || (are_several && !is_dry_run) {
        complaints.extend(against_targets());
    }
    Failure::all(complaints)?;
    if !is_dry_run {
        return Ok(ControlFlow::Continue(targets));
    }
    let planned: Vec<PlannedTest> =
        requests.iter().zip(&plans).map(|(one, plan)| one.planned(plan.as_ref())).collect();
    let complaints = against_folder().into_iter().chain(against_targets());
    dry_run(&planned, first.destination.printed == Printed::Document, complaints).map(ControlFlow::Break)
}

/// The directory that a target is, where the test takes one.
fn directory<T: Test>(name: &TargetName) -> Option<&Path> {
    match name {
        TargetName::Path(path) if T::RULES.takes_directories && path.is_dir() => Some(path),
        TargetName::Path(_) | TargetName::Simulated(_) => None,
    }
}

fn check_options<T: Test>(
    request: &TestRequest<'_, T>,
    names: &[TargetName],
    recording: Recording,
) -> Result<(), Failure> {
    let needs = request.needs();
    let reading = (!needs.writes)
        .then(|| needs.name_of_reading.unwrap_or_else(|| format!("{} without --write", T::NAME)));
    let limit = request.safety.temperature_limit();
    if names.iter().any(|name| directory::<T>(name).is_some()) {
        refuse_temperature_limit(limit, "a directory has no sensor")?;
    }
    let drives: Vec<TargetName> =
        names.iter().filter(|name| directory::<T>(name).is_none()).cloned().collect();
    check_flags(request.safety, &drives, reading.as_deref())?;
    match recording {
        Recording::Records => check_meter(request.meter, names),
        Recording::Cells => {
            for name in names {
                check_task_meter(request.meter, name)?;
                if matches!(name, TargetName::Simulated(_)) {
                    refuse_temperature_limit(limit, NOT_ENDED_BY_HEAT)?;
                }
            }
            Ok(())
        }
    }
}

/// Checks the meter of a test in cells, during which no simulated drive gives an account of what it draws.
pub fn check_task_meter(args: &MeterOptions, target: &TargetName) -> Result<(), Failure> {
    match (&args.meter, target) {
        (Some(_), TargetName::Simulated(_)) => Err(usage!(
            "--meter: no meter sees a simulated drive but its own account (--meter sim), which {} show: use one of them",
            tests_with_simulated_energy()
        )),
        _ => check_meter(args, std::slice::from_ref(target)),
    }
}

/// The results, how they ended together, and why the last one failed, where it did.
type Ran<T> = (Vec<StoredResult<T>>, Ending, Option<Failure>);

fn run_all<T: RecordedTest>(
    requests: &[TestRequest<'_, T>],
    targets: &[NamedTarget],
    output: Option<&Path>,
) -> Result<Ran<T>, Failure> {
    let interrupt = signals::interrupt()?;
    let (mut results, mut together) = (Vec::new(), Ending::Passed);
    let mut claimed = Claimed::default();
    for (number, (request, target)) in (1..).zip(requests.iter().zip(targets)) {
        let ended = match request.run_on(target, &mut claimed, (output, &interrupt)) {
            Ok(ended) => ended,
            // What was wanted is an end before the first I/O.
            Err(failure) if interrupt.is_raised() => {
                say!("drivelab: {failure}");
                return Ok((results, Ending::Interrupted, None));
            }
            Err(failure) => return Ok((results, together, Some(failure))),
        };
        results.push(ended.kept);
        together = match (together, ended.ending) {
            (Ending::Interrupted, _) | (_, Ending::Interrupted) => Ending::Interrupted,
            (Ending::CheckFailed, _) | (_, Ending::CheckFailed) => Ending::CheckFailed,
            _ => Ending::Passed,
        };
        if ended.failure.is_some() {
            return Ok((results, together, ended.failure));
        }
        if interrupt.is_raised() {
            // The tests that are left were not begun.
            together = if number < requests.len() { Ending::Interrupted } else { together };
            break;
        }
        if number < requests.len() && ended.found_no_room {
            output::say(NOT_BEGUN);
            break;
        }
    }
    Ok((results, together, None))
}
