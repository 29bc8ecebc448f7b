//! The kinds of test, and the settings of each.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ReplaySettings, SettingValue};

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "test", rename_all = "lowercase")]
pub enum Settings {
    /// `replay`.
    Replay(ReplaySettings),
}

/// A kind of test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestKind {
    /// A trace.
    Replay,
}

impl fmt::Display for TestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TestKind::Replay => "replay",
        })
    }
}

impl Settings {
    /// The field that says which test it is.
    pub(crate) const TAG: &str = "test";

    /// The kind of test.
    pub fn test(&self) -> TestKind {
        match self {
            Settings::Replay(_) => TestKind::Replay,
        }
    }

    /// The settings as a manifest keeps them.
    ///
    /// # Panics
    /// Never: settings have string keys only.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("settings have string keys only")
    }

    /// Every setting that another run may have differently, the kind of test first.
    pub fn values(&self) -> Vec<SettingValue> {
        let mut values = vec![SettingValue::Test(self.test())];
        values.extend(match self {
            Settings::Replay(settings) => settings.values(),
        });
        values
    }
}
