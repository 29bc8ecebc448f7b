//! The settings of a replay.

use std::fmt;

use drivelab_block::Nanos;
use serde::{Deserialize, Serialize};

use crate::SettingValue;

/// What a replay was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplaySettings {
    /// The folder of the trace.
    pub trace: String,
    /// When requests are made.
    pub timing: ReplayTiming,
    /// How much faster than the trace.
    pub speed: f64,
    /// What spans are cut to in which nothing was in flight; none where they are kept.
    pub max_idle_ns: Option<u64>,
    /// Where requests go.
    pub map: AddressMapping,
    /// The only device of the trace that is replayed; none where all are.
    pub device: Option<String>,
    /// How much of the trace; none where all of it.
    pub duration_ns: Option<u64>,
    /// Requests in flight at most.
    pub queue_depth: u32,
    /// Whether its writes are made.
    pub writes: bool,
    /// Whether its discards are made.
    pub discards: bool,
    /// What is written before; none where nothing is.
    pub fill: Option<Prefill>,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
}

/// When the requests of a replay are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplayTiming {
    /// At the trace's own times.
    Recorded,
    /// As long after an answer as in the trace.
    Dependent,
    /// With a fixed number in flight.
    Unpaced,
}

/// Where the requests of a replay go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddressMapping {
    /// To their own addresses.
    Identity,
    /// What the trace touches moved together.
    Compact,
}

/// What is written before a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prefill {
    /// What the replay touches.
    Touched,
    /// The whole target.
    Target,
}

impl ReplaySettings {
    pub(crate) fn values(&self) -> Vec<SettingValue> {
        let ReplaySettings {
            trace,
            timing,
            speed,
            max_idle_ns,
            map,
            device,
            duration_ns,
            queue_depth,
            writes,
            discards,
            fill,
            compressibility_percent,
        } = self;
        vec![
            SettingValue::Trace(trace.clone()),
            SettingValue::Timing(*timing),
            SettingValue::Speed(*speed),
            SettingValue::MaxIdle(max_idle_ns.map(Nanos::new)),
            SettingValue::Mapping(*map),
            SettingValue::TraceDevice(device.clone()),
            SettingValue::Duration(duration_ns.map(Nanos::new)),
            SettingValue::QueueDepth(*queue_depth),
            SettingValue::Writes(*writes),
            SettingValue::Discards(*discards),
            SettingValue::Prefill(*fill),
            SettingValue::Compressibility(*compressibility_percent),
        ]
    }
}

impl fmt::Display for ReplayTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReplayTiming::Recorded => "recorded",
            ReplayTiming::Dependent => "dependent",
            ReplayTiming::Unpaced => "unpaced",
        })
    }
}

impl fmt::Display for AddressMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressMapping::Identity => "identity",
            AddressMapping::Compact => "compact",
        })
    }
}

impl fmt::Display for Prefill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Prefill::Touched => "touched",
            Prefill::Target => "target",
        })
    }
}
