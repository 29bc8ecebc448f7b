//! Plateaus of a rate over an amount written, and the knees between them.
//!
//! The curve has a rate for each of many equal amounts of bytes. It is divided into the segments that fit its logarithm best
//! (`partition`), where a further segment has to win more than chance would let it. What is left of the boundaries has to be a
//! knee: the level changes by a sixth or more, and most of that happens at once. A rate that drifts, as that of a disk does from
//! its outer to its inner tracks, or that undulates, has none.
//!
//! The error, held by tests: a knee is found within 1 % of the range, and of a thousand curves that drift or undulate by up to
//! 30 %, with correlated noise of up to 10 %, fewer than ten have a knee.

mod level;
mod partition;

use std::ops::Range;

pub use level::MedianInterval;
use partition::{Costs, partition};

use crate::{median, whole};

/// Knees change the level at least by this factor, up or down.
pub const KNEE_FACTOR: f64 = 1.2;
/// Most of the change: this share of it happens from the window before a knee to the one after it.
const AT_ONCE: f64 = 0.75;
/// A plateau has at least this share of the curve, ...
const PLATEAU_SHARE: f64 = 0.01;
/// ... and this many of its steps; for the first one that suffices, since a small cache is full soon.
const STEPS_MIN: usize = 5;
/// With fewer steps nothing is said.
pub const CURVE_STEPS_MIN: usize = 40;
/// A rate that changes more often than this undulates, and has no plateaus.
const KNEES_MAX: usize = 6;
/// Noise and undulations are judged by the differences between neighbouring parts of the curve, of a step each or this many;
/// slower undulations do not change the level at once.
const NOISE_PARTS: [usize; 7] = [400, 200, 100, 70, 50, 35, 25];
/// What a further segment has to win, in variances of the noise times the logarithm of the number of steps. With 2 it would be
/// the Bayesian information criterion for one level and one boundary; the rest allows for noise that is not normal.
const PENALTY: f64 = 3.0;
/// A place stays possible for a boundary as long as the likelihood there is not less than exp(-3.66) of the greatest one: the
/// greatest excess of a Brownian motion with that drift on either side is exponential, and (1 - exp(-3.66))^2 = 0.95 (D. Hinkley,
/// "Inference about the change-point in a sequence of random variables", 1970; D. Siegmund, "Confidence sets in change-point
/// problems", 1988).
const LOG_LIKELIHOOD: f64 = 3.66;

/// A stretch of the curve at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Plateau {
    /// Its steps.
    pub steps: Range<usize>,
    /// The median of their rates.
    pub rate: MedianInterval,
}

/// A place at which the level changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knee {
    /// The first step of the new level.
    pub at: usize,
    /// It lies behind the begin of this step, with 95 % confidence.
    pub earliest: usize,
    /// It lies before the begin of this step, with the same confidence, or before the end of the curve.
    pub latest: usize,
}

/// The plateaus of a curve, and the knees between them: one fewer. A curve that undulates is one plateau.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plateaus {
    /// The plateaus, in their order; none of a curve that is too short.
    pub plateaus: Vec<Plateau>,
    /// The knees.
    pub knees: Vec<Knee>,
}

impl Plateaus {
    /// Those of a curve with a rate above 0 for each step. With fewer than 40 steps there are none.
    pub fn from_rates(rates: &[f64]) -> Plateaus {
        if rates.len() < CURVE_STEPS_MIN || rates.iter().any(|rate| !rate.is_finite() || *rate <= 0.0) {
            return Plateaus::default();
        }
        let logs: Vec<f64> = rates.iter().map(|rate| rate.ln()).collect();
        let costs = Costs::from_values(&logs);
        let noise = noise_variance(&logs);
        let shortest = shortest_plateau(logs.len());
        let penalty = PENALTY * noise * (logs.len() as f64).ln();
        let found = partition(&costs, penalty, |from| if from == 0 { STEPS_MIN } else { shortest });
        let mut boundaries = true_knees(&logs, &costs, found);
        if boundaries.len() > KNEES_MAX {
            boundaries.clear();
        }
        let knees = knees(&costs, &boundaries, logs.len(), noise);
        let edges = edges(&boundaries, logs.len());
        let plateau =
            |steps: Range<usize>| Plateau { rate: MedianInterval::from_values(&rates[steps.clone()]), steps };
        Plateaus { plateaus: edges.windows(2).map(|pair| plateau(pair[0]..pair[1])).collect(), knees }
    }
}

fn shortest_plateau(steps: usize) -> usize {
    whole((steps as f64 * PLATEAU_SHARE).ceil()).max(STEPS_MIN)
}

/// The begins of all segments, and the end.
fn edges(boundaries: &[usize], end: usize) -> Vec<usize> {
    [0].into_iter().chain(boundaries.iter().copied()).chain([end]).collect()
}

/// The variance that one step adds to a sum of neighbouring ones: it is that of the noise where steps are independent, and
/// more where neighbours are alike. It is judged by the differences between the means of neighbouring parts, whose median
/// a few knees do not move.
fn noise_variance(logs: &[f64]) -> f64 {
    let lengths = NOISE_PARTS.into_iter().map(|parts| logs.len() / parts).filter(|length| *length > 1);
    lengths.chain([1]).map(|length| noise_of_parts(logs, length)).fold(f64::EPSILON, f64::max)
}

/// The same by parts of one length, in steps.
fn noise_of_parts(logs: &[f64], length: usize) -> f64 {
    let means: Vec<f64> =
        logs.chunks_exact(length).map(|part| part.iter().sum::<f64>() / length as f64).collect();
    let differences: Vec<f64> = means.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    // The median of the absolute value of a normal variable is 0.6745 of its deviation; a difference has twice the variance.
    let deviation = median(&differences).unwrap_or(0.0) / 0.6745;
    deviation * deviation / 2.0 * length as f64
}

/// Boundaries without those that are no knees, the least one of them taken out first.
fn true_knees(logs: &[f64], costs: &Costs, mut boundaries: Vec<usize>) -> Vec<usize> {
    let noise = deviation_between(logs, shortest_plateau(logs.len()));
    loop {
        boundaries = moved(costs, &boundaries, logs.len());
        let edges = edges(&boundaries, logs.len());
        let no_knee = edges.windows(3).enumerate().filter_map(|(place, three)| {
            let change = LevelChange::at(logs, (three[0], three[1], three[2]));
            (!change.is_knee(noise)).then_some((place, change.levels))
        });
        match no_knee.min_by(|one, other| one.1.total_cmp(&other.1)) {
            Some((place, _)) => drop(boundaries.remove(place)),
            None => return boundaries,
        }
    }
}

/// Each boundary where it fits best between its neighbours: a shortest length may have kept it from there.
fn moved(costs: &Costs, boundaries: &[usize], end: usize) -> Vec<usize> {
    let mut moved = Vec::with_capacity(boundaries.len());
    for (place, _) in boundaries.iter().enumerate() {
        let from = moved.last().copied().unwrap_or(0);
        let to = boundaries.get(place + 1).copied().unwrap_or(end);
        moved.push(best_between(costs, from, to));
    }
    moved
}

fn best_between(costs: &Costs, from: usize, to: usize) -> usize {
    let cost = |at: &usize| costs.of_segment(from, *at) + costs.of_segment(*at, to);
    (from + 1..to).min_by(|one, other| cost(one).total_cmp(&cost(other))).unwrap_or(from)
}

/// By how much the logarithm of the rate changes at a boundary.
struct LevelChange {
    /// From the median of one segment to that of the next.
    levels: f64,
    /// The least of the changes from the steps next to the boundary to those behind it, over windows of several lengths: an
    /// undulation that is as long as one of them is shorter or longer than the others.
    at_once: f64,
    /// Whether the segments on both sides last.
    lasts: bool,
}

impl LevelChange {
    fn at(logs: &[f64], (from, at, to): (usize, usize, usize)) -> LevelChange {
        let shortest = shortest_plateau(logs.len());
        let of = |steps: &[f64]| median(steps).unwrap_or(0.0);
        let levels = of(&logs[at..to]) - of(&logs[from..at]);
        let of_window = |times: usize| {
            let window = shortest * times;
            let (before, after) = (at.saturating_sub(window).max(from), (at + window).min(to));
            (of(&logs[at..after]) - of(&logs[before..at])) * levels.signum()
        };
        LevelChange {
            levels: levels.abs(),
            at_once: [1, 2, 4].map(of_window).into_iter().fold(f64::INFINITY, f64::min),
            lasts: at - from >= if from == 0 { STEPS_MIN } else { shortest } && to - at >= shortest,
        }
    }

    /// `noise` is the deviation by which the change at once is known.
    fn is_knee(&self, noise: f64) -> bool {
        self.lasts && self.levels >= KNEE_FACTOR.ln() && self.at_once + noise >= AT_ONCE * self.levels
    }
}

/// The standard deviation of the difference between the medians of two neighbouring windows, by the noise from step to step: a
/// median of normal values has pi / 2 times the variance of their mean.
fn deviation_between(logs: &[f64], window: usize) -> f64 {
    (noise_of_parts(logs, 1) * std::f64::consts::PI / window as f64).sqrt()
}

/// The knees with the places at which they may be.
fn knees(costs: &Costs, boundaries: &[usize], end: usize, noise: f64) -> Vec<Knee> {
    let edges = edges(boundaries, end);
    let knee = |three: &[usize]| {
        let (from, at, to) = (three[0], three[1], three[2]);
        let cost = |at: usize| costs.of_segment(from, at) + costs.of_segment(at, to);
        let most = cost(at) + 2.0 * LOG_LIKELIHOOD * noise;
        let is_possible = |place: &usize| cost(*place) <= most;
        let first = (from + 1..at).find(is_possible).unwrap_or(at);
        let last = (at..to).rfind(is_possible).unwrap_or(at);
        // The level may have changed anywhere within the step before, or within the one that is the first of the new level.
        Knee { at, earliest: first - 1, latest: last + 1 }
    };
    edges.windows(3).map(knee).collect()
}

#[cfg(test)]
mod tests;
