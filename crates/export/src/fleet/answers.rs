//! The answers, made of the sums: the queries in `sql/`, whose rounding they have.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use drivelab_block::Op;

use crate::fleet::findings::{
    AmplificationRow, HourRow, Operation, PeerRow, PercentileRow, ReviewRow, SlowerRow, SlowestRow,
};
use crate::fleet::machines::Machines;
use crate::fleet::passes::{
    DriveSums, HourSums, ReadTimes, RunDevice, RunDevices, RunName, SlowUnits, VersionSums, place_of,
};
use crate::fleet::registry::{DriveName, Registry};
use crate::fleet::tables::{DriveRow, RunRow};

/// A row for each model, firmware and operation that has measured I/Os.
pub fn percentiles_by_model(registry: &Registry, versions: &[[VersionSums; 4]]) -> Vec<PercentileRow> {
    let mut named_sums: Vec<_> = registry.versions.names.iter().zip(versions).collect();
    named_sums.sort_by_key(|(name, _)| *name);
    let rows = named_sums.into_iter().flat_map(|((model, firmware), of_op)| {
        let of_op = Operation::ALL.into_iter().zip(of_op);
        of_op.filter(|(_, sums)| !sums.drives.is_empty()).map(move |(operation, sums)| PercentileRow {
            drive_model: named(model),
            firmware: named(firmware),
            operation,
            drives: sums.drives.len() as u64,
            hosts: sums.machines.count(),
            ios: sums.ios,
            failed_ios: sums.failed_ios,
            bytes: sums.bytes,
            p50_us: sums.times.micros_at(500),
            p99_us: sums.times.micros_at(990),
            p999_us: sums.times.micros_at(999),
        })
    });
    rows.collect()
}

/// A row for each operation and hour with measured I/Os whose service time is known.
pub fn hours_of_day(hours: &[[HourSums; 24]; 4]) -> Vec<HourRow> {
    let of_op = Operation::ALL.into_iter().zip(hours);
    let rows = of_op.flat_map(|(operation, hours)| {
        (0_u64..).zip(hours).filter_map(move |(hour_utc, sums)| {
            let ios = sums.times.ios;
            Some(HourRow {
                operation,
                hour_utc,
                ios,
                slow_ios: sums.slow_ios,
                p99_us: sums.times.micros_at(990)?,
                slow_ppm: in_ppm(sums.slow_ios as f64 / ios as f64),
            })
        })
    });
    rows.collect()
}

const SLOWEST_ROWS_MAX: usize = 100;
/// With fewer intervals the spread between them is not known well enough.
const LEAST_INTERVALS: u64 = 30;
/// The 95th percentile of the normal distribution, in standard deviations.
const BOUND_DEVIATIONS: f64 = 1.645;

/// The drives with the largest lower bounds of their shares, then those with the largest shares. The standard error is that of
/// a ratio estimate (Cochran, Sampling Techniques, 1977, chapter 6) with the intervals as units.
pub fn slowest_drives(
    registry: &Registry,
    drives: &[DriveSums],
    slow_ios: &[u64],
    units: &[SlowUnits],
) -> Vec<SlowestRow> {
    let sums = drives.iter().zip(slow_ios).zip(units);
    let mut rows: Vec<SlowestRow> = registry
        .drives
        .names
        .iter()
        .zip(sums)
        .filter(|(_, ((sums, _), _))| sums.ios() > 0)
        .map(|(name, ((sums, slow), units))| {
            let ios = sums.ios();
            let share = *slow as f64 / ios as f64;
            let error = (units.intervals >= LEAST_INTERVALS).then(|| {
                let intervals = units.intervals as f64 / (units.intervals - 1) as f64;
                (intervals * units.squares()).sqrt() / ios as f64
            });
            let bound = error.map(|error| {
                if share > BOUND_DEVIATIONS * error { share - BOUND_DEVIATIONS * error } else { 0.0 }
            });
            SlowestRow {
                drive: name.drive.to_string(),
                drive_model: name.model.as_deref().map(str::to_owned),
                host: text(sums.host()),
                intervals: units.intervals,
                ios,
                slow_ios: *slow,
                slow_ppm: in_ppm(share),
                standard_error_ppm: error.map(in_ppm),
                lower_bound_ppm: bound.map(in_ppm),
            }
        })
        .collect();
    // A bound that is not known comes last.
    let bound = |row: &SlowestRow| row.lower_bound_ppm.unwrap_or(-1.0);
    rows.sort_by(|one, other| {
        let by_bound = bound(other).total_cmp(&bound(one));
        let by_share = other.slow_ppm.total_cmp(&one.slow_ppm);
        let by_model = || absent_last(one.drive_model.as_ref(), other.drive_model.as_ref());
        by_bound.then(by_share).then_with(|| one.drive.cmp(&other.drive)).then_with(by_model)
    });
    rows.truncate(SLOWEST_ROWS_MAX);
    rows
}

/// The fewest reads of which a p99 is compared: 100 of them are at or above it.
const LEAST_READS: u64 = 10_000;

/// Drives whose later p99 of reads is larger by more than one part in ten, and how many drives were compared.
pub fn slower_drives(
    registry: &Registry,
    drives: &[DriveSums],
    reads: &[ReadTimes],
) -> (Vec<SlowerRow>, u64) {
    let mut compared = 0;
    let mut rows = Vec::new();
    for (name, (sums, reads)) in registry.drives.names.iter().zip(drives.iter().zip(reads)) {
        if reads.before.ios < LEAST_READS || reads.late.ios < LEAST_READS {
            continue;
        }
        let (Some(before), Some(late)) = (reads.before.nanos_at(990), reads.late.nanos_at(990)) else {
            continue;
        };
        compared += 1;
        if before == 0 || u128::from(late) * 10 <= u128::from(before) * 11 {
            continue;
        }
        rows.push(SlowerRow {
            drive: name.drive.to_string(),
            drive_model: name.model.as_deref().map(str::to_owned),
            host: text(sums.of_op[place_of(Op::Read)].host.as_ref()),
            reads_before: reads.before.ios,
            reads_last_7_days: reads.late.ios,
            p99_before_us: before as f64 / 1e3,
            p99_last_7_days_us: late as f64 / 1e3,
            ratio: (late as f64 / before as f64 * 1e3).floor() / 1e3,
        });
    }
    rows.sort_by(|one, other| {
        let by_model = || absent_last(one.drive_model.as_ref(), other.drive_model.as_ref());
        other.ratio.total_cmp(&one.ratio).then_with(|| one.drive.cmp(&other.drive)).then_with(by_model)
    });
    (rows, compared)
}

#[derive(Default)]
struct ModelSums<'a> {
    runs: u64,
    machines: Machines<&'a str, &'a str>,
    host_bytes: u64,
    flash_bytes: u64,
    least: Option<f64>,
    most: Option<f64>,
}

/// A row for each model and firmware of which the counters of a run are known in which the host wrote something.
pub fn write_amplification(catalogue: &[RunRow]) -> Vec<AmplificationRow> {
    let mut groups: BTreeMap<(&str, &str), ModelSums<'_>> = BTreeMap::new();
    for run in catalogue {
        let (Some(host), Some(flash)) = (run.host_bytes_written, run.flash_bytes_written) else { continue };
        if host == 0 {
            continue;
        }
        let name = (run.drive_model.as_deref().unwrap_or(""), run.firmware.as_deref().unwrap_or(""));
        let sums = groups.entry(name).or_default();
        let ratio = flash as f64 / host as f64;
        sums.runs += 1;
        sums.machines.add(&run.host, run.machine.as_deref());
        sums.host_bytes = sums.host_bytes.saturating_add(host);
        sums.flash_bytes = sums.flash_bytes.saturating_add(flash);
        sums.least = Some(sums.least.map_or(ratio, |least| least.min(ratio)));
        sums.most = Some(sums.most.map_or(ratio, |most| most.max(ratio)));
    }
    let row = |((model, firmware), sums): ((&str, &str), ModelSums<'_>)| {
        Some(AmplificationRow {
            drive_model: named(model),
            firmware: named(firmware),
            runs: sums.runs,
            hosts: sums.machines.count(),
            host_bytes_written: sums.host_bytes,
            flash_bytes_written: sums.flash_bytes,
            write_amplification: in_thousandths(sums.flash_bytes as f64 / sums.host_bytes as f64),
            least: in_thousandths(sums.least?),
            most: in_thousandths(sums.most?),
        })
    };
    groups.into_iter().filter_map(row).collect()
}

const LEAST_PEER_IOS: u64 = 1_000;
const LEAST_PEERS: usize = 5;
/// 3.5 robust standard deviations, each 1.4826 median absolute deviations, in hundred thousandths.
const PEER_LIMIT: u128 = 518_910;

struct Mean<'a> {
    name: &'a DriveName,
    host: Option<&'a Arc<str>>,
    ios: u64,
    nanos: u64,
}

/// Drives whose mean service time differs from the median of their model by more than 3.5 robust standard deviations (Iglewicz
/// and Hoaglin, How to Detect and Handle Outliers, 1993) and by more than one part in ten of the median, and how many drives
/// were compared.
pub fn outside_peers(registry: &Registry, drives: &[DriveSums]) -> (Vec<PeerRow>, u64) {
    let mut groups: BTreeMap<(&Arc<str>, usize), Vec<Mean<'_>>> = BTreeMap::new();
    for (name, sums) in registry.drives.names.iter().zip(drives) {
        let Some(model) = &name.model else { continue };
        for (op, sums) in sums.of_op.iter().enumerate().filter(|(_, sums)| sums.ios >= LEAST_PEER_IOS) {
            let nanos = whole_nanos(sums.service_ns as f64 / sums.ios as f64);
            let mean = Mean { name, host: sums.host.as_ref(), ios: sums.ios, nanos };
            groups.entry((model, op)).or_default().push(mean);
        }
    }
    groups.retain(|_, means| means.len() >= LEAST_PEERS);
    let compared: BTreeSet<&DriveName> = groups.values().flatten().map(|mean| mean.name).collect();
    let rows =
        groups.iter().flat_map(|((model, op), means)| outside_of_model(model, Operation::ALL[*op], means));
    (rows.collect(), compared.len() as u64)
}

fn outside_of_model(model: &str, operation: Operation, means: &[Mean<'_>]) -> Vec<PeerRow> {
    let median = lower_median(means.iter().map(|mean| mean.nanos));
    let mad = lower_median(means.iter().map(|mean| mean.nanos.abs_diff(median)));
    let is_outside = |mean: &&Mean<'_>| {
        let distance = u128::from(mean.nanos.abs_diff(median));
        distance * 100_000 > u128::from(mad) * PEER_LIMIT && distance * 10 > u128::from(median)
    };
    let mut found: Vec<&Mean<'_>> = means.iter().filter(is_outside).collect();
    found.sort_by(|one, other| {
        let by_distance = other.nanos.abs_diff(median).cmp(&one.nanos.abs_diff(median));
        by_distance.then_with(|| one.name.drive.cmp(&other.name.drive))
    });
    let row = |mean: &Mean<'_>| PeerRow {
        drive: mean.name.drive.to_string(),
        drive_model: model.to_owned(),
        host: text(mean.host),
        operation,
        peers: means.len() as u64,
        ios: mean.ios,
        mean_us: mean.nanos as f64 / 1e3,
        median_us: median as f64 / 1e3,
        mad_us: mad as f64 / 1e3,
        deviations: (mad > 0).then(|| {
            let millionths = (i128::from(mean.nanos) - i128::from(median)) * 1_000_000;
            (millionths as f64 / (u128::from(mad) * 14_826) as f64 + 0.5).floor() / 1e2
        }),
    };
    found.into_iter().map(row).collect()
}

/// The median; of an even number of values the lower one of the middle.
fn lower_median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.get(values.len().div_ceil(2).saturating_sub(1)).copied().unwrap_or(0)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "above zero; `as` rounds down and saturates"
)]
fn whole_nanos(nanos: f64) -> u64 {
    nanos as u64
}

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
    rows.into_iter().map(|(run, drive)| review_row(run, drive, figures(run, drive).as_ref())).collect()
}

fn review_row(run: &RunRow, drive: Option<&DriveRow>, figures: Option<&RunDevice>) -> ReviewRow {
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

/// The order of two names that may be absent, which come last.
fn absent_last(one: Option<&String>, other: Option<&String>) -> Ordering {
    one.is_none().cmp(&other.is_none()).then_with(|| one.cmp(&other))
}

/// A share in millionths, rounded to thousandths of them.
fn in_ppm(share: f64) -> f64 {
    (share * 1e9 + 0.5).floor() / 1e3
}

/// A ratio, rounded to thousandths.
fn in_thousandths(ratio: f64) -> f64 {
    (ratio * 1e3 + 0.5).floor() / 1e3
}

/// A name that is absent where it is empty.
fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

fn text(name: Option<&Arc<str>>) -> String {
    name.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_names_come_last_as_in_the_queries() {
        let names = [Some("b".to_owned()), None, Some("a".to_owned())];
        let mut sorted: Vec<_> = names.iter().map(Option::as_ref).collect();
        sorted.sort_by(|one, other| absent_last(*one, *other));
        assert_eq!(sorted, [names[2].as_ref(), names[0].as_ref(), None]);
    }
}
