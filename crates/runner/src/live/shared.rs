//! The metrics that tests and recordings have in common: the textfile collector wants one help text of each in all its files.

use std::borrow::Borrow;

use drivelab_stats::Distribution;

use super::exposition::{Exposition, Family, Labels};

#[derive(Debug, Default)]
pub struct OpTotal {
    pub completed: u64,
    pub bytes: u64,
    pub service: Distribution,
}

pub fn add_running(all: &mut Exposition, run: &Labels, is_running: bool) {
    let help = "1 while the run lasts, 0 when it has ended.";
    all.gauge("drivelab_running", help).count(run, u64::from(is_running));
}

/// Adds the share of a run that is done, from 0 to 1, where that is known.
pub fn add_done(all: &mut Exposition, run: &Labels, done: Option<f64>) {
    all.known_gauge("drivelab_done_ratio", "The share of the run that is done.", run, done);
}

/// Begins the metric of failed I/Os.
pub fn failed_ios(all: &mut Exposition) -> Family<'_> {
    all.counter("drivelab_failed_ios_total", "I/Os that failed.")
}

/// Adds how many completions are not in the records.
pub fn add_lost_records(all: &mut Exposition, run: &Labels, lost: u64) {
    let help = "Completions that are not in the records.";
    all.counter("drivelab_lost_records_total", help).count(run, lost);
}

/// Adds the counts of several operations, each with its labels.
pub fn add_totals(all: &mut Exposition, ops: &[(Labels, impl Borrow<OpTotal>)]) {
    let mut ios = all.counter("drivelab_ios_total", "I/Os that succeeded.");
    ops.iter().for_each(|(labels, op)| ios.count(labels, op.borrow().completed));
    let mut bytes = all.counter("drivelab_bytes_total", "Bytes of I/Os that succeeded.");
    ops.iter().for_each(|(labels, op)| bytes.count(labels, op.borrow().bytes));
    let help = "Service times of I/Os that succeeded.";
    let mut service = all.histogram("drivelab_service_time_seconds", help);
    ops.iter().for_each(|(labels, op)| service.latency(labels, &op.borrow().service));
}
