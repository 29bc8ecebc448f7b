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

    /// Whether that is what runs are made to compare.
    pub fn is_compared(&self) -> bool {
        self.values.first().is_some_and(SettingValue::is_compared)
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
    use crate::{AskedRange, ConsistencySettings, LoadSettings, Operation, RangeEnd};
    use drivelab_block::ByteCount;

    fn load(operation: Operation, queue_depth: u32) -> LoadSettings {
        LoadSettings {
            operation,
            block_size_bytes: 4096,
            queue_depth,
            threads: 1,
            rate: None,
            arrivals: None,
            range: AskedRange::WHOLE,
            duration_ns: Some(10_000_000_000),
            bytes: None,
            compressibility_percent: 0,
            cpus: Vec::new(),
        }
    }

    fn consistency(over_provisioning_percent: f64, end: RangeEnd) -> Settings {
        let range = AskedRange { start: RangeEnd::Bytes(0), end }.on_capacity(ByteCount::new(1 << 30));
        Settings::Consistency(ConsistencySettings {
            over_provisioning_percent,
            range,
            block_size_bytes: 4096,
            queue_depth: 32,
            duration_ns: 2_000_000_000_000,
            window_s: 60,
            purge: true,
            fill: true,
            compressibility_percent: 0,
        })
    }

    fn told(runs: &[&Settings]) -> Vec<String> {
        let text = |found: &SettingDifference| {
            let values: Vec<String> = found.values.iter().map(SettingValue::to_string).collect();
            format!("{} {}{}", found.name(), values.join(", "), if found.is_compared() { "*" } else { "" })
        };
        differences(runs).iter().map(text).collect()
    }

    #[test]
    fn every_setting_in_which_two_runs_differ_is_named_with_both_values() {
        let one = Settings::Load(load(Operation::Randread, 1));
        let other = Settings::Load(load(Operation::Randwrite, 32));
        assert_eq!(told(&[&one, &other]), ["operation randread, randwrite", "queue depth 1, 32"]);
        assert_eq!(told(&[&one, &one.clone()]), Vec::<String>::new());
        assert_eq!(Operation::random(100), Operation::Randread);
    }

    #[test]
    fn runs_that_differ_in_over_provisioning_are_made_to_be_compared() {
        let whole = consistency(0.0, RangeEnd::Percent(100.0));
        // The last byte of the drive is its end, however it was written.
        let same = consistency(0.0, RangeEnd::Bytes(1 << 30));
        assert_eq!(told(&[&whole, &same]), Vec::<String>::new());
        assert_eq!(
            told(&[&whole, &consistency(25.0, RangeEnd::Percent(100.0))]),
            ["over-provisioning 0 %, 25 %*"]
        );
        let half = consistency(0.0, RangeEnd::Percent(50.0));
        assert_eq!(told(&[&whole, &half]), ["range 0 % to 100 %, 0 % to 50 %"]);
    }

    #[test]
    fn different_tests_differ_in_that() {
        let load = Settings::Load(load(Operation::Randwrite, 32));
        let whole = consistency(0.0, RangeEnd::Percent(100.0));
        assert_eq!(told(&[&load, &whole]), ["test load, consistency", "duration 10 s, 2000 s"]);
    }

    #[test]
    fn settings_come_back_from_a_manifest_as_they_were() {
        for settings in
            [Settings::Load(load(Operation::random(70), 4)), consistency(6.7, RangeEnd::Bytes(4096))]
        {
            let text = serde_json::to_string(&crate::AskedSettings::from(settings.clone())).expect("JSON");
            let read: crate::AskedSettings = serde_json::from_str(&text).expect("settings");
            assert_eq!(read.known(), Some(&settings), "{text}");
        }
    }
}
