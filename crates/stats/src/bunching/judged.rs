//! Slow I/Os judged at one threshold, the same for everything that stands on one page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clustering::Clustering;
use super::slow::SlowIos;
use super::thresholds::{INSTANT, RELATIVE, THRESHOLDS, Threshold};
use super::{Bunching, Chance, ENOUGH_SLOW, EXCEPTION, MOST_OFTEN};

/// From when on I/Os are slow on one page: reads and writes, of all traces that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowThreshold {
    /// The threshold, which is one of those that were counted.
    pub limit: Threshold,
    /// Why it is that one.
    pub origin: ThresholdOrigin,
}

/// Why a threshold holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ThresholdReason")]
pub enum ThresholdOrigin {
    /// It was chosen from this trace, which is shown alone.
    Own,
    /// It was asked for.
    Asked,
    /// It was chosen from all traces that are compared.
    Common,
    /// It is that of the trace which was replayed.
    OfTrace,
    /// None could be chosen: 100 ms.
    Instant,
}

impl SlowThreshold {
    /// A threshold in nanoseconds that was asked for, at which I/Os were counted.
    pub fn asked(nanos: u64) -> SlowThreshold {
        SlowThreshold { limit: Threshold::Fixed(nanos), origin: ThresholdOrigin::Asked }
    }

    /// The threshold of a page with the reads and the writes of these traces, each of which was counted at
    /// [`THRESHOLDS`].
    ///
    /// It is the least of [`THRESHOLDS`] that at least twenty reads or writes of one trace reach, and at most
    /// 1 % of the reads and of the writes of each. Where there is none like that, up to 25 % may reach it, so
    /// that slow I/Os that are no rare exception are judged as well. A single trace of which no fixed
    /// threshold has enough is judged by ten times its median, where that gives at least twenty and at most
    /// 25 %.
    pub fn chosen(traces: &[[&Bunching; 2]]) -> SlowThreshold {
        let (is_alone, directions) = (traces.len() == 1, || traces.iter().flatten());
        let is_reached = |place: usize, most: f64| {
            let slow = || directions().map(|direction| direction.at(place));
            slow().all(|slow| slow.p_slow() <= most) && slow().any(|slow| slow.tally.slow >= ENOUGH_SLOW)
        };
        let at_most = |most| (0..RELATIVE).find(|place| is_reached(*place, most));
        let (limit, origin) = match at_most(EXCEPTION).or_else(|| at_most(MOST_OFTEN)) {
            Some(place) if is_alone => (Threshold::Fixed(THRESHOLDS[place]), ThresholdOrigin::Own),
            Some(place) => (Threshold::Fixed(THRESHOLDS[place]), ThresholdOrigin::Common),
            None if is_alone && directions().any(|direction| can_be_judged(direction.at(RELATIVE))) => {
                (Threshold::TenMedians, ThresholdOrigin::Own)
            }
            None => (Threshold::Fixed(THRESHOLDS[INSTANT]), ThresholdOrigin::Instant),
        };
        SlowThreshold { limit, origin }
    }
}

/// What is found of the slow I/Os of one direction at a page's threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The place of the threshold.
    place: usize,
    /// What chance alone does.
    pub chance: Chance,
    /// Whether they are clustered.
    pub clustering: Clustering,
}

impl Judgement {
    /// The slow I/Os that it is about.
    pub fn slow<'a>(&self, bunching: &'a Bunching) -> SlowIos<'a> {
        bunching.at(self.place)
    }
}

impl Bunching {
    /// Judges the slow I/Os of this direction. Takes up to a second.
    ///
    /// # Panics
    /// Where I/Os were not counted at the threshold.
    pub fn judge(&self, threshold: SlowThreshold) -> Judgement {
        let slow = self.at(self.place(threshold.limit).expect("I/Os are counted at a page's threshold"));
        // Too few slow I/Os, or too many to be an exception, are not compared with chance.
        let chance = if can_be_judged(slow) {
            Chance { crowding: slow.rotation(), period: slow.tally.episodes.period_by_chance() }
        } else {
            Chance::default()
        };
        Judgement { place: slow.place, chance, clustering: slow.clustering(&chance) }
    }
}

/// Whether slow I/Os are enough to say anything of them, and few enough to be an exception.
fn can_be_judged(slow: SlowIos<'_>) -> bool {
    slow.tally.slow >= ENOUGH_SLOW && slow.p_slow() <= MOST_OFTEN
}
