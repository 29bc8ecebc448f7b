//! What several runs were asked for differently.

use std::mem::discriminant;

use crate::{SettingValue, Settings};

/// A setting in which runs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingDifference {
    /// The setting of each run, in their order; all are of one kind.
    pub values: Vec<SettingValue>,
}

impl SettingDifference {
    /// The name of the setting.
    pub fn name(&self) -> &'static str {
        self.values.first().map_or("", SettingValue::name)
    }
}

/// The settings in which these runs differ, in the order in which the first has them. Different kinds of test differ in that,
/// and besides in settings that all of them have.
pub fn differences(runs: &[&Settings]) -> Vec<SettingDifference> {
    let all: Vec<Vec<SettingValue>> = runs.iter().map(|run| run.values()).collect();
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    let of_all = |value: &SettingValue| {
        let same = |run: &Vec<SettingValue>| {
            run.iter().find(|other| discriminant(*other) == discriminant(value)).cloned()
        };
        let others: Option<Vec<SettingValue>> = others.iter().map(same).collect();
        let values: Vec<SettingValue> = std::iter::once(value.clone()).chain(others?).collect();
        Some(SettingDifference { values })
    };
    let differ = |found: &SettingDifference| found.values.iter().any(|value| *value != found.values[0]);
    first.iter().filter_map(of_all).filter(differ).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AddressMapping, ReplaySettings, ReplayTiming};

    fn replay(speed: f64, queue_depth: u32) -> Settings {
        Settings::Replay(ReplaySettings {
            trace: "desktop".to_owned(),
            timing: ReplayTiming::Recorded,
            speed,
            max_idle_ns: None,
            map: AddressMapping::Identity,
            device: None,
            duration_ns: None,
            queue_depth,
            writes: true,
            discards: true,
            fill: None,
            compressibility_percent: 0,
        })
    }

    fn told(runs: &[&Settings]) -> Vec<String> {
        let text = |found: &SettingDifference| {
            let values: Vec<String> = found.values.iter().map(SettingValue::to_string).collect();
            format!("{} {}", found.name(), values.join(", "))
        };
        differences(runs).iter().map(text).collect()
    }

    #[test]
    fn every_setting_in_which_two_runs_differ_is_named_with_both_values() {
        let (one, other) = (replay(1.0, 1), replay(2.0, 32));
        assert_eq!(told(&[&one, &other]), ["speed 1, 2", "queue depth 1, 32"]);
        assert_eq!(told(&[&one, &one.clone()]), Vec::<String>::new());
    }

    #[test]
    fn settings_come_back_from_a_manifest_as_they_were() {
        let settings = replay(0.5, 4);
        let text = serde_json::to_string(&crate::AskedSettings::from(settings.clone())).expect("JSON");
        let read: crate::AskedSettings = serde_json::from_str(&text).expect("settings");
        assert_eq!(read.known(), Some(&settings), "{text}");
    }
}
