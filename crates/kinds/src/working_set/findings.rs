//! What a test of working sets finds.

use drivelab_block::{ByteCount, Nanos};
use drivelab_stats::PhaseAnalysis;
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
    /// Where the rate falls as the working set grows, over the parts that were read long enough; null where it does not.
    pub fall: Option<FallFindings>,
}

/// Reads of a part of the drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartFindings {
    /// The length of the part.
    pub bytes: u64,
    /// How many reads completed.
    pub reads: u64,
    /// How long it was read, after the warm-up, in nanoseconds.
    pub lasted_ns: u64,
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

/// A part is judged by at least this many reads: the rate of 400 whose times are exponential has a 95 % confidence interval of
/// +- 10 % (1.96 / sqrt(400)), as wide as the fall that is looked for.
pub(super) const READS_MIN: u64 = 400;
/// A part is judged by at least this time, in nanoseconds: in less, the milliseconds in which the reads begin and a drive pauses
/// decide.
pub(super) const LASTED_MIN_NS: u64 = 100_000_000;

impl PartFindings {
    /// Whether it was read long enough for its rate to be compared with that of others.
    pub(super) fn is_judged(&self) -> bool {
        self.reads >= READS_MIN && self.lasted_ns >= LASTED_MIN_NS
    }
}

/// The rate has fallen where it is below this share of the highest one of smaller parts, and stays there.
const FALLEN: f64 = 0.9;

impl WorkingSetFindings {
    /// Takes the reads of the next part.
    pub(super) fn take(&mut self, bytes: ByteCount, phase: &PhaseAnalysis) {
        let lasted: Nanos = phase.ran(phase.until_last_success);
        let seconds = lasted.as_secs_f64();
        let iops = if seconds > 0.0 { phase.completed() as f64 / seconds } else { 0.0 };
        self.parts.push(PartFindings {
            bytes: bytes.get(),
            reads: phase.completed(),
            lasted_ns: lasted.get(),
            iops,
            service_ns: LatencyFindings::from_distribution(&phase.service()),
        });
        self.fall = self.fall();
    }

    /// The parts that were read long enough, in rising order.
    pub(super) fn judged(&self) -> Vec<&PartFindings> {
        self.parts.iter().filter(|part| part.is_judged()).collect()
    }

    fn fall(&self) -> Option<FallFindings> {
        let parts = self.judged();
        let rates: Vec<f64> = parts.iter().map(|part| part.iops).collect();
        let best = |before: usize| rates[..before].iter().copied().fold(0.0, f64::max);
        let at = (1..rates.len()).find(|at| rates[*at..].iter().all(|rate| *rate < FALLEN * best(*at)))?;
        Some(FallFindings {
            after_bytes: parts[at - 1].bytes,
            from_bytes: parts[at].bytes,
            whole_to_best: rates.last()? / best(rates.len()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part((place, iops): (usize, &f64)) -> PartFindings {
        let (reads, lasted_ns) = (READS_MIN, LASTED_MIN_NS);
        PartFindings { bytes: 1 << (2 * place), reads, lasted_ns, iops: *iops, service_ns: None }
    }

    fn fall(rates: &[f64]) -> Option<(u64, u64)> {
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

    #[test]
    fn a_part_that_was_read_too_briefly_decides_nothing() {
        let mut parts: Vec<PartFindings> = [50.0, 100.0, 100.0, 50.0].iter().enumerate().map(part).collect();
        parts[0].reads = READS_MIN - 1;
        parts[3].lasted_ns = LASTED_MIN_NS - 1;
        let found = WorkingSetFindings { parts, ..WorkingSetFindings::default() };
        assert_eq!((found.fall(), found.judged().len()), (None, 2));
    }
}
