//! Where an axis of a clock is marked: at whole seconds, minutes, hours or days.

use drivelab_record::ClockTime;

use super::scale::AxisScale;

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;
/// Steps between marks in seconds; a day holds each of them whole times, so that every midnight is marked.
const STEPS: [i64; 15] =
    [1, 2, 5, 10, 30, MINUTE, 120, 300, 600, 1_800, 3_600, 2 * 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600];

/// At most about `count` places with their words, of a clock that began at 0; a mark at midnight is the day that begins.
pub(super) fn clock_ticks(began: ClockTime, scale: &AxisScale, count: usize) -> Vec<(f64, String)> {
    let origin = began.clock_seconds();
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let [span, low] = [(scale.high - scale.low).ceil(), (origin + scale.low).floor()].map(|end| end as i64);
    let step = step(span, count);
    let first = low.div_euclid(step) * step;
    let marks = (0..=count + 1).filter_map(|number| {
        let shown = first.checked_add(step.checked_mul(i64::try_from(number).ok()?)?)?;
        tick(began, shown, step)
    });
    marks.filter(|(place, _)| scale.holds(*place)).collect()
}

/// The least step that makes at most `count` steps over a span in seconds: one of [`STEPS`], or of whole days.
fn step(span: i64, count: usize) -> i64 {
    let count = i64::try_from(count.max(1)).unwrap_or(i64::MAX);
    let is_wide = |step: &i64| span <= step.saturating_mul(count);
    STEPS.into_iter().find(is_wide).unwrap_or_else(|| (span / DAY / count + 1) * DAY)
}

/// The mark where the clock shows this many seconds since the beginning of 1970; none beyond the calendar.
fn tick(began: ClockTime, shown: i64, step: i64) -> Option<(f64, String)> {
    let after = i128::from(shown) * 1_000_000_000 - began.clock_nanos();
    let at = began.shifted(after)?;
    let words = match shown.rem_euclid(DAY) {
        0 => at.short_day(),
        _ if step < MINUTE => at.second(),
        _ => at.minute(),
    };
    Some((after as f64 / 1e9, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;

    /// The marks of an axis that begins at this time, over these seconds: where each lies, and its words.
    fn ticks(began: ClockTime, seconds: f64, count: usize) -> Vec<(f64, String)> {
        let axis = Axis::of_clock("Clock time", began);
        clock_ticks(began, &AxisScale::over(&axis, [0.0, seconds].into_iter(), count, false), count)
    }

    /// The words of the marks of an axis that begins at 22:50:07, over these seconds.
    fn marks(seconds: f64, count: usize) -> Vec<String> {
        let began = "2026-11-26T22:50:07+01:00".parse().expect("a time");
        ticks(began, seconds, count).into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn marks_lie_at_whole_minutes_hours_and_days_of_the_clock() {
        assert_eq!(marks(8.0, 4), ["22:50:08", "22:50:10", "22:50:12", "22:50:14"]);
        assert_eq!(marks(5_400.0, 4), ["23:00", "23:30", "Nov 27"]);
        assert_eq!(marks(40.0 * 3_600.0, 5), ["Nov 27", "12:00", "Nov 28", "12:00"]);
        assert_eq!(marks(14.0 * 86_400.0, 5), ["Nov 27", "Nov 30", "Dec 3", "Dec 6", "Dec 9"]);
    }

    #[test]
    fn a_mark_lies_where_the_clock_shows_it() {
        let began = ClockTime::new(0, 3_600).expect("a time");
        assert_eq!(
            ticks(began, 86_000.0, 2),
            [(39_600.0, "12:00"), (82_800.0, "Jan 2")].map(|(place, words)| (place, words.to_owned()))
        );
    }

    #[test]
    fn marks_lie_at_whole_minutes_of_a_clock_that_began_within_a_second() {
        let began = "2026-11-26T22:50:20.548Z".parse().expect("a time");
        assert_eq!(
            ticks(began, 100.0, 2),
            [(39.452, "22:51"), (99.452, "22:52")].map(|(place, words)| (place, words.to_owned()))
        );
    }

    #[test]
    fn a_clock_that_runs_off_the_calendar_is_marked_as_far_as_it_goes() {
        let began = ClockTime::new(253_402_207_000, 0).expect("the last hour of the year 9999");
        for seconds in [0.0, 1e9, 1e300] {
            assert!(ticks(began, seconds, 6).len() < 8);
        }
    }
}
