//! What is read beside a command that keeps no run: the machine, and a meter where there is one.

use std::path::Path;

use drivelab_analysis::RunSpan;
use drivelab_block::Instant;
use drivelab_method::Interrupt;
use drivelab_record::{EnergyDocument, Outcome, Stretch};
use drivelab_report::{BesideReport, beside_html};
use drivelab_safety::DeviceNumber;
use drivelab_uring::Clock;

use super::power::{ENERGY_FILE, Metering, POWER_FILE, keep_figures, monotonic_s, seconds, show_figures};
use super::{MACHINE, MachineWatch};
use crate::MeterOptions;
use crate::kept_gauges;
use crate::output;
use crate::{Ending, Failure};

/// The page of what was read beside a command.
pub const BESIDE_PAGE: &str = "beside.html";

/// A command that keeps no run, and what is to be read beside it.
pub struct Task<'a> {
    /// How the power is measured, where at all.
    pub meter: &'a MeterOptions,
    /// What the command is called.
    pub command: &'a str,
    /// What the command works on.
    pub target: &'a str,
    /// Where everything is kept; without it the machine is not watched.
    pub folder: Option<&'a Path>,
    /// The device that is watched with the machine, where it is known.
    pub device: Option<DeviceNumber>,
    /// The clock of the readings.
    pub clock: Clock,
    /// Whether the command prints a document: the figures go to stderr then.
    pub json: bool,
}

impl Task<'_> {
    /// Does the task, with everything read before, meanwhile and afterwards, and has `show` say what it came to and took.
    ///
    /// # Errors
    /// Those of the task; where the meter cannot be read, or the readings cannot be kept.
    pub fn run<T>(
        &self,
        interrupt: &Interrupt,
        task: impl FnOnce() -> T,
        show: impl FnOnce(T, Option<EnergyDocument>) -> Result<Ending, Failure>,
    ) -> Result<Ending, Failure> {
        let machine = self.watch_machine(interrupt)?;
        let metering = self.begin_metering(interrupt)?;
        let began = (self.clock.now(), monotonic_s());
        machine.mark();
        let done = task();
        machine.mark();
        let until = (self.clock.now(), monotonic_s());
        let stretch = Stretch { from_s: began.1, to_s: until.1 };
        let energy = metering.map(|metering| self.energy(metering, stretch, interrupt)).transpose();
        let known = energy.as_ref().ok().and_then(Option::as_ref);
        let ended = show(done, known.cloned());
        let told = known.map_or(Ok(()), |document| self.tell(document));
        if let Err(error) = machine.finish(interrupt) {
            output::say(format_args!("What the machine did beside it is not all kept: {error}."));
        }
        let page = self.page((began.0, until.0), known);
        // What went wrong with the task itself is told before what went wrong beside it.
        let (ended, energy) = (ended?, energy?);
        told?;
        page?;
        let is_withheld = energy.is_some_and(|energy| energy.withheld.is_some());
        Ok(if ended == Ending::Passed && is_withheld { Ending::CheckFailed } else { ended })
    }

    /// Watches the machine where there is a folder. What an earlier start of the same command left there is set aside.
    fn watch_machine(&self, interrupt: &Interrupt) -> Result<MachineWatch, Failure> {
        let Some(folder) = self.folder else { return Ok(MachineWatch::nothing()) };
        output::make_folder(folder)?;
        for name in [MACHINE, POWER_FILE, ENERGY_FILE, BESIDE_PAGE] {
            output::set_aside(folder, name)?;
        }
        Ok(MachineWatch::start(folder, self.device, self.clock, interrupt)?)
    }

    fn begin_metering(&self, interrupt: &Interrupt) -> Result<Option<Metering>, Failure> {
        let Some(spec) = &self.meter.meter else { return Ok(None) };
        let mut metering = Metering::open(spec, self.meter)?;
        if let Some(folder) = self.folder {
            metering.keep_in(folder, monotonic_s() - seconds(self.clock.now()))?;
        }
        metering.idle_before(interrupt);
        Ok(Some(metering))
    }

    /// Ends the reading of the meter, and says what the task took.
    fn energy(
        &self,
        metering: Metering,
        stretch: Stretch,
        interrupt: &Interrupt,
    ) -> Result<EnergyDocument, Failure> {
        let mut report = metering.finish(interrupt)?.report(stretch);
        report.battery_wh = self.meter.battery;
        report.target = Some(self.target.to_owned());
        Ok(EnergyDocument::of(&report))
    }

    /// Shows what the task took, and keeps it where there is a folder.
    fn tell(&self, energy: &EnergyDocument) -> Result<(), Failure> {
        show_figures(energy, self.json)?;
        energy.notices.iter().for_each(output::say);
        self.folder.map_or(Ok(()), |folder| keep_figures(folder, energy))
    }

    /// Draws what was read on one axis of time.
    fn page(
        &self,
        (from, until): (Instant, Instant),
        energy: Option<&EnergyDocument>,
    ) -> Result<(), Failure> {
        let Some(folder) = self.folder else { return Ok(()) };
        let span = RunSpan { began: from, shown_from: from, shown_until: until, ended: until };
        let gauges = kept_gauges::of_folder(folder, span);
        keep_beside(folder, &BesideReport { command: self.command, target: self.target, gauges, energy })
    }
}

/// Leaves the page of what was read beside a command in its folder, where anything was.
pub fn keep_beside(folder: &Path, report: &BesideReport<'_>) -> Result<(), Failure> {
    if report.is_empty() {
        if !report.gauges.is_empty() {
            output::say("Nothing was read beside it: it was over within a tenth of a second.");
        }
        return Ok(());
    }
    let path = folder.join(BESIDE_PAGE);
    output::write_file(&path, beside_html(report).as_bytes())?;
    output::say(format_args!("what was read beside it: {}", path.display()));
    Ok(())
}

/// What a kept run took, where that was measured.
pub fn energy_of(outcome: &Outcome) -> Option<EnergyDocument> {
    outcome.energy.clone()
}
