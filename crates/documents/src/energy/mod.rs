//! The energy that a task took by a meter: from the meter's readings to figures.

mod document;
mod lines;
mod over_runs;

use drivelab_block::EnergyAccount;
use drivelab_stats::PowerTrack;

pub use document::{
    ENERGY_SCHEMA, EnergyDocument, EstimateDocument, EstimateEnds, IdleDocument, MeterDocument,
    WrongReadingsDocument,
};

/// From one moment to another, in seconds on the clock of the track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Its begin.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
}

/// What is known of the power while nothing is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IdlePower {
    /// It was measured before the task, and after it unless that was given up.
    Measured(Stretch, Option<Stretch>),
    /// It is known, in watts: a simulated drive's.
    Known(f64),
}

/// A task beside a meter.
#[derive(Clone, Debug)]
pub struct EnergyReport {
    /// The meter and what it was like.
    pub meter: MeterDocument,
    /// What it said.
    pub track: PowerTrack,
    /// When the task was done.
    pub task: Stretch,
    /// The power without it.
    pub idle: IdlePower,
    /// Bytes that the task moved, where that is known.
    pub bytes: Option<u64>,
    /// I/Os of the task that succeeded, where that is known.
    pub ios: Option<u64>,
    /// The capacity of a battery, to tell how long it lasts.
    pub battery_wh: Option<f64>,
    /// The drive or file that was tested.
    pub target: Option<String>,
    /// What a simulated drive knows of its own energy.
    pub account: Option<EnergyAccount>,
    /// What the reader has to know besides.
    pub notices: Vec<String>,
}
