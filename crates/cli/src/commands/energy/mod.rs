//! `drivelab energy`: what any command takes, by a meter.

mod compare;
mod task;

use std::path::Path;

use drivelab_meter::{Meter, MeterSpec};
use drivelab_record::{Drive, Severity};
use drivelab_runner::{
    Destination, Ending, Failure, MeterOptions, Surroundings, UnrecordedRun, UnrecordedStart, Watch,
    check_volts, folder_complaint, machine_conditions, signals, started_now,
};
use drivelab_tests::energy::{Energy, EnergyFindings, EnergySettings};
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
    Failure::all(folder.and_then(|folder| folder_complaint("--output", folder, false)))?;
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let program = task::find(&args.command)?;
    let meter = MeterOptions { meter: Some(spec), ..MeterOptions::clone(&args.meter) };
    let (command, target) = (args.command.clone(), args.command.join(" "));
    let mut run: UnrecordedRun<'_, Energy> = UnrecordedRun::begin(UnrecordedStart {
        target: &target,
        settings: EnergySettings {
            command,
            moved_bytes: args.moved.map(drivelab_block::ByteCount::get),
            baseline_ns: meter.baseline.get(),
        },
        seed: 0,
        drive: Drive::default(),
        conditions: machine_conditions(),
        started: started_now(),
        destination: Destination {
            folder,
            page: None,
            json: args.json.is_asked(),
            name: args.name.result_name(),
        },
        interrupt: interrupt.clone(),
        surroundings: Some(Surroundings {
            device: None,
            clock: Clock::start(),
            target: Watch::nothing(),
            meter: &meter,
        }),
    })?;
    let ended = if run.is_interrupted() {
        Ok(None)
    } else {
        task::run(&program, &args.command, args.json.is_asked(), &interrupt).map(Some)
    };
    run.measured(args.moved);
    match ended {
        Ok(Some(exit_code)) => {
            let findings = EnergyFindings { exit_code };
            findings.failure().into_iter().for_each(|text| run.notice(Severity::Failure, text));
            let kept = run.found(findings);
            run.finish_on_stderr(kept)
        }
        Ok(None) => run.end(Ok(())).map_or(Ok(Ending::Interrupted), |_| Ok(Ending::Interrupted)),
        Err(failure) => run.finish(Err(failure)),
    }
}

fn none_found() -> Failure {
    let text = "this machine has no battery that discharges and shows no processor package's energy (which root alone may \
                read): name a meter with --meter, such as scpi:HOST:PORT or hwmon:NAME";
    Failure::Environment(text.to_owned())
}
