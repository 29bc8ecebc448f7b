//! `drivelab pts`.

mod carry_out;
mod show;

use std::path::Path;

use clap::ValueEnum as _;

use drivelab_block::Geometry;
use drivelab_method::Stage;
use drivelab_method::pts::{Bench, PtsPlan, PtsTest, TestResult, run_test};
use drivelab_record::OnFull;
use drivelab_report::Condition;
use drivelab_runner::{
    CellLine, Ending, FILE_IS_CACHED, Failure, Real, TargetName, Task, Watch, check_flags, check_safety,
    check_task_meter, checked, folder_complaint, geometry_of, real_conditions, signals, simulated_conditions,
    unix_seconds,
};
use drivelab_safety::{System, Target};
use drivelab_sim::{Profile, SimDrive};
use drivelab_workload::Seed;

use crate::args::{PtsArgs, PtsTestArg};
use crate::shown::shown_conditions;
use carry_out::{OnReal, OnSimulated, WORKERS_MAX};

/// The least range, in bytes: a block of the largest cells.
const LEAST: u64 = 1 << 20;

/// Runs tests in rounds, and says what each cell comes to.
pub fn main(args: &PtsArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    check_flags(&args.safety, std::slice::from_ref(&target), None)?;
    check_task_meter(&args.meter, Some(&target))?;
    match target {
        TargetName::Simulated(profile) => simulated(args, &profile),
        TargetName::Path(path) => real(args, &path),
    }
}

fn simulated(args: &PtsArgs, profile: &Profile) -> Result<Ending, Failure> {
    let geometry = profile.geometry();
    let plan = checked(plan(args, &geometry), folder(args), || Ok(()))?;
    if args.safety.dry_run {
        return show::dry_run(args, Some(&plan));
    }
    let interrupt = signals::interrupt()?;
    let drive = SimDrive::new(profile, Seed::new(args.seed.number()).child("drive").get());
    let stage = Stage {
        engines: vec![drive],
        queues: WORKERS_MAX,
        on_full: OnFull::Wait,
        interrupt: interrupt.clone(),
    };
    let line = CellLine::without_end(&args.target);
    let mut bench = OnSimulated { stage, plan, line, notices: Vec::new() };
    let conditions = simulated_conditions(profile);
    let job = Job { args, plan, conditions: shown_conditions(&conditions, None) };
    let ended = all(&job, &mut bench, |bench| &bench.notices);
    bench.line.clear();
    show::finish(&job, ended, &bench.notices, None, &interrupt)
}

fn real(args: &PtsArgs, path: &Path) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    let known = geometry_of(&target, args.safety.file_size);
    let planned = known.map(|geometry| plan(args, &geometry)).transpose();
    let safety = || check_safety(&target, &args.safety, args.output.folder());
    let planned = checked(planned, folder(args), safety)?;
    if args.safety.dry_run {
        safety()?;
        return show::dry_run(args, planned.as_ref());
    }
    let interrupt = signals::interrupt()?;
    let real = Real::open_for_writing(path, &args.safety, args.output.folder())?;
    let plan = plan(args, &real.geometry())?;
    let watch = Watch::start(real.kernel_name(), args.safety.temperature_limit, &interrupt);
    let mut notices = real.notes.clone();
    if real.file_is_cached() {
        notices.push(FILE_IS_CACHED.to_owned());
    }
    let (device, clock) = (Some(real.device()), real.clock());
    let conditions = shown_conditions(&real_conditions(real.identity()), Some(unix_seconds()));
    let line = CellLine::without_end(&args.target);
    let mut bench = OnReal { real, plan, interrupt: interrupt.clone(), watch, line, notices };
    let task = Task {
        meter: &args.meter,
        command: "pts",
        target: &args.target,
        folder: args.output.folder(),
        device,
        clock,
        json: args.json.is_asked(),
    };
    let job = Job { args, plan, conditions };
    let all = || {
        let ended = all(&job, &mut bench, |bench| &bench.notices);
        bench.line.clear();
        (ended, bench.notices)
    };
    task.run(&interrupt, all, |(ended, notices), energy| {
        show::finish(&job, ended, &notices, energy, &interrupt)
    })
}

/// What was asked, and under what it began.
struct Job<'a> {
    args: &'a PtsArgs,
    plan: PtsPlan,
    conditions: Vec<Condition>,
}

/// What the tests found, as far as they came, and why they ended early.
struct Ended {
    results: Vec<TestResult>,
    failure: Option<Failure>,
}

/// Runs the tests one after the other; what is known is kept after each, with what `notices` says of the bench.
fn all<B: Bench<Error = Failure>>(job: &Job<'_>, bench: &mut B, notices: impl Fn(&B) -> &[String]) -> Ended {
    // Tried before hours are spent.
    let mut ended = Ended { results: Vec::new(), failure: show::keep(job, &[], notices(bench)).err() };
    if ended.failure.is_some() {
        return ended;
    }
    for test in tests(job.args) {
        // What is not kept after a round is after the next; at the end it is said.
        let so_far = |bench: &B, running: &TestResult| {
            let results: Vec<TestResult> = ended.results.iter().chain([running]).cloned().collect();
            let _ = show::keep(job, &results, notices(bench));
        };
        let (result, failed) = run_test(&job.plan, test, bench, so_far);
        ended.results.push(result);
        ended.failure = failed.err();
        let is_over = ended.results.last().is_some_and(|result| !result.is_whole);
        let kept = show::keep(job, &ended.results, notices(bench));
        ended.failure = ended.failure.or(kept.err());
        if is_over || ended.failure.is_some() {
            break;
        }
    }
    ended
}

/// The tests in the order in which they were named.
fn tests(args: &PtsArgs) -> Vec<PtsTest> {
    let of = |test: &PtsTestArg| match test {
        PtsTestArg::Iops => vec![PtsTest::Iops],
        PtsTestArg::Throughput => vec![PtsTest::ThroughputLarge, PtsTest::ThroughputSmall],
        PtsTestArg::Latency => vec![PtsTest::Latency],
        PtsTestArg::Saturation => vec![PtsTest::Saturation],
        PtsTestArg::IdleRecovery => vec![PtsTest::IdleRecovery],
        PtsTestArg::CrossStimulus => vec![PtsTest::CrossStimulus],
        PtsTestArg::Demand => vec![PtsTest::Demand],
    };
    args.tests.iter().flat_map(of).collect()
}

fn plan(args: &PtsArgs, geometry: &Geometry) -> Result<PtsPlan, Failure> {
    let plan = PtsPlan {
        geometry: *geometry,
        range: args.range.on(geometry),
        round: args.cell_duration,
        queue_depth: args.queue_depth.depth(),
        seed: Seed::new(args.seed.number()),
    };
    if let Some(twice) = args.tests.iter().enumerate().find(|(at, test)| args.tests[..*at].contains(test)) {
        let name = twice.1.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        return Err(Failure::Usage(format!("--tests: {name} is named twice; leave one out")));
    }
    let length = plan.range.1.get().saturating_sub(plan.range.0.get());
    if length < LEAST {
        return Err(Failure::Usage(format!(
            "the range is {length} bytes long: tests in rounds need {LEAST} at least, for their largest block"
        )));
    }
    plan.check()?;
    Ok(plan)
}

fn folder(args: &PtsArgs) -> Option<Failure> {
    folder_complaint("--output", args.output.folder()?, args.safety.dry_run)
}
