//! `drivelab energy`: what any command takes, by a meter.

mod task;

use std::path::{Path, PathBuf};

use drivelab_documents::{Manifest, Notice};
use drivelab_kinds::energy::{
    Energy, EnergyComparisonDocument, EnergyFindings, EnergyRun, EnergySettings, EnergySide, PLACE,
    comparison_view,
};
use drivelab_kinds::{Ended, ResultKind as _};
use drivelab_meter::{Meter, MeterSpec};
use drivelab_method::Interrupt;
use drivelab_record::RunFolder;
use drivelab_runner::{
    Destination, Ending, Failure, HostMonitors, MeterOptions, Printed, UnrecordedRun, UnrecordedStart, Watch,
    check_volts, environment, folder_complaint, machine_conditions, new_manifest, open_result, output, say,
    signals, started_now, usage,
};
use drivelab_uring::Clock;
use drivelab_view::Page;

use crate::args::EnergyArgs;

/// What is left of a command's energy that is given up.
const GIVEN_UP: &str = "nothing is kept";

/// Runs a command while a meter is read, or compares two results with an energy.
pub fn main(args: &EnergyArgs) -> Result<Ending, Failure> {
    if let [first, second] = &args.compare[..] {
        return compare(args, [first, second]);
    }
    check_volts(&args.meter)?;
    let spec = meter_spec(args)?;
    let folder = args.output.folder.as_deref();
    Failure::all(folder.and_then(|folder| folder_complaint("--output", folder)))?;
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let settings = EnergySettings {
        command: args.command.clone(),
        place: args.place.clone(),
        moved_bytes: args.moved.map(drivelab_block::ByteCount::get),
        baseline_ns: args.meter.baseline.get(),
        runs: args.runs,
    };
    check_place(&settings)?;
    let command = settings.command_at_place();
    let program = task::find(&command)?;
    let meter = MeterOptions { meter: Some(spec), ..args.meter.clone() };
    let target = command.join(" ");
    let destination = Destination {
        folder,
        printed: if args.json.is_asked { Printed::Document } else { Printed::OnStderr },
        name: args.name.result_name(),
        live: args.live.file.as_deref(),
        ..Destination::default()
    };
    destination.check([])?;
    let manifest = Manifest {
        conditions: machine_conditions(),
        started: started_now(),
        ..new_manifest::<Energy>(&target, target.clone(), destination.name, &settings)
    };
    let start = UnrecordedStart {
        manifest,
        settings,
        destination,
        interrupt: interrupt.clone(),
        surroundings: Some(HostMonitors {
            device: None,
            clock: Clock::start(),
            target: Watch::default(),
            meter: &meter,
        }),
    };
    let mut run: UnrecordedRun<'_, Energy> = UnrecordedRun::begin(start, None)?;
    let ended = run_each(args, &program, &command, &interrupt, &mut run);
    if matches!(ended, Ok(0)) {
        return run.end(Ok(())).map_or(Ok(Ending::Interrupted), |_| Ok(Ending::Interrupted));
    }
    run.finish(ended.map(drop))
}

/// The meter that was named, or one that this machine has.
fn meter_spec(args: &EnergyArgs) -> Result<MeterSpec, Failure> {
    match &args.meter.meter {
        Some(MeterSpec::Sim) => Err(usage!(
            "--meter sim is a simulated drive's: use it with a sim: target, as in drivelab load sim:consistent"
        )),
        Some(spec) => Ok(spec.clone()),
        None => Meter::of_machine(Path::new("/")).ok_or_else(|| {
            environment!(
                "this machine has no battery that discharges and shows no processor package's energy (which root alone may \
                 read): name a meter with --meter, such as scpi:HOST:PORT or hwmon:NAME"
            )
        }),
    }
}

/// Refuses a place that the command does not name.
fn check_place(settings: &EnergySettings) -> Result<(), Failure> {
    let Some(place) = &settings.place else { return Ok(()) };
    if settings.command.iter().any(|argument| argument.contains(PLACE)) {
        return Ok(());
    }
    Err(usage!(
        "--place {place}: the command does not say where that belongs: write {PLACE} in its place, as in cp film {PLACE}"
    ))
}

/// Runs the command as often as was asked for, until it fails, the user ends it, or the meter gives nothing any more. Returns
/// how often it was run.
fn run_each(
    args: &EnergyArgs,
    program: &Path,
    command: &[String],
    interrupt: &Interrupt,
    run: &mut UnrecordedRun<'_, Energy>,
) -> Result<u16, Failure> {
    let (asked, mut findings) = (args.runs, EnergyFindings::default());
    for number in 1..=asked {
        if number > 1 && !run.begin_another() {
            if !run.is_interrupted() {
                let text =
                    format!("The meter gave nothing any more: no run after run {} was done.", number - 1);
                run.notice(Notice::failure(text));
            }
            return Ok(number - 1);
        }
        if run.is_interrupted() {
            return Ok(number - 1);
        }
        if asked > 1 {
            say!("drivelab: run {number} of {asked}");
        }
        let all_to_stderr = args.json.is_asked;
        let done = Some(f64::from(number - 1) / f64::from(asked));
        let ended = task::run(program, command, all_to_stderr, interrupt, || {
            run.show_live(done);
        });
        run.measured(args.moved);
        findings.exit_code = ended?;
        if asked > 1 {
            findings.runs.push(EnergyRun { exit_code: findings.exit_code, ..EnergyRun::default() });
        }
        let failure = findings.failure();
        failure.iter().for_each(|text| run.notice(Notice::failure(text.clone())));
        run.found(findings.clone())?;
        if failure.is_some() || run.is_interrupted() {
            return Ok(number);
        }
    }
    Ok(asked)
}

/// Shows the energies of two kept results.
fn compare(args: &EnergyArgs, folders: [&PathBuf; 2]) -> Result<Ending, Failure> {
    let sides = [side(folders[0])?, side(folders[1])?];
    let battery = args.meter.battery;
    if args.json.is_asked {
        output::print_json(&EnergyComparisonDocument::from_sides(&sides, battery))?;
    } else {
        output::print_page(&Page::from_view(comparison_view(&sides, battery)))?;
    }
    let is_known = sides.iter().all(|side| side.energy.joules.is_some());
    Ok(if is_known { Ending::Passed } else { Ending::CheckFailed })
}

/// The energy in the folder of a result.
fn side(folder: &Path) -> Result<EnergySide, Failure> {
    let (_, run) = RunFolder::open(folder)?;
    let is_command = run.method == Energy::NAME;
    let kept = is_command.then(|| open_result::<Energy>(folder)).transpose()?;
    let (hidden, ended) = (run.hidden_serials(), Ended::from_run(&run));
    let label = hidden.in_text(&run.label);
    let task = if is_command { label } else { format!("{} of {label}", run.method) };
    let outcome = run.outcome.unwrap_or_default();
    let lapses = outcome.lapses.map(|lapses| lapses.sentence);
    let energy = outcome.energy;
    let energy = energy.ok_or_else(|| {
        usage!(
            "{}: no meter was read: name the folder of a result with --meter, or of drivelab energy -o",
            folder.display()
        )
    })?;
    // More runs are no other task.
    let same_task = kept.as_ref().map(|kept| serde_json::to_value(Energy::ranked_by(&kept.settings)));
    let settings = same_task.and_then(Result::ok).unwrap_or(run.settings);
    let (asked, findings) = ((run.method, settings), kept.map(|kept| kept.findings));
    let ended = match ended {
        Ended::Interrupted => Some("The run was interrupted.".to_owned()),
        Ended::BrokeOff => Some("The run broke off.".to_owned()),
        Ended::Whole | Ended::Killed => None,
    };
    let faults = ended.into_iter().chain(lapses).collect();
    let folder = hidden.in_text(&folder.display().to_string());
    Ok(EnergySide { folder, task, asked, findings, faults, energy })
}
