//! From what was kept of boots to their findings.

use std::collections::HashMap;

use drivelab_block::{ByteCount, PlacedDrive, WhichDrive, number_drives};
use drivelab_boot::{BootDrive, BootRecord, ManagerTimes, ProcessorSample, UnitTimes};
use drivelab_documents::{ClockTime, Notice};
use drivelab_stats::MeansRatio;

use super::findings::{
    BootComparison, BootFindings, BootProcessorUse, BootSeconds, BootedDrive, BootedTarget, OneBoot,
    ProgramFindings, UnitFindings,
};
use super::io::BootIo;
use crate::MeanOverRuns;

/// Less of the kernel's own count than this in the trace, and the boot's figures lack a part. What is not traced: requests that
/// are no reads and writes of blocks.
const TRACED_SHARE: f64 = 0.98;

/// One boot as it was kept.
#[derive(Clone, Debug)]
pub struct BootReport {
    /// The folder.
    pub folder: String,
    /// Its record.
    pub record: BootRecord,
    /// When the kernel began, as far as that was kept.
    pub began: Option<ClockTime>,
    /// The I/O of the drive that the machine booted from, or of all drives where that is not known.
    pub io: BootIo,
}

/// Boots with their findings.
#[derive(Clone, Debug)]
pub struct BootPage<'a> {
    /// Each boot.
    pub reports: &'a [BootReport],
    /// What was found.
    pub findings: BootFindings,
    /// The boot of each drive that is shown in detail: the one with the median time.
    pub shown: Vec<usize>,
}

impl BootReport {
    /// When the boot was over, in nanoseconds from the kernel's beginning; the end of the trace where it did not come to an end.
    pub fn until_ns(record: &BootRecord) -> u64 {
        record.times.finish_us.map_or(record.traced_until_ns, |finish| finish.saturating_mul(1000))
    }

    fn total_s(&self) -> Option<f64> {
        self.record.times.finish_us.map(seconds)
    }

    fn findings(&self, drive: &str) -> OneBoot {
        let record = &self.record;
        OneBoot {
            folder: self.folder.clone(),
            drive: drive.to_owned(),
            began: self.began,
            machine: record.machine.name.clone(),
            version: record.version.clone(),
            kernel: record.machine.kernel.clone(),
            command_line: record.machine.command_line.clone(),
            seconds: boot_seconds(&record.times),
            target: record.target.as_ref().map(|target| BootedTarget {
                name: target.name.clone(),
                reached_s: seconds(target.reached_us),
            }),
            requests: self.io.requests,
            read_bytes: self.io.read_bytes(),
            written_bytes: self.io.written_bytes(),
            peak: self.io.peak(),
            drive_busy_s: self.drive_busy_s(),
            traced_share: self.traced_share(),
            processors: processor_use(&record.processors),
            units: record.units.iter().map(unit).collect(),
            programs: self.programs(),
            notices: self.notices(),
        }
    }

    fn drive_busy_s(&self) -> f64 {
        self.io.busy_ns as f64 / 1e9
    }

    /// The share of what the kernel counted that is in the trace.
    fn traced_share(&self) -> Option<f64> {
        let counted = self.record.counters?.read_bytes;
        (counted > 0).then(|| self.io.traced_read as f64 / counted as f64)
    }

    fn programs(&self) -> Vec<ProgramFindings> {
        let until = BootReport::until_ns(&self.record);
        let mut found: HashMap<String, ProgramFindings> = self.io.programs.clone();
        for process in self.record.processes.iter().filter(|process| process.began_ns <= until) {
            let program = found.entry(process.name.clone()).or_default();
            program.runs += 1;
            program.began_s.get_or_insert(process.began_ns as f64 / 1e9);
            let ended = process.ended_ns.unwrap_or(until).min(until);
            program.lived_s += ended.saturating_sub(process.began_ns) as f64 / 1e9;
        }
        let named = found.into_iter().map(|(name, program)| ProgramFindings { name, ..program });
        let mut programs: Vec<ProgramFindings> = named.collect();
        programs.sort_by(|one, other| (other.read_bytes, &one.name).cmp(&(one.read_bytes, &other.name)));
        programs
    }

    fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self.record.notices.iter().map(Notice::warning).collect();
        let share = self.traced_share().filter(|share| *share < TRACED_SHARE);
        notices.extend(share.map(|share| {
            Notice::warning(format!(
                "The trace has {:.1} % of the bytes that the kernel counted as read from the drive.",
                share * 100.0
            ))
        }));
        if self.record.drive.is_none() {
            let text = "The root file system is on no single drive: I/O is that of all drives.";
            notices.push(Notice::note(text));
        }
        notices
    }
}

impl<'a> BootPage<'a> {
    /// Puts boots together by their drives.
    pub fn from_reports(reports: &'a [BootReport]) -> BootPage<'a> {
        let placed: Vec<PlacedDrive> = reports.iter().map(|report| placed(&report.record)).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (place, number) in number_drives(&placed).into_iter().enumerate() {
            match groups.get_mut(number) {
                Some(group) => group.push(place),
                None => groups.push(vec![place]),
            }
        }
        let labels = labels(reports, &groups);
        let drives: Vec<BootedDrive> =
            groups.iter().zip(&labels).map(|(group, label)| drive(reports, group, label)).collect();
        let mut boots: Vec<OneBoot> = Vec::new();
        for (group, label) in groups.iter().zip(&labels) {
            boots.extend(group.iter().map(|place| reports[*place].findings(label)));
        }
        let comparisons = comparisons(reports, &groups, &labels);
        let shown = groups.iter().map(|group| median(reports, group)).collect();
        BootPage { reports, findings: BootFindings { drives, comparisons, boots }, shown }
    }
}

/// Which drive a machine booted from.
pub fn which_booted(drive: &BootDrive) -> WhichDrive {
    WhichDrive {
        model: drive.model.clone(),
        serial: drive.serial.clone(),
        wwn: drive.wwn.clone(),
        size: Some(ByteCount::new(drive.size_bytes)),
        ..WhichDrive::default()
    }
}

/// A drive without a serial number is known by its name and size.
fn placed(record: &BootRecord) -> PlacedDrive {
    let drive = record.drive.as_ref();
    let place = drive.map(|drive| format!("{} of {} bytes", drive.name, drive.size_bytes));
    PlacedDrive { which: drive.map(which_booted).unwrap_or_default(), place: place.unwrap_or_default() }
}

/// The models, with the serial number where two drives have the same.
fn labels(reports: &[BootReport], groups: &[Vec<usize>]) -> Vec<String> {
    let drives: Vec<Option<&BootDrive>> =
        groups.iter().map(|group| reports[group[0]].record.drive.as_ref()).collect();
    let model = |drive: Option<&BootDrive>| {
        drive.map_or_else(
            || "several drives".to_owned(),
            |drive| drive.model.clone().unwrap_or_else(|| drive.name.clone()),
        )
    };
    let models: Vec<String> = drives.iter().copied().map(model).collect();
    let is_unique = |place: usize| models.iter().filter(|other| **other == models[place]).count() == 1;
    let label = |place: usize| match drives[place].and_then(|drive| drive.serial.as_ref()) {
        Some(serial) if !is_unique(place) => format!("{} ({serial})", models[place]),
        _ => models[place].clone(),
    };
    (0..groups.len()).map(label).collect()
}

fn drive(reports: &[BootReport], group: &[usize], label: &str) -> BootedDrive {
    let own = || group.iter().map(|place| &reports[*place]);
    let known = reports[group[0]].record.drive.as_ref();
    let ended = || own().filter(|report| report.total_s().is_some());
    let mean = |of: &dyn Fn(&BootReport) -> Option<f64>| {
        MeanOverRuns::from_values(&ended().filter_map(of).collect::<Vec<f64>>())
    };
    BootedDrive {
        label: label.to_owned(),
        model: known.and_then(|drive| drive.model.clone()),
        serial: known.and_then(|drive| drive.serial.clone()),
        size_bytes: known.map(|drive| drive.size_bytes),
        boots: group.len() as u64,
        finished: ended().count() as u64,
        total_s: mean(&BootReport::total_s),
        target_s: mean(&|report| report.record.target.as_ref().map(|target| seconds(target.reached_us))),
        read_bytes: mean(&|report| Some(report.io.read_bytes() as f64)),
        peak_read_bytes_per_s: mean(&|report| report.io.peak().map(|peak| peak.bytes_per_s)),
        drive_busy_s: mean(&|report| Some(report.drive_busy_s())),
    }
}

/// The boot with the median time, the lower one of two; the first where none came to its end.
fn median(reports: &[BootReport], group: &[usize]) -> usize {
    let mut ended: Vec<(f64, usize)> =
        group.iter().filter_map(|place| Some((reports[*place].total_s()?, *place))).collect();
    ended.sort_by(|one, other| one.0.total_cmp(&other.0));
    ended.get(ended.len().saturating_sub(1) / 2).map_or(group[0], |(_, place)| *place)
}

/// Each drive against the fastest one.
fn comparisons(reports: &[BootReport], groups: &[Vec<usize>], labels: &[String]) -> Vec<BootComparison> {
    let times = |group: &Vec<usize>| -> Vec<f64> {
        group.iter().filter_map(|place| reports[*place].total_s()).collect()
    };
    let mut drives: Vec<(&String, Vec<f64>)> =
        labels.iter().zip(groups).map(|(label, group)| (label, times(group))).collect();
    drives.retain(|(_, times)| !times.is_empty());
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    drives.sort_by(|one, other| mean(&one.1).total_cmp(&mean(&other.1)));
    let Some(((fastest, quick), others)) = drives.split_first() else { return Vec::new() };
    let compare = |(other, slow): &(&String, Vec<f64>)| BootComparison {
        fastest: (*fastest).clone(),
        other: (*other).clone(),
        times_as_long: mean(slow) / mean(quick),
        interval: MeansRatio::compare(slow, quick).and_then(|ratio| ratio.interval),
    };
    others.iter().map(compare).collect()
}

fn boot_seconds(times: &ManagerTimes) -> BootSeconds {
    let before =
        |from: Option<u64>, until: Option<u64>| Some(seconds(from?.checked_sub(until.unwrap_or(0))?));
    BootSeconds {
        firmware: before(times.firmware_us, times.loader_us),
        loader: times.loader_us.map(seconds),
        kernel: seconds(times.initrd_us.unwrap_or(times.userspace_us)),
        initrd: before(Some(times.userspace_us), times.initrd_us).filter(|_| times.initrd_us.is_some()),
        userspace: before(times.finish_us, Some(times.userspace_us)),
        total: times.finish_us.map(seconds),
    }
}

/// From the kernel's beginning to the last sample.
fn processor_use(samples: &[ProcessorSample]) -> Option<BootProcessorUse> {
    let last = samples.last()?;
    let all = (last.busy + last.waiting + last.idle + last.stolen) as f64;
    let share = |ticks: u64| ticks as f64 / all;
    (all > 0.0).then(|| BootProcessorUse {
        busy: share(last.busy),
        waiting: share(last.waiting),
        idle: share(last.idle),
        stolen: share(last.stolen),
    })
}

fn unit(unit: &UnitTimes) -> UnitFindings {
    UnitFindings {
        name: unit.name.clone(),
        began_s: seconds(unit.began_us),
        took_s: unit.took_us().map(seconds),
        processor_s: unit.processor_ns.map(|nanos| nanos as f64 / 1e9),
        read_bytes: unit.read_bytes,
        written_bytes: unit.written_bytes,
    }
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}
