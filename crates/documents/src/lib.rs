//! The documents that say what a run was asked and what became of it: the manifest of a run, its notices, clocks, phases, energy
//! and heat, and the plan and record of a review.
//!
//! Whatever shows a result needs these, and nothing of how records are kept: this crate knows no file format but JSON and TOML.

#![forbid(unsafe_code)]

mod energy;
mod heat;
mod hidden_serial;
mod manifest;
mod media_writes;
mod phases;
pub mod review;
mod shown_time;
mod simulated_target;
mod started;
mod stood_still;
mod worker_time;

pub use energy::{
    ENERGY_SCHEMA, EnergyDocument, EnergyReport, EstimateDocument, EstimateEnds, IdleDocument, IdlePower,
    MeterDocument, Stretch, WrongReadingsDocument,
};
pub use heat::{
    HeatDocument, HeatLimitDocument, HeatLimitKind, SensorDocument, ThermalCountersDocument, WarmUpDocument,
};
pub use hidden_serial::HiddenSerials;
pub use manifest::{
    Condition, DelayAccount, Drive, FaultAccount, KernelLine, KernelLog, MANIFEST_SCHEMA, Manifest,
    MeasuredPhases, Notice, Outcome, Phase, Severity, SilenceDocument, SimulationAccount, one_name,
    parse_document,
};
pub use media_writes::{CountedWrites, MediaWrites, WriteCounter, WriteCounters};
pub use phases::{ChosenPhases, PhaseReason, PhaseRequest};
pub use shown_time::ShownTime;
pub use simulated_target::{SimulatedTarget, overrides_in_words};
pub use started::{ClockTime, MachineId, Started};
pub use stood_still::StoodStill;
pub use worker_time::{WorkerTime, longest_with_wait_ns};

pub use drivelab_stats::{
    FailedIosDocument, IntervalEnds, LapsesDocument, LongestSilenceDocument, NotAsWrittenDocument,
    PhaseMoment, ThrottledPhase, ThrottlingEffect, UnansweredIosDocument,
};
