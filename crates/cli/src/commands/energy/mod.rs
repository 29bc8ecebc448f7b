//! `drivelab energy`: what any command takes, by a meter.

mod compare;
mod task;

use std::path::Path;

use drivelab_kinds::energy::{Energy, EnergyFindings, EnergyRun, EnergySettings, PLACE};
use drivelab_meter::{Meter, MeterSpec};
use drivelab_method::Interrupt;
use drivelab_record::{Manifest, Notice};
use drivelab_runner::{
    Destination, Ending, Failure, HostMonitors, MeterOptions, Printed, UnrecordedRun, UnrecordedStart, Watch,
    check_volts, folder_complaint, machine_conditions, new_manifest, output, signals, started_now,
};
use drivelab_uring::Clock;

use crate::args::EnergyArgs;

/// What is left of a command's energy that is given up.
const GIVEN_UP: &str = "nothing is kept";

/// Runs a command while a meter is read, or compares two results with an energy.
pub fn main(args: &EnergyArgs) -> Result<Ending, Failure> {
    if let [first, second] = &args.compare[..] {
        return compare::main(args, [first, second]);
    }
    check_volts(&args.meter)?;
    let spec = match &args.meter.meter {
        Some(MeterSpec::Sim) => {
            let text = "--meter sim is a simulated drive's: use it with a sim: target, as in drivelab load sim:consistent";
            return Err(Failure::Usage(text.to_owned()));
        }
        Some(spec) => spec.clone(),
        None => Meter::of_machine(Path::new("/")).ok_or_else(none_found)?,
    };
    let folder = args.output.folder();
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
    let meter = MeterOptions { meter: Some(spec), ..MeterOptions::clone(&args.meter) };
    let target = command.join(" ");
    let destination = Destination {
        folder,
        printed: if args.json.is_asked() { Printed::Document } else { Printed::OnStderr },
        name: args.name.result_name(),
        live: args.live.file(),
        ..Destination::default()
    };
    destination.check([])?;
    let manifest = Manifest {
        conditions: machine_conditions(),
        started: started_now(),
        ..new_manifest::<Energy>(&target, target.clone(), destination.name, &settings)
    };
    let mut run: UnrecordedRun<'_, Energy> = UnrecordedRun::begin(UnrecordedStart {
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
    })?;
    let task = MeteredCommand { program: &program, command: &command, args, interrupt: &interrupt };
    let ended = task.run_each(&mut run);
    if matches!(ended, Ok(0)) {
        return run.end(Ok(())).map_or(Ok(Ending::Interrupted), |_| Ok(Ending::Interrupted));
    }
    run.finish(ended.map(drop))
}

/// Refuses a place that the command does not name.
fn check_place(settings: &EnergySettings) -> Result<(), Failure> {
    let Some(place) = &settings.place else { return Ok(()) };
    if settings.command.iter().any(|argument| argument.contains(PLACE)) {
        return Ok(());
    }
    let text = format!(
        "--place {place}: the command does not say where that belongs: write {PLACE} in its place, as in cp film {PLACE}"
    );
    Err(Failure::Usage(text))
}

/// The command that is measured.
struct MeteredCommand<'a> {
    program: &'a Path,
    command: &'a [String],
    args: &'a EnergyArgs,
    interrupt: &'a Interrupt,
}

impl MeteredCommand<'_> {
    /// Runs the command as often as was asked for, until it fails, the user ends it, or the meter gives nothing any more. Returns
    /// how often it was run.
    fn run_each(&self, run: &mut UnrecordedRun<'_, Energy>) -> Result<u16, Failure> {
        let (asked, mut findings) = (self.args.runs, EnergyFindings::default());
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
                output::say(format_args!("drivelab: run {number} of {asked}"));
            }
            let all_to_stderr = self.args.json.is_asked();
            let done = Some(f64::from(number - 1) / f64::from(asked));
            let ended = task::run(self.program, self.command, all_to_stderr, self.interrupt, || {
                run.show_live(done);
            });
            run.measured(self.args.moved);
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
}

fn none_found() -> Failure {
    let text = "this machine has no battery that discharges and shows no processor package's energy (which root alone may \
                read): name a meter with --meter, such as scpi:HOST:PORT or hwmon:NAME";
    Failure::Environment(text.to_owned())
}
