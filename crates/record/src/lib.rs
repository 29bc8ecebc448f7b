//! The folder of a run, and the way of a completion into it and out again.
//!
//! ```text
//! engine ─▶ CompletionSender ═ queue ═ CompletionReceiver ─▶ RunWriter ─▶ segments/000000.parquet, 000001.parquet, ...
//!                                                                      └─▶ segments/000002.tail  (of the open segment)
//! ```
//!
//! A segment is written under another name and renamed when it is whole. Until then a tail, appended twice a second, says
//! where the row groups are that it has already, and holds the records that are in none: a killed run loses at most its last
//! second. (Of a simulated drive, up to 127 completions for each worker are on their way as well, however long that takes.)
//! This crate knows no device and no workload; it cannot tell a real drive from a simulated one.

#![forbid(unsafe_code)]

mod digest;
mod energy;
mod error;
mod folder;
mod gauges;
mod groups_reader;
mod guard;
mod heat;
mod hidden_serial;
mod in_order;
mod manifest;
mod media_writes;
mod pace;
mod parts;
mod phases;
mod queue;
mod reader;
mod record_file;
pub mod review;
mod rotation;
mod rows;
mod segment;
mod shown_time;
mod simulated_target;
mod sorted;
mod started;
mod stood_still;
mod sum;
mod syncer;
mod tail;
mod traced;
mod worker_time;
mod writer;

pub use digest::Digest;
pub use energy::{
    ENERGY_SCHEMA, EnergyAccountDocument, EnergyDocument, EnergyReport, EstimateDocument, EstimateEnds,
    IdleDocument, IdlePower, MeterDocument, Stretch, WrongReadingsDocument,
};
pub use error::RecordError;
pub use folder::{RunFolder, is_run_folder};
pub use gauges::{Gauge, GaugeReader, GaugeWriter, Readings};
pub use heat::{
    HeatDocument, HeatLimitDocument, HeatLimitKind, SensorDocument, ThermalCountersDocument, ThrottledPhase,
    ThrottledRate, ThrottlingEffect, WarmUpDocument,
};
pub use hidden_serial::HiddenSerials;
pub use manifest::{
    Condition, DelayAccount, Drive, FaultAccount, KernelLine, KernelLog, MANIFEST_SCHEMA, Manifest,
    MeasuredPhases, Notice, Outcome, Phase, Severity, SilenceDocument, SimulationAccount, one_name,
};
pub use media_writes::{CountedWrites, MediaWrites, WriteCounter, WriteCounters};
pub use phases::{ChosenPhases, PhaseError, PhaseReason, PhaseRequest};
pub use queue::{CompletionReceiver, CompletionSender, OnFull, queue};
pub use reader::{RecordReader, RunReader};
pub use record_file::{RecordFile, system_error};
pub use rotation::Written;
pub use rows::Row;
pub use shown_time::ShownTime;
pub use simulated_target::{SharedOverrides, SimulatedTarget};
pub use sorted::SortedReader;
pub use started::{ClockTime, MachineId, Started};
pub use stood_still::StoodStill;
pub use sum::sum_of_segments;
pub use traced::{IssuedWithin, TracedReader};
pub use worker_time::{WorkerTime, longest_with_wait_ns};
pub use writer::{RecordWriter, RunWriter};

pub use drivelab_stats::{
    FailedIosDocument, LapsesDocument, LongestSilenceDocument, NotAsWrittenDocument, PhaseMoment,
    UnansweredIosDocument,
};
