//! A meter beside a whole command that keeps no run.

use std::path::Path;

use drivelab_method::Interrupt;
use drivelab_report::{EnergyDocument, Stretch, energy_terminal};

use super::{Metering, keep_figures, keep_power, monotonic_s};
use crate::args::MeterArgs;
use crate::bench::TargetName;
use crate::commands::output;
use crate::exit::{Ending, Failure};

/// What is measured beside a command.
pub struct Task<'a> {
    /// How, where at all.
    pub meter: &'a MeterArgs,
    /// What the command works on.
    pub target: &'a str,
    /// Where the figures and the power over time are kept besides.
    pub folder: Option<&'a Path>,
    /// Whether the command prints a document: the figures go to stderr then.
    pub json: bool,
}

impl Task<'_> {
    /// Does the task, with the meter read before, meanwhile and afterwards, and says what it took.
    ///
    /// # Errors
    /// Those of the task; where the meter cannot be read, or the figures cannot be kept.
    pub fn run(
        &self,
        interrupt: &Interrupt,
        task: impl FnOnce() -> Result<Ending, Failure>,
    ) -> Result<Ending, Failure> {
        let Some(spec) = &self.meter.meter else { return task() };
        let mut metering = Metering::open(spec, self.meter)?;
        metering.idle_before(interrupt);
        let from_s = monotonic_s();
        let ended = task();
        let to_s = monotonic_s();
        let mut report = metering.finish(interrupt)?.report(Stretch { from_s, to_s });
        report.battery_wh = self.meter.battery;
        report.target = Some(self.target.to_owned());
        let document = EnergyDocument::of(&report);
        show_figures(&document, self.json)?;
        document.notices.iter().for_each(output::say);
        if let Some(folder) = self.folder.filter(|folder| folder.is_dir()) {
            keep_figures(folder, &document)?;
            keep_power(folder, &report)?;
        }
        match ended? {
            Ending::Passed if document.withheld.is_some() => Ok(Ending::CheckFailed),
            ended => Ok(ended),
        }
    }
}

/// Shows the figures after a summary, or on stderr where stdout has a document.
pub fn show_figures(document: &EnergyDocument, json: bool) -> Result<(), Failure> {
    let text = energy_terminal(document, output::style());
    if json {
        output::say(text.trim_end());
        return Ok(());
    }
    output::print(&text).map(drop)
}

/// Refuses a meter beside a command that keeps no run, where the target is simulated.
pub fn check_task_meter(args: &MeterArgs, target: Option<&TargetName>) -> Result<(), Failure> {
    match (&args.meter, target) {
        (Some(_), Some(TargetName::Simulated(_))) => Err(Failure::Usage(
            "--meter: a simulated drive's own account is shown by consistency, load, replay, stalls and trim: use one of \
             them with --meter sim"
                .to_owned(),
        )),
        _ => super::check_meter(args, target.map_or(&[], std::slice::from_ref)),
    }
}
