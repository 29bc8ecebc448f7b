//! The settings of results in words, and in which of them two differ.

use std::collections::BTreeSet;

use drivelab_view::format::{bytes, count, nanos, rate};
use serde::Serialize;
use serde_json::{Map, Value};

/// One setting of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedSetting {
    /// Its name in words, without its unit, such as "block size".
    pub name: String,
    /// Its value with its unit, such as "4.10 kB".
    pub value: String,
}

/// The settings, in the order of their names.
pub(crate) fn in_words_of(settings: &impl Serialize) -> Vec<AskedSetting> {
    let setting = |(field, value): (String, Value)| {
        let (name, unit) = unit_of(&field);
        AskedSetting { name: name.replace('_', " "), value: in_words(&value, unit) }
    };
    fields(settings).into_iter().map(setting).collect()
}

/// The names of the settings in which two differ, in words.
pub(crate) fn differing<S: Serialize>(one: &S, other: &S) -> Vec<String> {
    let (one, other) = (fields(one), fields(other));
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differing = names.into_iter().filter(|name| one.get(*name) != other.get(*name));
    differing.map(|name| unit_of(name).0.replace('_', " ")).collect()
}

fn fields(settings: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// A number in words, with its unit.
type NumberInWords = fn(f64) -> String;

/// How the number of a setting is said, by the end of the setting's name.
const UNITS: [(&str, NumberInWords); 6] = [
    ("_bytes_s", |number| format!("{} MB/s", rate(number / 1e6))),
    ("_mb_s", |number| format!("{} MB/s", rate(number))),
    ("_ns", |number| if number >= 1e9 { format!("{} s", number / 1e9) } else { nanos(number) }),
    ("_bytes", bytes),
    ("_percent", in_percent),
    ("_s", |number| format!("{number} s")),
];

/// The name of a setting without its unit, and how its number is said.
fn unit_of(field: &str) -> (&str, NumberInWords) {
    let found = UNITS.iter().find_map(|(end, unit)| Some((field.strip_suffix(end)?, *unit)));
    found.unwrap_or((field, |number| if number.fract() == 0.0 { count(number) } else { number.to_string() }))
}

fn in_percent(number: f64) -> String {
    format!("{number} %")
}

/// A value as a reader knows it. Parts of a setting that has several are named.
fn in_words(value: &Value, unit: NumberInWords) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(word) => word.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), unit),
        Value::Array(all) => all.iter().map(|one| in_words(one, unit)).collect::<Vec<_>>().join(", "),
        Value::Object(parts) => {
            let part = |(field, value): (&String, &Value)| {
                let (name, unit) = unit_of(field);
                let name = name.replace('_', " ");
                // The name of what is a share says nothing more than its unit.
                if field == "percent" {
                    in_words(value, in_percent)
                } else if field == "iops" {
                    format!("{} IOPS", in_words(value, unit))
                } else {
                    format!("{name} {}", in_words(value, unit))
                }
            };
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_said_with_their_units() {
        let said = |field: &str, value: Value| {
            let (name, unit) = unit_of(field);
            format!("{name} {}", in_words(&value, unit))
        };
        assert_eq!(said("duration_ns", json!(2_000_000_000_000_u64)), "duration 2000 s");
        assert_eq!(said("slow_ns", json!(1_500_000)), "slow 1.50 ms");
        assert_eq!(said("rate_mb_s", json!(40)), "rate 40 MB/s");
        assert_eq!(said("limit_bytes_s", json!(1_500_000)), "limit 1.50 MB/s");
        assert_eq!(said("limit_bytes_s", json!(3_500_000_000_u64)), "limit 3,500 MB/s");
        assert_eq!(said("queue_depth", json!(32)), "queue_depth 32");
        assert_eq!(said("purge", json!("discard")), "purge discard");
        let loads = json!([{"percent": 50.0}, {"iops": 5000.0}]);
        assert_eq!(said("loads", loads), "loads 50 %, 5,000 IOPS");
        let range = json!({"start": {"percent": 0.0}, "end": {"percent": 50.0}});
        assert_eq!(said("range", range), "range end 50 %, start 0 %");
        assert_eq!(said("idle_s", Value::Null), "idle none");
    }
}
