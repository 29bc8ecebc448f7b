//! Whether a drive throttles, where it does not count that itself: its rate falls while it is at its own temperature limit.
//!
//! Rate and temperature have to agree. A fall while the drive is cool has another reason (a full write cache, a changed load),
//! and so has one that began before the limit was reached. One that begins later, and does not come back, may have another
//! reason as well, which these two series cannot tell. The method is drivelab's own.

use super::{FALLEN_SHARE, HeatPoint, ThrottledPhase};
use crate::median::median;

/// From which temperature on a fall of the rate is a throttled one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThrottleFrom {
    /// The drive's own limit, in degrees Celsius.
    Limit(f64),
    /// Not known, but the drive counted that it throttled: near the hottest of the run, in degrees Celsius.
    Near(f64),
}

/// How many intervals a fall has to last.
const LASTING: usize = 3;
/// How many intervals the rate after the fall is taken from.
const AFTER: usize = 10;
/// How many intervals before are compared with, and how many there have to be.
const BEFORE: (usize, usize) = (60, 5);
/// Sensors show whole kelvins: a limit of 85 degrees is reached at 84.85.
const HALF_A_KELVIN: f64 = 0.5;
/// A drive that has cooled down by this much below its limit throttles no more, in kelvins.
const COOLED: f64 = 10.0;
/// What is near the hottest, in kelvins.
const NEAR: f64 = 3.0;

/// Whether the rate of the phase of this name fell by a tenth or more, for three intervals at least, while the temperature was at
/// the limit, against the rate before the limit was reached: what nine tenths of the last 60 intervals had, or the median of the
/// last five where that is less. It lasts until the rate is there again, or the temperature is 10 K below the limit.
pub fn throttling(phase: &str, points: &[HeatPoint], from: ThrottleFrom) -> Option<ThrottledPhase> {
    let limit = match from {
        ThrottleFrom::Limit(limit) => limit - HALF_A_KELVIN,
        ThrottleFrom::Near(hottest) => hottest - NEAR,
    };
    let known: Vec<(f64, f64, f64)> =
        points.iter().filter_map(|point| Some((point.at_s, point.rate?, point.celsius?))).collect();
    let rates: Vec<f64> = known.iter().map(|(_, rate, _)| *rate).collect();
    let mut state = ThrottleState::Free { reference: None };
    let (mut first, mut slow) = (None, Vec::new());
    let mut before: Vec<f64> = Vec::new();
    for (place, (_, rate, celsius)) in known.iter().copied().enumerate() {
        let ahead = &rates[place..rates.len().min(place + LASTING)];
        state = match state {
            ThrottleState::Free { reference } => {
                let fixed = if celsius >= limit {
                    reference.or_else(|| Reference::from_before(&before))
                } else {
                    None
                };
                match fixed {
                    Some(fixed) if fixed.has_fallen(ahead) => {
                        first = first.or(Some((place, celsius, fixed)));
                        ThrottleState::Throttled(fixed)
                    }
                    fixed => {
                        before.push(rate);
                        ThrottleState::Free { reference: fixed }
                    }
                }
            }
            ThrottleState::Throttled(reference) if celsius < limit - COOLED || reference.is_back(ahead) => {
                ThrottleState::Free { reference: Some(reference) }
            }
            throttled @ ThrottleState::Throttled(_) => throttled,
        };
        if let ThrottleState::Throttled(_) = state {
            slow.push(rate);
        }
    }
    let (began, celsius, reference) = first?;
    Some(ThrottledPhase {
        phase: phase.to_owned(),
        began_s: known[began].0,
        celsius,
        share: slow.len() as f64 / known.len() as f64,
        counted_s: None,
        rate_before_mb_s: Some(reference.median),
        changes: None,
        rate_mb_s: median(&slow[..slow.len().min(AFTER)]),
        came_back: Some(rates[began..].windows(LASTING).any(|ahead| reference.is_back(ahead))),
    })
}

#[derive(Clone, Copy)]
enum ThrottleState {
    /// It does not throttle; the rate before the limit was reached, where it is reached now.
    Free { reference: Option<Reference> },
    /// It throttles, against this rate.
    Throttled(Reference),
}

/// The rate that a fall is one from.
#[derive(Clone, Copy)]
struct Reference {
    /// What the rate is compared with.
    low: f64,
    median: f64,
}

impl Reference {
    fn from_before(before: &[f64]) -> Option<Reference> {
        let (most, least) = BEFORE;
        let last = &before[before.len().saturating_sub(most)..];
        if last.len() < least {
            return None;
        }
        let mut sorted = last.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let low = sorted[sorted.len() / 10].min(median(&last[last.len() - least..])?);
        Some(Reference { low, median: median(last)? })
    }

    fn has_fallen(&self, ahead: &[f64]) -> bool {
        ahead.len() == LASTING && ahead.iter().all(|rate| *rate <= self.low * FALLEN_SHARE)
    }

    fn is_back(&self, ahead: &[f64]) -> bool {
        ahead.iter().all(|rate| *rate > self.low * FALLEN_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive of a thermal resistance and capacity that halves its rate from `throttles_at` on, until it is 3 K cooler.
    fn warm_drive(throttles_at: f64, seconds: u32) -> Vec<HeatPoint> {
        let (mut celsius, mut slow) = (40.0, false);
        let point = |second: u32| {
            slow = if slow { celsius > throttles_at - 3.0 } else { celsius >= throttles_at };
            let noise = f64::from(second * 7 % 11) - 5.0;
            let rate = if slow { 1_500.0 } else { 3_000.0 } + 10.0 * noise;
            // It would get to 110 degrees at full rate, and to 60 at half of it.
            let goal = if slow { 60.0 } else { 110.0 };
            let now =
                HeatPoint { at_s: second.into(), rate: Some(rate), celsius: Some(celsius), counted_s: None };
            celsius += (goal - celsius) / 120.0;
            now
        };
        (0..seconds).map(point).collect()
    }

    fn is_near(rate: Option<f64>, expected: f64) -> bool {
        rate.is_some_and(|rate| (rate - expected).abs() < 60.0)
    }

    #[test]
    fn throttling_is_found_at_the_temperature_at_which_it_began() {
        for limit in [70.0, 77.0, 85.0] {
            let points = warm_drive(limit, 900);
            let slow = points.iter().filter(|point| point.rate < Some(2_000.0)).count();
            let began = points.iter().find(|point| point.celsius >= Some(limit)).expect("a hot second").at_s;
            let hottest = points.iter().filter_map(|point| point.celsius).fold(0.0, f64::max);
            for from in [ThrottleFrom::Limit(limit), ThrottleFrom::Near(hottest)] {
                let found = throttling("load", &points, from).expect("it throttles");
                assert!((found.celsius - limit).abs() <= 1.0, "{found:?} at {limit}");
                assert!((found.began_s - began).abs() < 1e-9, "{found:?} began at {began}");
                assert!((found.share - slow as f64 / 900.0).abs() < 1e-9, "{found:?}, {slow} slow seconds");
                assert!(is_near(found.rate_before_mb_s, 3_000.0) && is_near(found.rate_mb_s, 1_500.0));
                assert!(found.came_back == Some(true), "{found:?}");
            }
        }
    }

    #[test]
    fn a_later_fall_is_not_part_of_what_the_heat_took() {
        let rate = |second: u32| match second {
            0..100 => 7_000.0,
            100..130 => 3_500.0,
            _ => 850.0,
        };
        let point = |second: u32| HeatPoint {
            at_s: second.into(),
            rate: Some(rate(second)),
            celsius: Some(f64::from(second.min(100)) / 2.0 + 32.0),
            counted_s: None,
        };
        let points: Vec<HeatPoint> = (0..300).map(point).collect();
        let found = throttling("load", &points, ThrottleFrom::Limit(82.0)).expect("it throttles");
        assert_eq!(
            (found.began_s, found.rate_before_mb_s, found.rate_mb_s),
            (100.0, Some(7_000.0), Some(3_500.0))
        );
        assert!(found.came_back == Some(false), "{found:?}");
    }

    #[test]
    fn a_cool_run_and_one_that_is_only_hot_have_none() {
        assert_eq!(
            throttling("load", &warm_drive(200.0, 900), ThrottleFrom::Limit(115.0)),
            None,
            "never at its limit"
        );
        assert_eq!(
            throttling("load", &warm_drive(200.0, 900), ThrottleFrom::Limit(70.0)),
            None,
            "hot, and as fast"
        );
        assert_eq!(throttling("load", &[], ThrottleFrom::Limit(70.0)), None);
        assert_eq!(throttling("load", &[], ThrottleFrom::Near(70.0)), None);
    }

    /// The end of the fast part of a drive, a pause, and a rate that goes up and down.
    #[test]
    fn a_rate_that_falls_for_another_reason_is_none() {
        let warming = |rate: &dyn Fn(u32) -> Option<f64>| -> Vec<HeatPoint> {
            let celsius = |second| Some(40.0 + f64::from(second) / 10.0);
            let point = |second: u32| HeatPoint {
                at_s: second.into(),
                rate: rate(second),
                celsius: celsius(second),
                counted_s: None,
            };
            (0..600).map(point).collect()
        };
        // The limit is reached at 295 s.
        let limit = ThrottleFrom::Limit(70.0);
        for knee in [100, 250, 285, 290] {
            let cliff = warming(&|second| Some(if second < knee { 3_000.0 } else { 900.0 }));
            assert_eq!(throttling("load", &cliff, limit), None, "slower from {knee} s on");
        }
        let pause = warming(&|second| (!(400..=450).contains(&second)).then_some(3_000.0));
        assert_eq!(throttling("load", &pause, limit), None);
        let collects = warming(&|second| Some(if second % 20 < 10 { 3_000.0 } else { 1_000.0 }));
        assert_eq!(throttling("load", &collects, limit), None);
        let dip = warming(&|second| Some(if (400..402).contains(&second) { 100.0 } else { 3_000.0 }));
        assert_eq!(throttling("load", &dip, limit), None);
        let tenth = warming(&|second| Some(if second < 400 { 3_000.0 } else { 2_690.0 }));
        assert!(throttling("load", &tenth, limit).is_some_and(|found| (found.began_s - 400.0).abs() < 1e-9));
    }
}
