//! How long I/Os take on each model.

use super::named;
use crate::fleet::findings::{Operation, PercentileRow};
use crate::fleet::passes::VersionSums;
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
