//! What a test of waking up finds.

use std::collections::BTreeSet;

use drivelab_method::RestedRead;
use drivelab_stats::MedianInterval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::whole::whole_part;
use crate::{NoPowerStates, ReportedPowerState};

/// A step lengthens a read at least by this factor ...
pub(super) const STEP_FACTOR: f64 = 1.2;
/// ... and by this much, in nanoseconds.
pub(super) const STEP_LEAST_NS: f64 = 10_000.0;

/// What a test of waking up found. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeFindings {
    /// How many reads were to be made.
    pub planned: u64,
    /// The reads that succeeded, in their order.
    pub reads: Vec<ReadAfterRest>,
    /// The reads after each rest, by its length.
    pub rests: Vec<RestFindings>,
    /// From which rest on a read takes longer.
    pub steps: Vec<StepFindings>,
    /// The power states that the drive reports; empty where none are known.
    #[serde(default)]
    pub power_states: Vec<ReportedPowerState>,
    /// Why no power states are known; null where some are.
    #[serde(default)]
    pub no_power_states: Option<NoPowerStates>,
}

/// A read after a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadAfterRest {
    /// The rest that was asked for.
    pub rest_ns: u64,
    /// The time from the answer before until the read was submitted.
    pub rested_ns: u64,
    /// How long the read took.
    pub time_ns: u64,
}

/// The reads after one length of rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestFindings {
    /// The rest.
    pub rest_ns: u64,
    /// How many reads succeeded.
    pub reads: u64,
    /// Their median.
    pub median_ns: f64,
    /// The lower end of its 95 % confidence interval; null of fewer than six reads.
    pub low_ns: Option<f64>,
    /// The upper end.
    pub high_ns: Option<f64>,
    /// The longest.
    pub max_ns: u64,
}

/// A rest from which on a read takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepFindings {
    /// The longest rest without it.
    pub after_ns: u64,
    /// The shortest rest with it.
    pub from_ns: u64,
    /// By how much the median is longer.
    pub longer_ns: f64,
}

impl WakeFindings {
    pub(super) fn take(&mut self, reads: &[RestedRead]) {
        let succeeded = reads.iter().filter(|read| read.completion.status.is_ok());
        let read = |read: &RestedRead| ReadAfterRest {
            rest_ns: read.rest.get(),
            rested_ns: read.rested.get(),
            time_ns: read.completion.service().get(),
        };
        self.reads = succeeded.map(read).collect();
        let lengths: BTreeSet<u64> = self.reads.iter().map(|read| read.rest_ns).collect();
        self.rests = lengths.into_iter().map(|length| self.after(length)).collect();
        let rises = self.rests.windows(2).map(|pair| Rise { shorter: &pair[0], longer: &pair[1] });
        self.steps = rises.filter_map(|rise| rise.step()).collect();
    }

    fn after(&self, rest_ns: u64) -> RestFindings {
        let of_rest = self.reads.iter().filter(|read| read.rest_ns == rest_ns);
        let times: Vec<f64> = of_rest.map(|read| read.time_ns as f64).collect();
        let MedianInterval { median, interval } = MedianInterval::of_independent(&times);
        let (low_ns, high_ns) = interval.unzip();
        RestFindings {
            rest_ns,
            reads: times.len() as u64,
            median_ns: median,
            low_ns,
            high_ns,
            max_ns: whole_part(times.iter().copied().fold(0.0, f64::max)),
        }
    }

    /// The rest and the next one between which the median rises most: of rises that are large enough for a step, where there are
    /// any. None where it rises nowhere.
    pub(super) fn largest_rise(&self) -> Option<Rise<'_>> {
        let rises = self.rests.windows(2).map(|pair| Rise { shorter: &pair[0], longer: &pair[1] });
        let rises = rises.filter(|rise| rise.longer_ns() > 0.0);
        rises.max_by(|one, other| {
            one.is_large().cmp(&other.is_large()).then(one.longer_ns().total_cmp(&other.longer_ns()))
        })
    }

    /// Whether each median has a confidence interval, without which there is no step.
    pub(super) fn has_intervals(&self) -> bool {
        self.rests.iter().all(|rest| rest.low_ns.is_some())
    }

    /// The median after the shortest rest, and after the longest one.
    pub(super) fn ends(&self) -> Option<(&RestFindings, &RestFindings)> {
        self.rests.first().zip(self.rests.last())
    }
}

/// A rest and the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rise<'a> {
    pub shorter: &'a RestFindings,
    pub longer: &'a RestFindings,
}

impl Rise<'_> {
    /// By how much the median is longer after the longer rest, in nanoseconds.
    pub fn longer_ns(&self) -> f64 {
        self.longer.median_ns - self.shorter.median_ns
    }

    /// Whether it is as large as a step.
    pub fn is_large(&self) -> bool {
        self.longer.median_ns >= STEP_FACTOR * self.shorter.median_ns && self.longer_ns() >= STEP_LEAST_NS
    }

    /// The step, where the intervals of the medians lie apart: by chance they would in fewer than one of a hundred cases.
    fn step(&self) -> Option<StepFindings> {
        let is_apart = self.longer.low_ns? > self.shorter.high_ns?;
        (is_apart && self.is_large()).then_some(StepFindings {
            after_ns: self.shorter.rest_ns,
            from_ns: self.longer.rest_ns,
            longer_ns: self.longer_ns(),
        })
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Completion, Extent, Instant, Nanos, Op, PhaseId, QueueId, Status};

    use super::*;

    fn reads(times: &[(u64, f64)], per_rest: u32) -> Vec<RestedRead> {
        let at = |us: f64| Instant::ORIGIN + Nanos::from_secs_f64(us / 1e6);
        let read = |rest_ms: u64, us: f64| RestedRead {
            rest: Nanos::from_millis(rest_ms),
            rested: Nanos::from_millis(rest_ms),
            completion: Completion {
                intended_at: Instant::ORIGIN,
                submitted_at: Instant::ORIGIN,
                issued_at: None,
                completed_at: at(us),
                extent: Extent::default(),
                status: Status::OK,
                queue: QueueId(0),
                op: Op::Read,
                phase: PhaseId(0),
            },
        };
        let of_rest = |(rest, us): &(u64, f64)| {
            (0..per_rest).map(|n| read(*rest, us + f64::from(n))).collect::<Vec<_>>()
        };
        times.iter().flat_map(of_rest).collect()
    }

    #[test]
    fn a_step_is_found_between_the_rests_that_it_lies_between() {
        let mut found = WakeFindings::default();
        found.take(&reads(&[(1, 80.0), (10, 81.0), (100, 300.0), (1_000, 302.0), (10_000, 5_000.0)], 6));
        let steps: Vec<(u64, u64)> =
            found.steps.iter().map(|step| (step.after_ns / 1_000_000, step.from_ns / 1_000_000)).collect();
        assert_eq!(steps, [(10, 100), (1_000, 10_000)]);
        assert!((found.steps[0].longer_ns - 219_000.0).abs() < 1.0);
    }

    #[test]
    fn the_largest_rise_is_the_one_that_comes_nearest_to_a_step() {
        let of = |times: &[(u64, f64)]| {
            let mut found = WakeFindings::default();
            found.take(&reads(times, 6));
            found.largest_rise().map(|rise| (rise.longer.rest_ns / 1_000_000, rise.is_large()))
        };
        assert_eq!(of(&[(1, 3.0), (10, 3.1), (100, 7.4)]), Some((100, false)));
        assert_eq!(of(&[(1, 900.0), (10, 80.0), (100, 70.0)]), None, "it falls everywhere");
        // A rise of 100 us is less than a fifth; that of 30 us before is more.
        assert_eq!(of(&[(1, 20.0), (10, 50.0), (100, 600.0), (1_000, 700.0)]), Some((100, true)));
        assert_eq!(of(&[(1, 20.0), (10, 50.0), (100, 45.0), (1_000, 52.0)]), Some((10, true)));
    }

    #[test]
    fn few_reads_and_small_differences_are_no_step() {
        let steps = |times: &[(u64, f64)], per_rest| {
            let mut found = WakeFindings::default();
            found.take(&reads(times, per_rest));
            found.steps.len()
        };
        assert_eq!(steps(&[(1, 80.0), (10, 900.0)], 5), 0, "five reads have no interval");
        assert_eq!(steps(&[(1, 80.0), (10, 95.0)], 6), 0, "less than a fifth");
        assert_eq!(steps(&[(1, 20.0), (10, 29.0)], 6), 0, "less than 10 us");
        assert_eq!(steps(&[(1, 80.0), (10, 100.0)], 6), 1);
    }
}
