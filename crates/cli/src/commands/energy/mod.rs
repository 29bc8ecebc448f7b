//! `drivelab energy`: what any command takes, by a meter.

mod compare;
mod task;

use std::path::Path;

use drivelab_meter::{Meter, MeterSpec};
use drivelab_record::{EnergyDocument, Stretch};
use drivelab_report::{energy_html, energy_terminal};
use drivelab_runner::{
    Ending, Failure, Metering, check_volts, folder_complaint, keep_figures, keep_power, output, signals,
};

use crate::args::EnergyArgs;

/// What is left of a command's energy that is given up.
const GIVEN_UP: &str = "nothing is kept";

/// The page in the folder.
const PAGE: &str = "report.html";

/// Runs a command beside a meter, or compares two that were.
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
    let mut metering = Metering::open(&spec, &args.meter)?;
    if let Some(folder) = folder {
        output::make_folder(folder)?;
    }
    metering.idle_before(&interrupt);
    if interrupt.is_raised() {
        return Ok(Ending::Interrupted);
    }
    let ended = task::run(&program, &args.command, args.json.is_asked(), &interrupt)?;
    let mut report = metering.finish(&interrupt)?.report(Stretch { from_s: ended.from_s, to_s: ended.to_s });
    report.bytes = args.moved.map(drivelab_block::ByteCount::get);
    report.battery_wh = args.meter.battery;
    report.command = Some(args.command.clone());
    report.exit_code = ended.exit_code;
    let document = EnergyDocument::of(&report);
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else {
        let text = energy_terminal(&document, output::style());
        output::say(text.trim_end());
    }
    document.notices.iter().for_each(output::say);
    if let Some(folder) = folder {
        keep_figures(folder, &document)?;
        keep_power(folder, &report)?;
        let page = folder.join(PAGE);
        output::write_file(&page, energy_html(&report).as_bytes())?;
        output::say(format_args!("report: {}", page.display()));
    }
    Ok(match &document {
        _ if interrupt.is_raised() => Ending::Interrupted,
        document if document.withheld.is_some() || document.exit_code != Some(0) => Ending::CheckFailed,
        _ => Ending::Passed,
    })
}

fn none_found() -> Failure {
    let text = "this machine has no battery that discharges and shows no processor package's energy (which root alone may \
                read): name a meter with --meter, such as scpi:HOST:PORT or hwmon:NAME";
    Failure::Environment(text.to_owned())
}
