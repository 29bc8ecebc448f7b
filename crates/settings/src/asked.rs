//! What a manifest says of its settings, by which version of drivelab it may be.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Settings;

/// The settings of a run as its manifest has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, try_from = "Value")]
pub enum AskedSettings {
    /// All of them.
    Known(Settings),
    /// What is understood of those that an earlier version noted.
    Earlier(Box<EarlierSettings>),
}

/// What a run of an earlier version says of what it was asked: enough to show its figures, and too little to rank them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EarlierSettings {
    /// The share of the range that was left unwritten, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    reserve_percent: Option<f64>,
    /// What that is a share of.
    #[serde(skip_serializing_if = "Option::is_none")]
    reserve_of: Option<ShareOf>,
    /// The length of the windows by which steady state is judged, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    round_s: Option<u64>,
    /// I/Os a second of an open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
}

/// What over-provisioning is a share of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShareOf {
    /// The whole drive.
    #[default]
    #[serde(rename = "drive")]
    Drive,
    /// A part of it that was chosen.
    #[serde(rename = "address range")]
    Range,
}

impl TryFrom<Value> for AskedSettings {
    type Error = serde_json::Error;

    fn try_from(value: Value) -> Result<AskedSettings, serde_json::Error> {
        match &value {
            Value::Object(fields) if fields.contains_key(Settings::TAG) => {
                serde_json::from_value(value).map(AskedSettings::Known)
            }
            Value::Object(_) => serde_json::from_value(value).map(AskedSettings::Earlier),
            _ => Ok(AskedSettings::Earlier(Box::default())),
        }
    }
}

impl From<Settings> for AskedSettings {
    fn from(settings: Settings) -> AskedSettings {
        AskedSettings::Known(settings)
    }
}

impl AskedSettings {
    /// All settings; none of a run of an earlier version.
    pub fn known(&self) -> Option<&Settings> {
        match self {
            AskedSettings::Known(settings) => Some(settings),
            AskedSettings::Earlier(_) => None,
        }
    }

    /// The extra over-provisioning in per cent, and what it is a share of.
    pub fn over_provisioning(&self) -> (f64, ShareOf) {
        match self {
            AskedSettings::Known(_) => (0.0, ShareOf::Drive),
            AskedSettings::Earlier(earlier) => {
                (earlier.reserve_percent.unwrap_or(0.0), earlier.reserve_of.unwrap_or_default())
            }
        }
    }

    /// I/Os a second, where a load was one of an open loop.
    pub fn rate(&self) -> Option<f64> {
        match self {
            AskedSettings::Known(_) => None,
            AskedSettings::Earlier(earlier) => earlier.rate,
        }
    }

    /// The windows by which steady state is judged, in whole seconds; none where none were asked for.
    pub fn window_s(&self) -> Option<u64> {
        match self {
            AskedSettings::Known(_) => None,
            AskedSettings::Earlier(earlier) => earlier.round_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_of_an_earlier_version_are_read_as_far_as_they_go() {
        let read = |value: Value| serde_json::from_value::<AskedSettings>(value).expect("settings");
        let earlier = read(json!({
            "measured_phase": "random write", "reserve_percent": 25.0, "reserve_of": "address range", "round_s": 30,
            "duration_ns": 1, "purge": true,
        }));
        assert_eq!((earlier.known(), earlier.window_s()), (None, Some(30)));
        assert_eq!(earlier.over_provisioning(), (25.0, ShareOf::Range));
        assert_eq!(read(Value::Null).known(), None);
    }

    #[test]
    fn damaged_settings_of_this_version_are_no_earlier_ones() {
        let damaged = json!({ "test": "replay", "map": "identity" });
        let error = serde_json::from_value::<AskedSettings>(damaged).expect_err("no times");
        assert!(error.to_string().contains("missing field"), "{error}");
    }
}
