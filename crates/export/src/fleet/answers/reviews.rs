//! Every result, a row for each of its drives.

use std::collections::{BTreeMap, HashMap};

use super::in_thousandths;
use crate::fleet::findings::ReviewRow;
use crate::fleet::passes::{RunDevice, RunDevices, RunName};
use crate::fleet::tables::{DriveRow, RunRow};

/// All rows of the catalogue in the order in which the results began.
pub fn reviews(
    catalogue: &[RunRow],
    drives: &[DriveRow],
    runs: &BTreeMap<RunName, RunDevices>,
) -> Vec<ReviewRow> {
    let mut of_run: HashMap<(&str, &str), Vec<&DriveRow>> = HashMap::new();
    for drive in drives {
        of_run.entry((&drive.host, &drive.run)).or_default().push(drive);
    }
    let mut rows: Vec<(&RunRow, Option<&DriveRow>)> = Vec::new();
    for run in catalogue {
        match of_run.get(&(run.host.as_str(), run.run.as_str())) {
            Some(drives) => rows.extend(drives.iter().map(|drive| (run, Some(*drive)))),
            None => rows.push((run, None)),
        }
    }
    rows.sort_by_key(|(run, drive)| {
        let drive = drive.map(|drive| (&drive.drive, &drive.device));
        (run.start_unix_ns, &run.run, &run.host, drive)
    });
    let figures = |run: &RunRow, drive: Option<&DriveRow>| {
        let devices = runs.get(&(run.host.clone(), run.run.clone()))?;
        let device = &drive?.device;
        devices.iter().find(|(name, _)| **name == **device).map(|(_, figures)| figures.clone())
    };
    rows.into_iter().map(|(run, drive)| row(run, drive, figures(run, drive).as_ref())).collect()
}

fn row(run: &RunRow, drive: Option<&DriveRow>, figures: Option<&RunDevice>) -> ReviewRow {
    let measured = figures.and_then(|figures| figures.measured);
    let rate = |whole: Option<u64>, inner: Option<u64>| {
        let (amount, seconds) = if figures?.has_others {
            (inner?, measured?.inner_seconds as f64)
        } else {
            (whole?, run.seconds)
        };
        (seconds != 0.0).then(|| amount as f64 / seconds)
    };
    let tenths = |value: f64| (value * 10.0 + 0.5).floor() / 10.0;
    let iops = rate(measured.map(|run| run.ios), measured.map(|run| run.inner_ios));
    let bytes = rate(measured.map(|run| run.bytes), measured.map(|run| run.inner_bytes));
    let counted = run.flash_bytes_written.zip(run.host_bytes_written.filter(|host| *host > 0));
    let known = |own: Option<&String>, of_run: &Option<String>| own.cloned().or_else(|| of_run.clone());
    ReviewRow {
        run: run.run.clone(),
        host: run.host.clone(),
        drive: drive.map(|drive| drive.drive.clone()),
        drive_model: known(drive.and_then(|drive| drive.drive_model.as_ref()), &run.drive_model),
        firmware: known(drive.and_then(|drive| drive.firmware.as_ref()), &run.firmware),
        kind: run.kind.clone(),
        label: run.label.clone(),
        started: run.start.clone(),
        ios: measured.map(|run| run.ios),
        bytes: measured.map(|run| run.bytes),
        iops: iops.map(tenths),
        mb_s: bytes.map(|bytes| tenths(bytes / 1e6)),
        read_p99_us: figures.and_then(|figures| figures.read_p99_us),
        write_p99_us: figures.and_then(|figures| figures.write_p99_us),
        write_amplification: counted.map(|(flash, host)| in_thousandths(flash as f64 / host as f64)),
    }
}
