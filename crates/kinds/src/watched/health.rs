//! The drive's health over a stream, and what of it changed after each delay.

use std::collections::BTreeMap;
use std::fmt;

use drivelab_view::format::count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// Why nothing is known of a drive's health that was not asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthNotAsked {
    /// This simulated drive keeps no health counters: its profile asks for none.
    Simulated,
    /// A file has no health of its own.
    File,
    /// The run was killed, and what was read was lost with it.
    NotKept,
    /// The next delay came before the health was read again.
    NextDelayFirst,
}

impl fmt::Display for HealthNotAsked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HealthNotAsked::Simulated => "this simulated drive keeps none",
            HealthNotAsked::File => "a file has none",
            HealthNotAsked::NotKept => "the run was killed, and nothing of it was kept",
            HealthNotAsked::NextDelayFirst => "the next delay came first",
        })
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

/// What is known of a drive's health from one delay to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HealthAfterDelay {
    /// Counters moved.
    Changed {
        /// Which, and how far.
        counters: MovedCounters,
    },
    /// The drive was asked, and nothing had changed.
    Unchanged,
    /// The drive was not asked.
    NotAsked {
        /// Why.
        why: HealthNotAsked,
    },
    /// The drive was asked, and gave no answer that could be read.
    Unreadable {
        /// Why, in words.
        why: String,
    },
}

impl fmt::Display for HealthAfterDelay {
    /// What is known, as pages and the terminal show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HealthAfterDelay::Changed { counters } => {
                let moved = |(name, (before, after)): (&String, &(u64, u64))| {
                    format!("{name}: {} to {}", count(*before as f64), count(*after as f64))
                };
                let mut counters: Vec<_> = counters.iter().collect();
                // Those that moved least come first: one that counts delays moves by little, and what does not fit into a table
                // is the end.
                counters.sort_by_key(|(name, (before, after))| (after.abs_diff(*before), number(name)));
                let moved: Vec<String> = counters.into_iter().map(moved).collect();
                f.write_str(&moved.join("; "))
            }
            HealthAfterDelay::Unchanged => f.write_str("nothing changed"),
            HealthAfterDelay::NotAsked { why } => write!(f, "not asked: {why}"),
            HealthAfterDelay::Unreadable { why } => write!(f, "could not be read: {why}"),
        }
    }
}

/// The number that the name of an ATA drive's attribute begins with.
fn number(name: &str) -> u32 {
    let digits = name.split(' ').next().unwrap_or_default();
    digits.parse().unwrap_or(u32::MAX)
}

impl HealthFindings {
    /// Why nothing is known after any delay; `None` where the drive was asked.
    pub fn unknown(&self) -> Option<HealthAfterDelay> {
        match &self.source {
            HealthSource::Asked => None,
            HealthSource::NotAsked { why } => Some(HealthAfterDelay::NotAsked { why: *why }),
            HealthSource::Unreadable { why } => Some(HealthAfterDelay::Unreadable { why: why.clone() }),
        }
    }

    /// What is known from the delay at `from` seconds on, to the one at `to`.
    pub fn after_delay(&self, from: f64, to: f64) -> HealthAfterDelay {
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
                HealthOutcome::Unreadable { why } => failure = Some(why.clone()),
            }
        }
        match (was_read, failure) {
            (true, _) if counters.is_empty() => HealthAfterDelay::Unchanged,
            (true, _) => HealthAfterDelay::Changed { counters },
            (false, Some(why)) => HealthAfterDelay::Unreadable { why },
            (false, None) => HealthAfterDelay::NotAsked { why: HealthNotAsked::NextDelayFirst },
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
        let words = |from, to| findings.after_delay(from, to).to_string();
        assert_eq!(words(0.0, 10.0), "nothing changed");
        assert_eq!(words(10.0, 20.0), "not asked: the next delay came first");
        assert_eq!(words(20.0, 30.0), "5 Reallocated: 1 to 4");
        assert_eq!(words(30.0, 40.0), "could not be read: no answer");
        let many = [("241 Writes", (1, 9)), ("5 Reallocated", (0, 1)), ("media_errors", (0, 2))];
        let counters = many.map(|(name, moved)| (name.to_owned(), moved)).into_iter().collect();
        let words = HealthAfterDelay::Changed { counters }.to_string();
        assert_eq!(words, "5 Reallocated: 0 to 1; media_errors: 0 to 2; 241 Writes: 1 to 9");
        let killed = HealthFindings::default().after_delay(0.0, 10.0);
        assert_eq!(killed, HealthAfterDelay::NotAsked { why: HealthNotAsked::NotKept });
    }
}
