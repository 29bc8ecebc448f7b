//! When a drive throttles by its own counter of seconds, and whether its rate changed when that began and ended.
//!
//! The rates on both sides of each change are compared, within seconds: the end of a write cache that comes later, while the
//! drive still throttles, is another event. One that comes in the same seconds as the only change cannot be told from it; of
//! several changes, the one counts whose ratio is the median. The method is drivelab's own.

use super::{FALLEN_SHARE, HeatPoint, ThrottledPhase};
use crate::median::median;

/// How many intervals on each side of a change are compared at most.
const COMPARED: usize = 3;

/// How far apart two intervals may begin that are compared, in seconds: between others something was not read.
const APART_S: f64 = 5.0;

/// An interval, and whether the drive throttled in it.
type CountedInterval = (HeatPoint, bool);

/// How the drive throttled in the phase of this name; `None` where it never did, does not count it, or shows no temperature.
/// `late_s` is by how many seconds the counter may lag behind what it counts: what it adds in the first ones of a phase alone is
/// of the phase before.
pub fn counted_throttling(phase: &str, points: &[HeatPoint], late_s: f64) -> Option<ThrottledPhase> {
    let known = without_holes(points, late_s);
    let began = known.iter().position(|(_, is_throttled)| *is_throttled)?;
    let last = known.iter().rposition(|(_, is_throttled)| *is_throttled)?;
    if known[last].0.at_s < late_s {
        return None;
    }
    // The sensor shows the temperature at the end of an interval: throttling began with what the one before shows.
    let around = &known[began.saturating_sub(1)..=began];
    let celsius = around.iter().filter_map(|(point, _)| point.celsius).reduce(f64::max);
    let typical = typical(changes(&known, late_s));
    Some(ThrottledPhase {
        phase: phase.to_owned(),
        began_s: known[began].0.at_s,
        celsius: celsius.or_else(|| known.iter().find_map(|(point, _)| point.celsius))?,
        share: known.iter().filter(|(_, is_throttled)| *is_throttled).count() as f64 / known.len() as f64,
        counted_s: Some(points.iter().filter_map(|point| point.counted_s).sum()),
        rate_before_mb_s: typical.change.map(|change| change.free),
        rate_mb_s: typical.change.map(|change| change.throttled),
        changes: Some(typical.number),
        came_back: None,
    })
}

/// The intervals that are known. A counter of whole seconds that is read every second stands still in some of them and moves
/// twice in the next: such a hole is no end of throttling.
fn without_holes(points: &[HeatPoint], late_s: f64) -> Vec<CountedInterval> {
    let counted = || points.iter().filter_map(|point| Some((*point, point.counted_s? > 0.0)));
    let moves_s: Vec<f64> = counted().filter(|(_, moves)| *moves).map(|(point, _)| point.at_s).collect();
    let is_hole = |at_s: f64| {
        let (before, after) = moves_s.split_at(moves_s.partition_point(|moved_s| *moved_s < at_s));
        let neighbours = before.last().zip(after.first());
        neighbours.is_some_and(|(last_s, next_s)| at_s - last_s <= late_s && next_s - at_s <= late_s)
    };
    counted().map(|(point, moves)| (point, moves || is_hole(point.at_s))).collect()
}

/// The change whose ratio is the median, of how many; none where there is none, or where the two in the middle disagree.
struct Typical {
    change: Option<RateChange>,
    number: u32,
}

fn typical(mut changes: Vec<RateChange>) -> Typical {
    changes.sort_by(|one, other| one.ratio().total_cmp(&other.ratio()));
    let number = u32::try_from(changes.len()).unwrap_or(u32::MAX);
    let middle =
        [changes.len().saturating_sub(1) / 2, changes.len() / 2].map(|place| changes.get(place).copied());
    let change = match middle {
        [Some(one), Some(other)] if one.has_fallen() == other.has_fallen() => Some(one),
        _ => None,
    };
    Typical { change, number }
}

/// The rates next to a begin or an end of throttling.
#[derive(Clone, Copy, Debug)]
struct RateChange {
    free: f64,
    throttled: f64,
}

impl RateChange {
    fn ratio(self) -> f64 {
        self.throttled / self.free
    }

    fn has_fallen(self) -> bool {
        self.ratio() <= FALLEN_SHARE
    }
}

/// The changes at which there are rates to compare.
fn changes(known: &[CountedInterval], late_s: f64) -> Vec<RateChange> {
    let stretches: Vec<&[CountedInterval]> = known.chunk_by(|one, next| one.1 == next.1).collect();
    let change = |pair: &[&[CountedInterval]]| {
        let (last, first) = (pair[0].last()?.0.at_s, pair[1].first()?.0.at_s);
        let is_close = first - last <= APART_S;
        let (before, after) =
            (rate_before(pair[0], late_s).filter(|_| is_close)?, median(&rates(pair[1].iter()))?);
        let (free, throttled) = if pair[0][0].1 { (after, before) } else { (before, after) };
        (free > 0.0).then_some(RateChange { free, throttled })
    };
    stretches.windows(2).filter_map(change).collect()
}

/// The rate in the last intervals of a stretch, but for those in which the counter may be late; none where it was falling
/// already.
fn rate_before(stretch: &[CountedInterval], late_s: f64) -> Option<f64> {
    let end_s = stretch.last()?.0.at_s;
    let timely = stretch.iter().rev().skip_while(|(point, _)| end_s - point.at_s < late_s);
    let last = rates(timely);
    let rate = median(&last)?;
    (last[0] > rate * FALLEN_SHARE).then_some(rate)
}

/// The rates of the first few intervals, until one has none.
fn rates<'a>(intervals: impl Iterator<Item = &'a CountedInterval>) -> Vec<f64> {
    intervals.take(COMPARED).map_while(|(point, _)| point.rate).collect()
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

    /// When it began, the rates without and with it, and at how many changes.
    fn found(seconds: &str) -> (f64, Option<f64>, Option<f64>, Option<u32>) {
        let found = counted_throttling("load", &points(seconds), 0.0).expect("it throttles");
        (found.began_s, found.rate_before_mb_s, found.rate_mb_s, found.changes)
    }

    #[test]
    fn the_fall_is_that_of_the_first_seconds_whatever_falls_later() {
        let expected = ThrottledPhase {
            phase: "load".to_owned(),
            began_s: 10.0,
            celsius: 85.0,
            share: 2.0 / 3.0,
            counted_s: Some(20.0),
            rate_before_mb_s: Some(8.0),
            rate_mb_s: Some(4.0),
            changes: Some(1),
            came_back: None,
        };
        assert_eq!(
            counted_throttling("load", &points("ffffffffffFFFFFFFFFFSSSSSSSSSS"), 0.0),
            Some(expected)
        );
        assert_eq!(
            found("ffffffFFSSSSSSSS"),
            (6.0, Some(8.0), Some(4.0), Some(1)),
            "the cache is full two seconds later"
        );
    }

    #[test]
    fn of_several_changes_the_median_counts() {
        assert_eq!(found("FFFFffFFff"), (0.0, Some(8.0), Some(4.0), Some(3)), "it was hot before");
        assert_eq!(found("fFfFfF"), (1.0, Some(8.0), Some(4.0), Some(5)));
        // The cache is full in the second in which it throttles first, and heat changes nothing later.
        let mut cache = points("fffffssssssssssssssssssss");
        for (second, point) in cache.iter_mut().enumerate() {
            point.counted_s = Some(if matches!(second, 5..10 | 15..20) { 1.0 } else { 0.0 });
        }
        let found = counted_throttling("load", &cache, 0.0).expect("it throttles");
        assert_eq!((found.rate_before_mb_s, found.rate_mb_s, found.changes), (Some(1.0), Some(1.0), Some(4)));
        // The cache is full when it ends: one of the two changes shows a fall, and the other one none.
        let (_, before, then, changes) = self::found("fffffFFFFFsssss");
        assert_eq!((before, then, changes), (None, None, Some(2)));
    }

    /// A counter of whole seconds, read every second, stands still now and then.
    #[test]
    fn a_second_in_which_the_counter_stands_still_is_no_end() {
        let mut points = points(&("f".repeat(20) + &"F".repeat(21)));
        (points[30].counted_s, points[31].counted_s) = (Some(0.0), Some(2.0));
        let found = counted_throttling("load", &points, 2.0).expect("it throttles");
        assert_eq!((found.rate_before_mb_s, found.rate_mb_s, found.changes), (Some(8.0), Some(4.0), Some(1)));
        assert!((found.share - 21.0 / 41.0).abs() < 1e-9 && found.counted_s == Some(21.0), "{found:?}");
    }

    #[test]
    fn what_a_late_counter_adds_to_the_next_phase_is_none_of_it() {
        let next = points("Ffffffff");
        assert_eq!(counted_throttling("load", &next, 2.0), None);
        assert!(counted_throttling("load", &next, 0.0).is_some());
    }

    #[test]
    fn where_nothing_is_to_be_compared_there_are_no_rates() {
        assert_eq!(found("FFFF"), (0.0, None, None, Some(0)));
        assert_eq!(found("ff..----"), (4.0, None, None, Some(0)), "it had nothing to do");
        assert_eq!(found("fffffsSSSS"), (6.0, None, None, Some(0)), "the rate was falling already");
        let late = counted_throttling("load", &points("fffffsSSSS"), 2.0).expect("it throttles");
        assert_eq!(
            (late.rate_before_mb_s, late.rate_mb_s),
            (Some(8.0), Some(0.5)),
            "or the counter was late"
        );
    }

    #[test]
    fn what_is_not_counted_is_not_there() {
        assert_eq!(counted_throttling("load", &points("ffffffssssss"), 0.0), None);
        assert_eq!(counted_throttling("load", &[], 0.0), None);
        let unknown = |point: HeatPoint| HeatPoint { counted_s: None, ..point };
        let uncounted: Vec<HeatPoint> = points("ffffFFFF").into_iter().map(unknown).collect();
        assert_eq!(counted_throttling("load", &uncounted, 0.0), None);
    }
}
