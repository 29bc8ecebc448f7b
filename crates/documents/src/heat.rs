//! How warm a drive was during a run, and what came of it.

use drivelab_stats::ThrottledPhase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How warm a drive was during a run, as far as it shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeatDocument {
    /// Its sensors, the one of the whole drive first; none where the kernel, or a simulated drive, has none.
    pub sensors: Vec<SensorDocument>,
    /// Its own temperature limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<HeatLimitDocument>,
    /// How far its counters of heat moved from before the first phase to after the last one; none of a drive that shows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<ThermalCountersDocument>,
    /// The phases in which it throttled: it counted that, or its rate fell by a tenth or more while it was at its limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttled: Vec<ThrottledPhase>,
    /// How it was read until it was warm, before it was measured; absent where that was not asked for, or was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUpDocument>,
}

/// A drive that was read before it was measured, until it was warm or the time for it was over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarmUpDocument {
    /// How long it was read, in seconds.
    pub lasted_s: f64,
    /// The temperature when the reads began, in degrees Celsius; null where the sensor showed none.
    pub from_celsius: Option<f64>,
    /// The temperature when they ended, in degrees Celsius; null where the sensor showed none.
    pub to_celsius: Option<f64>,
    /// By how many kelvins it rose within the last five minutes: the mean of the last minute less the mean of the minute that
    /// ended five minutes before; null where that is not known.
    pub rise_kelvins: Option<f64>,
    /// Whether the drive was warm: that rise was below 1 K.
    pub is_warm: bool,
}

/// A temperature sensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SensorDocument {
    /// What the kernel calls it: `Composite`, `Sensor 1`; empty where it has no name.
    pub name: String,
    /// The highest temperature that was read, in degrees Celsius.
    pub hottest_celsius: f64,
}

/// A temperature from which on a drive protects itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeatLimitDocument {
    /// The temperature in degrees Celsius.
    pub celsius: i32,
    /// What it is.
    pub kind: HeatLimitKind,
}

/// What a temperature limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeatLimitKind {
    /// The temperature at which the host has the drive throttle (thermal management temperature 1 or 2, whichever is lower).
    ThermalManagement,
    /// The warning composite temperature of the drive (WCTEMP).
    Warning,
    /// The limit of the kernel's sensor.
    Sensor,
}

impl HeatLimitKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            HeatLimitKind::ThermalManagement => "its thermal management temperature",
            HeatLimitKind::Warning => "its warning temperature",
            HeatLimitKind::Sensor => "the limit of its sensor",
        }
    }
}

/// How far the counters of heat of an NVMe drive moved (SMART / Health Information log).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThermalCountersDocument {
    /// Minutes at or above the warning temperature.
    pub warning_minutes: u32,
    /// Minutes at or above the critical temperature.
    pub critical_minutes: u32,
    /// How often thermal management 1 (light throttling) began.
    pub thermal_1_transitions: u32,
    /// How often thermal management 2 (heavy throttling) began.
    pub thermal_2_transitions: u32,
    /// Seconds in thermal management 1.
    pub thermal_1_seconds: u32,
    /// Seconds in thermal management 2.
    pub thermal_2_seconds: u32,
}

impl ThermalCountersDocument {
    /// Whether the drive counted that it throttled.
    pub fn has_throttled(&self) -> bool {
        let counters = [
            self.thermal_1_transitions,
            self.thermal_2_transitions,
            self.thermal_1_seconds,
            self.thermal_2_seconds,
        ];
        counters.iter().any(|counter| *counter > 0)
    }
}
