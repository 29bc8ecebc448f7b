//! Slow I/Os judged at one threshold, the same for everything that stands on one page.

use super::clustering::Clustering;
use super::slow::SlowIos;
use super::thresholds::{INSTANT, RELATIVE, THRESHOLDS};
use super::{Bunching, Chance, ENOUGH_SLOW, EXCEPTION};

/// From when on I/Os are slow on one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowThreshold {
    /// Reads and writes of a single trace, each from its own: [`Bunching::telling`].
    Own,
    /// All of them from so many nanoseconds, which is one of the thresholds that were counted.
    Same(u64, SameThreshold),
}

/// Why one threshold holds for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameThreshold {
    /// It was asked for.
    Asked,
    /// It is the least of [`THRESHOLDS`] that at most 1 % of the reads and of the writes of each trace reach, and at least
    /// twenty in one of them.
    Common,
    /// There is none like that, and so it is 100 ms, up to where an answer feels instant.
    Instant,
}

impl SlowThreshold {
    /// The threshold of a page with these traces' directions, each of which was counted at [`THRESHOLDS`].
    pub fn common(directions: &[&Bunching]) -> SlowThreshold {
        let is_exception = |place: usize| {
            let slow = || directions.iter().map(|direction| direction.at(place));
            slow().all(|slow| slow.p_slow() <= EXCEPTION) && slow().any(|slow| slow.slow() >= ENOUGH_SLOW)
        };
        match (0..RELATIVE).find(|place| is_exception(*place)) {
            Some(place) => SlowThreshold::Same(THRESHOLDS[place], SameThreshold::Common),
            None => SlowThreshold::Same(THRESHOLDS[INSTANT], SameThreshold::Instant),
        }
    }
}

/// What is found of the slow I/Os of one direction at a page's threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The place of the threshold; none where a trace has none of its own.
    place: Option<usize>,
    /// What chance alone does.
    pub chance: Chance,
    /// Whether they are clustered.
    pub clustering: Clustering,
}

impl Judgement {
    /// The slow I/Os that it is about; none where too few are exceptions to choose a threshold.
    pub fn slow<'a>(&self, bunching: &'a Bunching) -> Option<SlowIos<'a>> {
        self.place.map(|place| bunching.at(place))
    }
}

impl Bunching {
    /// Judges the slow I/Os of this direction. Takes up to a second.
    ///
    /// # Panics
    /// Where I/Os were not counted at the threshold.
    pub fn judge(&self, threshold: SlowThreshold) -> Judgement {
        let slow = match threshold {
            SlowThreshold::Own => self.telling(),
            SlowThreshold::Same(nanos, _) => {
                Some(self.at(self.place(nanos).expect("a page's threshold is one of those that are counted")))
            }
        };
        let Some(slow) = slow else {
            // Not even the relative threshold has enough, or it has too many, and that is what is found.
            let chance = Chance::default();
            return Judgement { place: None, chance, clustering: self.relative().clustering(&chance) };
        };
        let chance = Chance { crowding: slow.rotation(), period: slow.period_by_chance() };
        Judgement { place: Some(slow.place()), chance, clustering: slow.clustering(&chance) }
    }
}
