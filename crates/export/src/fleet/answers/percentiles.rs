//! How long I/Os take on each model, and by the hour of the day.

use super::{in_ppm, named};
use crate::fleet::findings::{HourRow, Operation, PercentileRow};
use crate::fleet::passes::{HourSums, VersionSums};
use crate::fleet::registry::Registry;

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
