//! What the standstills of a run come to.

use drivelab_block::{Instant, Nanos};
use drivelab_stats::{Standstill, StandstillCause, Standstills};

use crate::manifest::Manifest;

/// A measured time of which more than this share passed while the program stood still is not judged: what is left of it is no
/// longer most of it.
const SHARE_MAX: f64 = 0.5;

/// The standstills of a run in sum.
#[derive(Clone, Debug, PartialEq)]
pub struct StoodStill {
    /// How many there were; what overlaps counts once.
    pub count: u64,
    /// How long they were together.
    pub total: Nanos,
    /// What caused them, each once.
    pub causes: Vec<StandstillCause>,
    /// The share of the measured phases that they took, 0 to 1.
    pub measured_share: f64,
}

impl StoodStill {
    /// Whether so much of the measured time was lost that the rest is not judged.
    pub fn is_too_much(&self) -> bool {
        self.measured_share > SHARE_MAX
    }

    /// Standstills in sum, where there were any; the measured times are spans in nanoseconds.
    pub fn from_standstills(
        all: &[Standstill],
        measured: impl IntoIterator<Item = (u64, u64)>,
    ) -> Option<StoodStill> {
        let standstills: Standstills = all.iter().copied().collect();
        let mut spans: Vec<_> = all.iter().map(|one| (one.from, one.until)).collect();
        spans.sort_unstable();
        let (mut count, mut reached) = (0, None);
        for (from, until) in spans {
            count += u64::from(reached.is_none_or(|reached| reached < from));
            reached = reached.max(Some(until));
        }
        let mut causes: Vec<_> = all.iter().map(|one| one.cause).collect();
        causes.sort_unstable();
        causes.dedup();
        let total = standstills.covered(Instant::ORIGIN, reached?);
        Some(StoodStill { count, total, causes, measured_share: share(&standstills, measured) })
    }
}

/// The share of the measured times which standstills took.
fn share(standstills: &Standstills, measured: impl IntoIterator<Item = (u64, u64)>) -> f64 {
    let (mut stood, mut lasted) = (0, 0);
    for (from, until) in measured {
        stood += standstills.covered(Instant::from_nanos(from), Instant::from_nanos(until)).get();
        lasted += until.saturating_sub(from);
    }
    if lasted == 0 { 0.0 } else { stood as f64 / lasted as f64 }
}

impl Manifest {
    /// When the program stood still.
    pub fn standstills(&self) -> Standstills {
        self.standstills.iter().copied().collect()
    }

    /// The standstills in sum, measured over the measured phases that have ended; `None` where there were none.
    pub fn stood_still(&self) -> Option<StoodStill> {
        let measured = self.phases.iter().filter(|phase| self.measured.contains(&phase.name));
        let spans = measured.filter_map(|phase| Some((phase.started_at_ns, phase.ended_at_ns?)));
        StoodStill::from_standstills(&self.standstills, spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn still(from_ns: u64, until_ns: u64, cause: StandstillCause) -> Standstill {
        Standstill {
            from: Instant::from_nanos(from_ns),
            until: Instant::from_nanos(until_ns),
            cause,
            queue: None,
        }
    }

    #[test]
    fn what_overlaps_counts_once_and_only_measured_time_has_a_share() {
        let all = [
            still(100, 300, StandstillCause::Stopped),
            still(200, 400, StandstillCause::Suspended),
            still(400, 500, StandstillCause::Stopped),
            still(900, 1_000, StandstillCause::Stopped),
            still(2_000, 2_100, StandstillCause::Stopped),
        ];
        let sum = StoodStill::from_standstills(&all, [(0, 250), (450, 950)]).expect("standstills");
        // 100 to 500, which touches, 900 to 1000, and 2000 to 2100; of 750 measured nanoseconds 150, 50 and 50.
        assert_eq!((sum.count, sum.total), (3, Nanos::new(600)));
        assert_eq!(sum.causes, [StandstillCause::Stopped, StandstillCause::Suspended]);
        assert!((sum.measured_share - 250.0 / 750.0).abs() < 1e-12, "{}", sum.measured_share);
        assert_eq!(StoodStill::from_standstills(&all, []).map(|sum| sum.measured_share), Some(0.0));
        assert_eq!(StoodStill::from_standstills(&[], [(0, 250)]), None);
    }

    #[test]
    fn figures_are_judged_as_long_as_half_of_the_measured_time_is_left() {
        let half = [still(0, 100, StandstillCause::Stopped)];
        let judged = |until| StoodStill::from_standstills(&half, [(0, until)]).map(|sum| sum.is_too_much());
        assert_eq!((judged(201), judged(200), judged(199)), (Some(false), Some(false), Some(true)));
    }
}
