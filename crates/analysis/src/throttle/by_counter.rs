//! When a drive throttles by its own counter of seconds, and whether its rate fell when that began.
//!
//! The rates are compared where throttling begins first, within seconds: the end of a write cache that comes later, while the
//! drive still throttles, is another event. The method is drivelab's own.

use super::{FALLEN_SHARE, HeatPoint, Throttling, median};

/// How many intervals on each side of the first change are compared at most.
const COMPARED: usize = 5;
/// How long before the change an interval may begin that is compared, in seconds.
const RECENT_S: f64 = 30.0;

/// How the drive throttled; `None` where it never did, or does not count it. `late_s` is by how many seconds the counter may lag
/// behind what it counts.
///
/// Rates are compared only where the rate before is one: where it fell already when throttling began, another cause came at the
/// same time.
pub fn counted_throttling(points: &[HeatPoint], late_s: f64) -> Option<Throttling> {
    let known: Vec<(HeatPoint, f64)> =
        points.iter().filter_map(|point| Some((*point, point.counted_s?))).collect();
    let is_throttled = |(_, counted_s): &(HeatPoint, f64)| *counted_s > 0.0;
    let began = known.iter().position(is_throttled)?;
    let (before, from) = known.split_at(began);
    let lasted = from.iter().position(|point| !is_throttled(point)).unwrap_or(from.len());
    let (first, after) = from.split_at(lasted);
    let began_s = first[0].0.at_s;
    let recent = before.iter().rev().filter(|(point, _)| began_s - point.at_s <= RECENT_S);
    let recent: Vec<&(HeatPoint, f64)> = recent.collect();
    let before_mb_s = rate(recent.iter().copied());
    let last =
        recent.iter().filter(|(point, _)| began_s - point.at_s > late_s).find_map(|(point, _)| point.rate);
    let fell_before = before_mb_s.zip(last).is_some_and(|(before, last)| last <= before * FALLEN_SHARE);
    let ended = after.iter().take_while(|point| !is_throttled(point));
    // The sensor shows the temperature at the end of an interval: throttling began with what the one before shows.
    let celsius = [before.last(), first.first()].into_iter().flatten().filter_map(|(point, _)| point.celsius);
    Some(Throttling {
        began_s,
        celsius: celsius.reduce(f64::max)?,
        share: known.iter().filter(|point| is_throttled(point)).count() as f64 / known.len() as f64,
        counted_s: Some(known.iter().map(|(_, counted_s)| counted_s).sum()),
        rate_before: if fell_before { None } else { before_mb_s.or_else(|| rate(ended)) },
        rate: rate(first.iter()),
        came_back: None,
    })
}

/// The median of the first few rates.
fn rate<'a>(points: impl Iterator<Item = &'a (HeatPoint, f64)>) -> Option<f64> {
    let rates: Vec<f64> = points.filter_map(|(point, _)| point.rate).take(COMPARED).collect();
    (!rates.is_empty()).then(|| median(&rates))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second for each letter: `f`ast or `s`low (1/8), in capitals while it throttles (half as fast); `.` and `-` are idle.
    fn points(seconds: &str) -> Vec<HeatPoint> {
        let rate = |letter: char| match letter.to_ascii_lowercase() {
            'f' => Some(8.0),
            's' => Some(1.0),
            _ => None,
        };
        let point = |(second, letter): (usize, char)| {
            let is_throttled = letter.is_ascii_uppercase() || letter == '-';
            HeatPoint {
                at_s: second as f64,
                rate: rate(letter).map(|rate| if is_throttled { rate / 2.0 } else { rate }),
                celsius: Some(if is_throttled { 80.0 } else { 85.0 }),
                counted_s: Some(if is_throttled { 1.0 } else { 0.0 }),
            }
        };
        seconds.chars().enumerate().map(point).collect()
    }

    #[test]
    fn the_fall_is_that_of_the_first_seconds_whatever_falls_later() {
        let found = counted_throttling(&points("ffffffffffFFFFFFFFFFSSSSSSSSSS"), 0.0).expect("it throttles");
        let expected = Throttling {
            began_s: 10.0,
            celsius: 85.0,
            share: 2.0 / 3.0,
            counted_s: Some(20.0),
            rate_before: Some(8.0),
            rate: Some(4.0),
            came_back: None,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_drive_that_throttles_from_the_beginning_on_is_compared_with_what_follows() {
        let of = |seconds: &str| {
            let found = counted_throttling(&points(seconds), 0.0).expect("it throttles");
            (found.began_s, found.rate_before, found.rate)
        };
        assert_eq!(of("FFFFffFFff"), (0.0, Some(8.0), Some(4.0)));
        assert_eq!(of("FFFF"), (0.0, None, Some(4.0)), "nothing to compare with");
        assert_eq!(of("fFfFfF"), (1.0, Some(8.0), Some(4.0)));
        assert_eq!(of("ff..----"), (4.0, Some(8.0), None), "it had nothing to do");
    }

    #[test]
    fn a_rate_that_fell_already_is_not_compared_but_where_the_counter_is_late() {
        let before =
            |late_s| counted_throttling(&points("fffffsSSSS"), late_s).map(|found| found.rate_before);
        assert_eq!(before(0.0), Some(None));
        assert_eq!(before(2.0), Some(Some(8.0)));
    }

    #[test]
    fn what_is_not_counted_is_not_there() {
        assert_eq!(counted_throttling(&points("ffffffssssss"), 0.0), None);
        assert_eq!(counted_throttling(&[], 0.0), None);
        let unknown = |point: HeatPoint| HeatPoint { counted_s: None, ..point };
        let uncounted: Vec<HeatPoint> = points("ffffFFFF").into_iter().map(unknown).collect();
        assert_eq!(counted_throttling(&uncounted, 0.0), None);
    }
}
