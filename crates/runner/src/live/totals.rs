//! Counts of I/Os by operation.

use std::borrow::Borrow;

use drivelab_analysis::Distribution;
use drivelab_live::{Exposition, Labels, MetricKind};

/// What one kind of operation did.
#[derive(Debug, Default)]
pub struct OpTotal {
    /// I/Os that succeeded.
    pub completed: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their service times.
    pub service: Distribution,
}

/// Adds the counts of several operations, each with its labels.
pub fn add_totals(all: &mut Exposition, ops: &[(Labels, impl Borrow<OpTotal>)]) {
    let mut ios = all.family("drivelab_ios_total", MetricKind::Counter, "I/Os that succeeded.");
    ops.iter().for_each(|(labels, op)| ios.count(labels, op.borrow().completed));
    let mut bytes = all.family("drivelab_bytes_total", MetricKind::Counter, "Bytes of I/Os that succeeded.");
    ops.iter().for_each(|(labels, op)| bytes.count(labels, op.borrow().bytes));
    let help = "Service times of I/Os that succeeded.";
    let mut service = all.family("drivelab_service_time_seconds", MetricKind::Histogram, help);
    ops.iter().for_each(|(labels, op)| service.latency(labels, &op.borrow().service));
}
