//! Records as a rollup counts them.

use std::sync::Arc;

use crate::rollup::{IoOutcome, RollupInterval, RollupRow};
use drivelab_block::{Completion, TracedIo};
use drivelab_documents::Manifest;
use drivelab_record::Row;
use drivelab_stats::{LoopKind, Standstills};
use drivelab_trace::TraceManifest;

pub trait Exportable: Row {
    /// What has to be known of the run to count its records.
    type Origin;
    /// The name of the file of a day's records.
    const FILE: &'static str;
    /// The name and version of what the records' columns are.
    const FORMAT: &'static str;

    /// What the record adds to the rollup of an interval.
    fn rolled(&self, interval: RollupInterval, origin: &Self::Origin) -> RollupRow;
}

/// What has to be known of a run.
pub struct RunOrigin {
    model: Arc<str>,
    /// Of each phase whether the figures speak of it, and how its requests were timed.
    phases: Vec<(bool, LoopKind)>,
    standstills: Standstills,
}

impl RunOrigin {
    pub fn from_run(run: &Manifest) -> RunOrigin {
        let phases = run.phases.iter();
        RunOrigin {
            model: Arc::from(run.drive.model.as_str()),
            phases: phases.map(|phase| (run.measured.contains(&phase.name), phase.loop_label)).collect(),
            standstills: run.standstills(),
        }
    }
}

impl Exportable for Completion {
    type Origin = RunOrigin;
    const FILE: &'static str = "run-records.parquet";
    const FORMAT: &'static str = "drivelab.run-records/1";

    fn rolled(&self, interval: RollupInterval, origin: &RunOrigin) -> RollupRow {
        let phase = origin.phases.get(usize::from(self.phase.0)).copied();
        let (is_measured, loop_kind) = phase.unwrap_or((false, LoopKind::Closed));
        let outcome = if self.status.is_ok() {
            let service = origin.standstills.judge(self, loop_kind).service.nanos();
            service.map_or(IoOutcome::ServedWithoutTime, IoOutcome::Served)
        } else {
            IoOutcome::Failed
        };
        let (bucket, sums) = outcome.counted(self.bytes());
        RollupRow { interval, device: Arc::clone(&origin.model), is_measured, op: self.op, bucket, sums }
    }
}

/// What has to be known of a trace.
pub struct TraceOrigin {
    devices: Vec<Arc<str>>,
    /// The name of one that the trace does not list.
    unknown: Arc<str>,
}

impl TraceOrigin {
    pub fn from_trace(trace: &TraceManifest) -> TraceOrigin {
        TraceOrigin { devices: device_names(trace), unknown: Arc::from("unknown device") }
    }

    pub fn device(&self, number: u16) -> &Arc<str> {
        self.devices.get(usize::from(number)).unwrap_or(&self.unknown)
    }
}

/// What the devices of a trace are called. Those of a recording have the kernel's names. Those of imported files have names of
/// any kind, also of files and with serial numbers: they are numbered as the records do it.
pub fn device_names(trace: &TraceManifest) -> Vec<Arc<str>> {
    let names = trace.devices.iter().enumerate();
    let name = |(number, device): (usize, &drivelab_trace::Device)| {
        if trace.is_recorded() { device.name.clone() } else { format!("device {number}") }
    };
    names.map(|named| Arc::from(name(named))).collect()
}

/// How an I/O of a trace ended, as a rollup counts it.
#[inline]
pub fn outcome_of(io: &TracedIo) -> IoOutcome {
    match io.service {
        _ if !io.status.is_ok() => IoOutcome::Failed,
        Some(service) => IoOutcome::Served(service),
        None => IoOutcome::ServedWithoutTime,
    }
}

impl Exportable for TracedIo {
    type Origin = TraceOrigin;
    const FILE: &'static str = "trace-records.parquet";
    const FORMAT: &'static str = "drivelab.trace-records/1";

    fn rolled(&self, interval: RollupInterval, origin: &TraceOrigin) -> RollupRow {
        let device = Arc::clone(origin.device(self.device.0));
        let (bucket, sums) = outcome_of(self).counted(self.bytes());
        RollupRow { interval, device, is_measured: true, op: self.op, bucket, sums }
    }
}
