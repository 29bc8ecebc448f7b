//! A load against a target, as other programs read it.

use std::collections::BTreeMap;

use drivelab_analysis::{LoopKind, PhaseAnalysis};
use drivelab_block::Nanos;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::energy::EnergyDocument;
use crate::gauged::{GaugeDocument, Gauged};
use crate::records::Records;
use crate::summary::LatencyDocument;

/// The schema name of [`LoadDocument`].
pub const LOAD_SCHEMA: &str = "drivelab.load/1";

/// What a load document is made from.
#[derive(Clone, Debug)]
pub struct LoadReport<'a> {
    /// What was loaded, as the user named it.
    pub target: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// How long the load lasted.
    pub duration: Nanos,
    /// Workers, each with a queue of its own.
    pub workers: u32,
    /// Outstanding I/Os of each worker.
    pub queue_depth: u32,
    /// What the engine obtained of what it asked for; groups are not shown.
    pub obtained: Vec<Condition>,
    /// What was kept of the completions.
    pub records: Records,
    /// In an open loop: what was not sent when it was due.
    pub sends: Sends,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<String>,
    /// What was read beside the load; nothing where no records are kept.
    pub gauges: Vec<Gauged>,
    /// What it took, by a meter.
    pub energy: Option<EnergyDocument>,
    /// The load's completions.
    pub measured: &'a PhaseAnalysis,
}

/// In an open loop: what was asked for, and what was not sent when it was due.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sends {
    /// Requests a second that were asked for; `None` in a closed loop.
    pub asked: Option<f64>,
    /// Sent late, because every slot was taken.
    pub delayed: u64,
    /// Never sent, because the load ended before; they count with what they had waited until then.
    pub missed: u64,
}

/// A load as other programs read it: `drivelab.load/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadDocument {
    /// `drivelab.load/1`.
    pub schema: String,
    /// What was loaded.
    pub target: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// How long the load lasted, in seconds.
    pub duration_s: f64,
    /// Workers.
    pub workers: u32,
    /// Outstanding I/Os of each worker.
    pub queue_depth: u32,
    /// `closed` or `open`.
    pub mode: String,
    /// Well-ended I/Os a second, over the whole load.
    pub iops: f64,
    /// What an open loop asked for; `None` in a closed one.
    #[serde(default)]
    pub iops_asked: Option<f64>,
    /// Decimal megabytes a second, over the whole load.
    pub mb_s: f64,
    /// Completions, whether they ended well or not.
    pub completions: u64,
    /// Those that failed.
    pub failed: u64,
    /// Completions that were not kept.
    pub lost_records: u64,
    /// Bytes of the files that hold the records.
    pub records_bytes: u64,
    /// Hexadecimal hash over all completions; absent for real drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions_hash: Option<String>,
    /// From submission to completion; `None` where no I/O ended well.
    pub service_ns: Option<LatencyDocument>,
    /// From the schedule to completion; `None` in a closed loop.
    pub response_ns: Option<LatencyDocument>,
    /// Whether every figure of `response_ns` but the deviation is a lower bound: requests that were never sent
    /// count with what they had waited when the load ended.
    #[serde(default)]
    pub response_at_least: bool,
    /// In an open loop: requests that were sent late, because every slot was taken.
    pub delayed_sends: u64,
    /// In an open loop: requests that were due and never sent, counted up to ten million a worker.
    pub missed_sends: u64,
    /// What was read beside the load; absent where nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gauges: Vec<GaugeDocument>,
    /// What it took, by a meter; absent where none was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
    /// What the reader has to know before believing the figures, a sentence each.
    pub notices: Vec<String>,
    /// What the engine obtained, by name.
    pub obtained: BTreeMap<String, String>,
}

impl LoadDocument {
    /// The document of a load.
    pub fn of(load: &LoadReport) -> LoadDocument {
        let seconds = load.duration.as_secs_f64();
        let a_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
        let mode = match load.measured.loop_kind() {
            LoopKind::Closed => "closed",
            LoopKind::Open => "open",
        };
        let named = |condition: &Condition| (condition.name.clone(), condition.value.clone());
        LoadDocument {
            schema: LOAD_SCHEMA.to_owned(),
            target: load.target.clone(),
            seed: load.seed,
            duration_s: seconds,
            workers: load.workers,
            queue_depth: load.queue_depth,
            mode: mode.to_owned(),
            iops: a_second(load.measured.completed() as f64),
            iops_asked: load.sends.asked,
            mb_s: a_second(load.measured.bytes().get() as f64 / 1e6),
            completions: load.records.completions,
            failed: load.records.failed,
            lost_records: load.records.lost,
            records_bytes: load.records.bytes,
            completions_hash: load.records.completions_hash.clone(),
            service_ns: LatencyDocument::of(&load.measured.service()),
            response_ns: load.measured.response().as_ref().and_then(LatencyDocument::of),
            response_at_least: load.measured.unsent() > 0,
            delayed_sends: load.sends.delayed,
            missed_sends: load.sends.missed,
            gauges: GaugeDocument::all(&load.gauges),
            energy: load.energy.clone(),
            notices: load.notices.clone(),
            obtained: load.obtained.iter().map(named).collect(),
        }
    }
}
