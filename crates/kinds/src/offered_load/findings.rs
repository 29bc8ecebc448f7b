//! What a test at offered loads finds.

use drivelab_block::Nanos;
use drivelab_method::PhaseEnd;
use drivelab_stats::PhaseAnalysis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LoadOption;
use crate::ios::LatencyFindings;

/// What a test at offered loads found. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfferedLoadFindings {
    /// How many loads were to be offered.
    pub planned: u64,
    /// I/Os a second in a closed loop; null before it was measured.
    pub peak_iops: Option<f64>,
    /// The loads, in the order in which they were offered.
    pub loads: Vec<OfferedFindings>,
    /// I/Os a second that were answered while the drive was overloaded and answered less than was offered, the least of all such
    /// loads; null where none was. What is above it was answered for as long as it was offered, and is not shown to last.
    #[serde(default)]
    pub overloaded_iops: Option<f64>,
    /// Loads below the highest one within the limit whose p99 is beyond it, in I/Os a second: the lowest ones alone can be.
    #[serde(default)]
    pub beyond_below_iops: Vec<f64>,
    /// The highest load whose p99 is within the limit, in per cent of the peak; null where there is none, or no limit.
    pub within_limit_percent: Option<f64>,
    /// The same in I/Os a second.
    pub within_limit_iops: Option<f64>,
    /// The lowest load above that whose p99 is beyond the limit, in per cent of the peak; null where there is none, or no limit.
    pub beyond_limit_percent: Option<f64>,
    /// The same in I/Os a second.
    pub beyond_limit_iops: Option<f64>,
}

/// One load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfferedFindings {
    /// The load as it was asked for.
    pub asked: LoadOption,
    /// In per cent of the peak.
    pub percent: f64,
    /// I/Os a second that were offered.
    pub offered_iops: f64,
    /// I/Os that were answered; null in results that were made before this was kept.
    #[serde(default)]
    pub answered: Option<u64>,
    /// I/Os that failed; absent where none did.
    #[serde(default, skip_serializing_if = "drivelab_stats::is_zero")]
    pub failed: u64,
    /// I/Os a second that were answered.
    pub answered_iops: f64,
    /// Response times, from when an I/O was due; null where none was answered.
    pub response_ns: Option<LatencyFindings>,
    /// Service times, from when an I/O was submitted.
    pub service_ns: Option<LatencyFindings>,
    /// Whether the schedule was kept.
    pub schedule: Schedule,
}

/// Whether the schedule of a load was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// It was.
    Kept,
    /// Many I/Os found all slots taken: the drive has more to do than it can. Response times are those from when I/Os were due.
    Overloaded,
    /// I/Os were sent late although there were slots: the machine could not offer the load, and response times are not the
    /// drive's.
    MachineLate,
    /// Many I/Os found all slots taken, and the machine could not offer a lower load: the drive may have more to do than it can,
    /// or the machine.
    Unclear,
}

impl Schedule {
    /// Whether the response times are those of the drive.
    pub(super) fn is_of_drive(self) -> bool {
        matches!(self, Schedule::Kept | Schedule::Overloaded)
    }

    /// Whether many I/Os found all slots taken.
    pub(super) fn is_full(self) -> bool {
        matches!(self, Schedule::Overloaded | Schedule::Unclear)
    }
}

/// A drive is overloaded where more than this share of I/Os found every slot taken: fewer do after a pause of the machine.
const OVERLOADED_SHARE: f64 = 0.01;
/// Rates that differ by less than this factor are alike.
pub(super) const ALIKE: f64 = 1.05;
/// A p99 is judged by this many I/Os at least: of fewer, none is expected beyond it.
pub(super) const ANSWERED_MIN: u64 = 100;
/// A machine is late where it adds more than this share to the mean response time, and more than two microseconds.
const LATE_SHARE: f64 = 0.05;
const LATE_LEAST_NS: f64 = 2_000.0;

impl OfferedLoadFindings {
    pub(super) fn take(
        &mut self,
        (asked, offered_iops): (LoadOption, f64),
        phase: &PhaseAnalysis,
        end: &PhaseEnd,
    ) {
        // A drive that fails does not answer what is due for as long as it is asked.
        let asked_for = if phase.failed() > 0 { end.asked_for() } else { Nanos::ZERO };
        let seconds = phase.until_last_success.max(asked_for).as_secs_f64();
        let response_ns = phase.response().as_ref().and_then(LatencyFindings::from_distribution);
        let service_ns = LatencyFindings::from_distribution(&phase.service());
        let mean = |times: &Option<LatencyFindings>| times.as_ref().map_or(0.0, |times| times.mean);
        let late_ns = mean(&response_ns) - mean(&service_ns);
        let without_slot = end.delayed_sends + end.unsent.count();
        // Loads are offered in rising order.
        let was_late = self.loads.iter().any(|one| one.schedule == Schedule::MachineLate);
        let schedule = if without_slot as f64 > OVERLOADED_SHARE * phase.completed() as f64 {
            if was_late { Schedule::Unclear } else { Schedule::Overloaded }
        } else if late_ns > LATE_LEAST_NS && late_ns > LATE_SHARE * mean(&response_ns) {
            Schedule::MachineLate
        } else {
            Schedule::Kept
        };
        let answered_iops = if seconds > 0.0 { phase.completed() as f64 / seconds } else { 0.0 };
        self.loads.push(OfferedFindings {
            asked,
            percent: asked.percent(self.peak_iops.unwrap_or(offered_iops)),
            offered_iops,
            answered: Some(phase.completed()),
            failed: phase.failed(),
            answered_iops,
            response_ns,
            service_ns,
            schedule,
        });
        let overloaded =
            self.loads.iter().filter(|one| one.schedule == Schedule::Overloaded && one.is_short());
        self.overloaded_iops = overloaded.map(|one| one.answered_iops).reduce(f64::min);
    }

    /// Judges the loads by a limit of the p99 of their response time. Loads that the machine could not offer, and those of a few
    /// I/Os, say nothing.
    ///
    /// The lowest loads may be beyond the limit and higher ones within it: a drive that sleeps between I/Os is woken by each.
    pub(super) fn judge(&mut self, limit_ns: u64) {
        let known = self.loads.iter().filter_map(|one| Some((one, one.p99_ns()? <= limit_ns)));
        let mut known: Vec<(&OfferedFindings, bool)> = known.collect();
        known.sort_by(|(one, _), (other, _)| one.offered_iops.total_cmp(&other.offered_iops));
        let below = known.iter().take_while(|(_, is_within)| !is_within).count();
        let (below, known) = known.split_at(if below < known.len() { below } else { 0 });
        let within = known.iter().take_while(|(_, is_within)| *is_within).map(|(one, _)| *one).last();
        let beyond = known.iter().find(|(_, is_within)| !is_within).map(|(one, _)| *one);
        let of = |one: Option<&OfferedFindings>| one.map(|one| (one.percent, one.offered_iops)).unzip();
        (self.beyond_limit_percent, self.beyond_limit_iops) = of(beyond);
        (self.within_limit_percent, self.within_limit_iops) = of(within);
        self.beyond_below_iops = below.iter().map(|(one, _)| one.offered_iops).collect();
    }

    /// Whether the highest load within the limit is one that an overloaded drive answers as well, so that it lasts.
    pub(super) fn is_within_what_lasts(&self) -> bool {
        let within = self.within_limit_iops.zip(self.overloaded_iops);
        within.is_none_or(|(within, overloaded)| within <= overloaded * ALIKE)
    }
}

impl OfferedFindings {
    /// The p99 of the response time, in nanoseconds; none where too few I/Os were answered, or where the machine could not offer
    /// the load, or may not have.
    pub(super) fn p99_ns(&self) -> Option<u64> {
        let is_shown = self.schedule.is_of_drive() && !self.is_of_few();
        Some(self.response_ns.as_ref().filter(|_| is_shown)?.p99)
    }

    /// Whether less was answered than was offered.
    pub(super) fn is_short(&self) -> bool {
        self.answered_iops * ALIKE < self.offered_iops
    }

    /// Whether there are too few I/Os for a p99.
    pub(super) fn is_of_few(&self) -> bool {
        self.answered.is_some_and(|answered| answered < ANSWERED_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(percent: f64, p99: u64, schedule: Schedule) -> OfferedFindings {
        let times = LatencyFindings {
            mean: 0.0,
            standard_deviation: 0.0,
            p50: 0,
            p99,
            p99_9: p99,
            p99_99: p99,
            p99_999: None,
            p99_9999: None,
            max: p99,
            at_least_from: None,
        };
        let (offered_iops, answered_iops) = (percent * 20.0, percent * 20.0);
        let (asked, response_ns) = (LoadOption::Percent(percent), Some(times));
        OfferedFindings {
            asked,
            percent,
            offered_iops,
            answered: Some(ANSWERED_MIN),
            failed: 0,
            answered_iops,
            response_ns,
            service_ns: None,
            schedule,
        }
    }

    #[test]
    fn the_load_lies_between_the_last_one_within_the_limit_and_the_first_one_beyond_it() {
        use Schedule::{Kept, MachineLate, Overloaded, Unclear};
        let judged = |loads: &[(f64, u64, Schedule)]| {
            let loads: Vec<OfferedFindings> =
                loads.iter().map(|(percent, p99, schedule)| load(*percent, *p99, *schedule)).collect();
            let mut found = OfferedLoadFindings { loads, ..OfferedLoadFindings::default() };
            found.judge(1_000);
            let iops = |percent: Option<f64>| percent.map(|percent| percent * 20.0);
            assert_eq!(found.within_limit_iops, iops(found.within_limit_percent));
            assert_eq!(found.beyond_limit_iops, iops(found.beyond_limit_percent));
            (found.within_limit_percent, found.beyond_limit_percent)
        };
        let rising = [(10.0, 300, Kept), (50.0, 1_000, Kept), (90.0, 1_001, Overloaded)];
        assert_eq!(judged(&rising), (Some(50.0), Some(90.0)));
        assert_eq!(judged(&rising[..2]), (Some(50.0), None));
        assert_eq!(judged(&rising[2..]), (None, Some(90.0)));
        // A single load that is slow by chance bounds what can be said of the ones above it.
        let chance = [(10.0, 300, Kept), (30.0, 2_000, Kept), (50.0, 900, Kept)];
        assert_eq!(judged(&chance), (Some(10.0), Some(30.0)));
        // Those of a drive that sleeps between I/Os are not.
        assert_eq!(judged(&[(10.0, 2_000, Kept), (50.0, 900, Kept)]), (Some(50.0), None));
        assert_eq!(judged(&[(10.0, 2_000, Kept), (50.0, 1_001, Kept)]), (None, Some(10.0)));
        assert_eq!(judged(&[(10.0, 2_000, MachineLate), (50.0, 900, Kept)]), (Some(50.0), None));
        let late = [(10.0, 300, Kept), (50.0, 400, MachineLate), (90.0, 9_000, Unclear)];
        assert_eq!(judged(&late), (Some(10.0), None), "what the machine may be behind is beyond nothing");
    }
    #[test]
    fn few_ios_say_nothing_and_what_an_overloaded_drive_answers_lasts() {
        let mut loads = [(20.0, 300), (60.0, 500), (90.0, 9_000)]
            .map(|(percent, p99)| load(percent, p99, Schedule::Kept));
        let found = |loads: &[OfferedFindings], overloaded_iops| {
            let loads = loads.to_vec();
            let mut found = OfferedLoadFindings { loads, overloaded_iops, ..OfferedLoadFindings::default() };
            found.judge(1_000);
            found
        };
        let is_lasting = |iops| found(&loads, Some(iops)).is_within_what_lasts();
        assert!(is_lasting(1_200.0) && is_lasting(1_150.0) && !is_lasting(1_100.0), "60 % are 1,200");
        assert!(found(&loads, None).is_within_what_lasts());
        loads[0].answered = Some(ANSWERED_MIN - 1);
        let found = found(&loads[..1], None);
        assert_eq!((found.within_limit_percent, found.beyond_limit_percent), (None, None));
    }
}
