//! What a test of working sets finds.

use drivelab_analysis::PhaseAnalysis;
use drivelab_block::{ByteCount, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ios::LatencyFindings;

/// What a test of working sets found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkingSetFindings {
    /// How many parts were to be read.
    pub planned: u64,
    /// The parts that were read, in rising order.
    pub parts: Vec<PartFindings>,
    /// Where the rate falls as the working set grows; null where it does not.
    pub fall: Option<FallFindings>,
}

/// Reads of a part of the drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartFindings {
    /// The length of the part.
    pub bytes: u64,
    /// Reads a second.
    pub iops: f64,
    /// How long they took, in nanoseconds; null where none succeeded.
    pub service_ns: Option<LatencyFindings>,
}

/// Where the rate falls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FallFindings {
    /// The largest part that is read as fast as all smaller ones.
    pub after_bytes: u64,
    /// The next one.
    pub from_bytes: u64,
    /// The rate of the whole range divided by the highest one.
    pub whole_to_best: f64,
}

/// The rate has fallen where it is below this share of the highest one of smaller parts, and stays there.
const FALLEN: f64 = 0.9;

impl WorkingSetFindings {
    /// Takes the reads of the next part.
    pub(super) fn take(&mut self, bytes: ByteCount, phase: &PhaseAnalysis) {
        let lasted: Nanos = phase.ran(phase.until_last_success());
        let seconds = lasted.as_secs_f64();
        let iops = if seconds > 0.0 { phase.completed() as f64 / seconds } else { 0.0 };
        let service_ns = LatencyFindings::of(&phase.service());
        self.parts.push(PartFindings { bytes: bytes.get(), iops, service_ns });
        self.fall = self.fall();
    }

    fn fall(&self) -> Option<FallFindings> {
        let rates: Vec<f64> = self.parts.iter().map(|part| part.iops).collect();
        let best = |before: usize| rates[..before].iter().copied().fold(0.0, f64::max);
        let at = (1..rates.len()).find(|at| rates[*at..].iter().all(|rate| *rate < FALLEN * best(*at)))?;
        Some(FallFindings {
            after_bytes: self.parts[at - 1].bytes,
            from_bytes: self.parts[at].bytes,
            whole_to_best: rates.last()? / best(rates.len()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fall(rates: &[f64]) -> Option<(u64, u64)> {
        let part = |(place, iops): (usize, &f64)| PartFindings {
            bytes: 1 << (2 * place),
            iops: *iops,
            service_ns: None,
        };
        let parts = rates.iter().enumerate().map(part).collect();
        let found = WorkingSetFindings { parts, ..WorkingSetFindings::default() };
        found.fall().map(|fall| (fall.after_bytes, fall.from_bytes))
    }

    #[test]
    fn the_rate_falls_where_it_stays_below_nine_tenths() {
        assert_eq!(fall(&[100.0, 101.0, 99.0, 60.0, 30.0]), Some((16, 64)));
        assert_eq!(fall(&[100.0, 91.0, 95.0, 91.0]), None);
        assert_eq!(fall(&[100.0, 50.0, 99.0, 98.0]), None, "a single slow one");
        assert_eq!(fall(&[100.0]), None);
    }
}
