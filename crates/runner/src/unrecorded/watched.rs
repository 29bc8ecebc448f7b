//! What is read beside a run without records: the machine, the drive's temperature, a meter.

use std::path::Path;

use drivelab_block::{ByteCount, Instant};
use drivelab_documents::{EnergyDocument, Manifest, Notice, Phase, Stretch};
use drivelab_method::{Interrupt, StandstillWatch as _};
use drivelab_safety::DeviceNumber;
use drivelab_stats::{PowerTrack, Standstill};
use drivelab_uring::Clock;

use crate::heartbeat::HeartbeatReader;
use crate::machine_watch::DriveGauges;
use crate::manifest_writer::not_watched;
use crate::power::{self, Metering, POWER_FILE, seconds};
use crate::{ENERGY_FILE, Failure, Heartbeat, MACHINE, MachineWatch, MeterOptions, Real, Watch, output};

/// A real machine around a run.
#[derive(Debug)]
pub struct HostMonitors<'a> {
    /// The device that is watched with the machine, where it is known.
    pub device: Option<DeviceNumber>,
    /// The clock of the readings.
    pub clock: Clock,
    /// The target: its temperature, and who uses it.
    pub target: Watch,
    /// How the power is measured, where at all.
    pub meter: &'a MeterOptions,
}

impl<'a> HostMonitors<'a> {
    pub(crate) fn of_real(real: &Real, target: Watch, meter: &'a MeterOptions) -> HostMonitors<'a> {
        HostMonitors { device: Some(real.device()), clock: real.clock, target, meter }
    }
}

/// Everything that is read, while it is read.
pub struct Watched {
    clock: Clock,
    /// The target: its temperature, and who uses it.
    pub target: Watch,
    machine: MachineWatch,
    trouble: Option<Notice>,
    pub metering: Option<Metering>,
    /// Whether the program itself runs. A command that is measured may go on while this program is stopped, and its end is then
    /// seen late.
    heartbeat: Option<HeartbeatReader>,
    pub began: Instant,
}

impl Watched {
    /// Begins to read, in a folder where there is one, and does nothing for a while. What an earlier start of the same run left
    /// is set aside. A run whose machine is not watched is still a run, and says so at its end.
    pub fn begin(
        surroundings: HostMonitors<'_>,
        mut metering: Option<Metering>,
        folder: Option<&Path>,
        interrupt: &Interrupt,
    ) -> Result<Watched, Failure> {
        let HostMonitors { device, clock, target, .. } = surroundings;
        let (mut machine, mut trouble) = (MachineWatch::default(), None);
        if let Some(folder) = folder {
            for name in [MACHINE, POWER_FILE, ENERGY_FILE] {
                output::set_aside(folder, name)?;
            }
            let drive = DriveGauges { device, heat: target.heat_gauges() };
            match MachineWatch::start((Some(folder), None), drive, clock, interrupt) {
                Ok(watch) => machine = watch,
                Err(error) => trouble = Some(not_watched(&error)),
            }
        }
        // Before the idle time: what this takes is part of what the machine takes without the task.
        let heartbeat = Heartbeat::start(clock).ok();
        if let Some(metering) = &mut metering {
            metering.begin(folder, clock, interrupt)?;
        }
        machine.mark();
        let heartbeat = heartbeat.map(|heartbeat| heartbeat.reader());
        let began = clock.now();
        Ok(Watched { clock, target, machine, trouble, metering, heartbeat, began })
    }

    /// What is measured ends now; returns when that is.
    pub fn measured(&self) -> Instant {
        self.machine.mark();
        self.clock.now()
    }

    /// Does nothing for a while, where a meter is read, and begins another run of what is measured; returns when that begins.
    /// `None` where the user ended the idle time, or the meter gives nothing any more.
    pub fn begin_another(&mut self, interrupt: &Interrupt) -> Option<Instant> {
        let may_begin = self.metering.as_mut().is_none_or(|metering| metering.idle_between(interrupt));
        may_begin.then(|| {
            self.machine.mark();
            self.clock.now()
        })
    }

    /// When the program stood still since the last call.
    pub fn standstills(&mut self) -> Vec<Standstill> {
        let now = self.clock.now();
        let new = self.heartbeat.as_mut().map(|heartbeat| {
            heartbeat.wait_for(now);
            heartbeat.take()
        });
        new.into_iter().flatten().collect()
    }

    /// Reads on for an idle time, ends, and notes in the manifest what was drawn, also for each of the bytes that each run moved:
    /// the mean over the runs that `is_counted` takes. Returns what each run took; nothing where no meter was read.
    pub fn finish(
        mut self,
        manifest: &mut Manifest,
        (folder, moved): (Option<&Path>, Option<ByteCount>),
        is_counted: impl Fn(usize) -> bool,
        interrupt: &Interrupt,
    ) -> Vec<EnergyDocument> {
        let metering = self.metering.take();
        let runs = metering.map(|metering| {
            let found = measured_runs(metering, manifest, moved, interrupt);
            let (track, runs) = match found {
                Ok((runs, track)) => (Ok(track), runs),
                Err(failure) => (Err(failure), Vec::new()),
            };
            let nothing = || Failure::Environment("nothing was measured".to_owned());
            let mean = EnergyDocument::over_runs(&runs, is_counted).ok_or_else(nothing);
            power::note(manifest, folder, track.and_then(|track| Ok((mean?, track))));
            runs
        });
        let ended = self.machine.finish(interrupt).err().map(|error| not_watched(&error));
        manifest.notices.extend(self.trouble.or(ended));
        runs.unwrap_or_default()
    }
}

/// What each run took, and the readings of all of them.
fn measured_runs(
    metering: Metering,
    manifest: &Manifest,
    moved: Option<ByteCount>,
    interrupt: &Interrupt,
) -> Result<(Vec<EnergyDocument>, PowerTrack), Failure> {
    let metered = metering.finish(interrupt)?;
    let idle = metered.idle_around(manifest.phases.len());
    let mut report = metered.report;
    (report.bytes, report.target) = (moved.map(ByteCount::get), Some(manifest.target.clone()));
    let runs = manifest.phases.iter().zip(idle).map(|(phase, idle)| {
        (report.task, report.idle) = (stretch(phase), idle);
        EnergyDocument::from_report(&report)
    });
    let runs = runs.collect();
    Ok((runs, report.track))
}

/// From the begin of a run to its end; nothing of one that has not ended.
fn stretch(phase: &Phase) -> Stretch {
    let at = |nanos| seconds(Instant::from_nanos(nanos));
    let from_s = at(phase.started_at_ns);
    Stretch { from_s, to_s: phase.ended_at_ns.map_or(from_s, at) }
}
