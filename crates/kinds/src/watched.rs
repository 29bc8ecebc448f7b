//! What is watched of a drive during a stream: its own health, what of it changed after each delay, and its temperature.

use std::collections::BTreeMap;

use drivelab_block::worded_enum;
use drivelab_view::format::count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was seen of a drive while it worked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchedDrive {
    /// The drive's health, in seconds from the start of the first phase.
    pub health: HealthFindings,
    /// What speaks against the drive at the end, and did not at the start: sentences without a full stop.
    pub worsened: Vec<String>,
}

/// Counters of a drive's health that moved, by their names: what they were and what they are.
pub type MovedCounters = BTreeMap<String, (u64, u64)>;

/// The drive's health over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthFindings {
    /// Whether the drive was asked for its health.
    pub source: HealthSource,
    /// Readings in the order of time, each with what moved since the one before; what the first is compared with was read
    /// before the stream began.
    pub readings: Vec<HealthReading>,
    /// Temperatures in degrees Celsius, with their seconds from the start of the stream.
    pub temperature_celsius: Vec<(f64, i32)>,
}

/// Whether a drive was asked for its health during a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HealthSource {
    /// It was, and answered before the stream began.
    Asked,
    /// It was not.
    NotAsked {
        /// Why.
        why: HealthNotAsked,
    },
    /// It was, and gave no answer that could be read before the stream began: it was not asked again.
    Unreadable {
        /// Why, in words.
        why: String,
    },
}

impl Default for HealthSource {
    /// That of a run whose findings were not kept.
    fn default() -> HealthSource {
        HealthSource::NotAsked { why: HealthNotAsked::NotKept }
    }
}

worded_enum! {
    /// Why nothing is known of a drive's health that was not asked for it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum HealthNotAsked {
        /// This simulated drive keeps no health counters: its profile asks for none.
        Simulated = "this simulated drive keeps none",
        /// A file has no health of its own.
        File = "a file has none",
        /// The run was killed, and what was read was lost with it.
        NotKept = "the run was killed, and nothing of it was kept",
        /// The next delay came before the health was read again.
        NextDelayFirst = "the next delay came first",
    }
}

/// One reading of a drive's health.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthReading {
    /// Seconds from the start of the stream.
    pub at_s: f64,
    /// What came of it.
    pub outcome: HealthOutcome,
}

/// What came of a reading of a drive's health.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HealthOutcome {
    /// The drive answered.
    Read {
        /// Counters that moved since the reading before; none where nothing changed.
        changed: MovedCounters,
    },
    /// It gave no answer that could be read.
    Unreadable {
        /// Why, in words.
        why: String,
    },
}

/// Counters that moved, and how far, as pages and the terminal show them.
fn moved_in_words(counters: &MovedCounters) -> String {
    let moved = |(name, (before, after)): (&String, &(u64, u64))| {
        format!("{name}: {} to {}", count(*before as f64), count(*after as f64))
    };
    let mut counters: Vec<_> = counters.iter().collect();
    // Those that moved least come first: one that counts delays moves by little, and what does not fit into a table is the end.
    counters.sort_by_key(|(name, (before, after))| (after.abs_diff(*before), number(name)));
    counters.into_iter().map(moved).collect::<Vec<_>>().join("; ")
}

fn not_asked(why: HealthNotAsked) -> String {
    format!("not asked: {}", why.word())
}

fn not_read(why: &str) -> String {
    format!("could not be read: {why}")
}

/// The number that the name of an ATA drive's attribute begins with.
fn number(name: &str) -> u32 {
    let digits = name.split(' ').next().unwrap_or_default();
    digits.parse().unwrap_or(u32::MAX)
}

impl HealthFindings {
    /// Why nothing is known after any delay, in words; `None` where the drive was asked.
    pub fn unknown(&self) -> Option<String> {
        match &self.source {
            HealthSource::Asked => None,
            HealthSource::NotAsked { why } => Some(not_asked(*why)),
            HealthSource::Unreadable { why } => Some(not_read(why)),
        }
    }

    /// What is known from the delay at `from` seconds on, to the one at `to`, in words.
    pub fn after_delay(&self, from: f64, to: f64) -> String {
        if let Some(unknown) = self.unknown() {
            return unknown;
        }
        let (mut counters, mut was_read, mut failure) = (MovedCounters::new(), false, None);
        for reading in self.readings.iter().filter(|reading| reading.at_s >= from && reading.at_s < to) {
            match &reading.outcome {
                HealthOutcome::Read { changed } => {
                    was_read = true;
                    for (name, (before, after)) in changed {
                        counters.entry(name.clone()).or_insert((*before, *after)).1 = *after;
                    }
                }
                HealthOutcome::Unreadable { why } => failure = Some(why),
            }
        }
        match (was_read, failure) {
            (true, _) if counters.is_empty() => "nothing changed".to_owned(),
            (true, _) => moved_in_words(&counters),
            (false, Some(why)) => not_read(why),
            (false, None) => not_asked(HealthNotAsked::NextDelayFirst),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changed_is_not_taken_for_nothing_asked() {
        let read = |changed: &[(&str, (u64, u64))]| HealthOutcome::Read {
            changed: changed.iter().map(|(name, moved)| ((*name).to_owned(), *moved)).collect(),
        };
        let reading = |at_s, outcome| HealthReading { at_s, outcome };
        let findings = HealthFindings {
            source: HealthSource::Asked,
            readings: vec![
                reading(5.0, read(&[])),
                reading(25.0, read(&[("5 Reallocated", (1, 2))])),
                reading(28.0, read(&[("5 Reallocated", (2, 4))])),
                reading(35.0, HealthOutcome::Unreadable { why: "no answer".to_owned() }),
            ],
            temperature_celsius: Vec::new(),
        };
        let words = |from, to| findings.after_delay(from, to);
        assert_eq!(words(0.0, 10.0), "nothing changed");
        assert_eq!(words(10.0, 20.0), "not asked: the next delay came first");
        assert_eq!(words(20.0, 30.0), "5 Reallocated: 1 to 4");
        assert_eq!(words(30.0, 40.0), "could not be read: no answer");
        let many = [("241 Writes", (1, 9)), ("5 Reallocated", (0, 1)), ("media_errors", (0, 2))];
        let counters = many.map(|(name, moved)| (name.to_owned(), moved)).into_iter().collect();
        assert_eq!(
            moved_in_words(&counters),
            "5 Reallocated: 0 to 1; media_errors: 0 to 2; 241 Writes: 1 to 9"
        );
        let killed = HealthFindings::default().after_delay(0.0, 10.0);
        assert_eq!(killed, "not asked: the run was killed, and nothing of it was kept");
    }
}
