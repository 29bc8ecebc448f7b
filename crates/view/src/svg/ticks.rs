//! Where an axis is marked, and with what words: one of a clock at whole seconds, minutes, hours or days.

use drivelab_record::ClockTime;

use super::scale::{AxisScale, round_step};
use super::units::{AxisUnit, alike, own};
use crate::Quantity;
use crate::chart::{Axis, Ticks};

/// A logarithmic axis that reaches over less than this factor is marked like a linear one.
const SHORT: f64 = 6.0;

/// A mark of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// The value that it marks.
    pub value: f64,
    /// What is written there; nothing where there is no room for it.
    pub words: String,
}

/// The marks of an axis at round values, at most about `count` of them; or all that the chart gives.
pub(super) fn ticks(axis: &Axis, scale: &AxisScale, count: usize) -> Vec<Tick> {
    let marks = match (&axis.ticks, axis.clock) {
        (Ticks::Round, Some(began)) => clock_ticks(began, scale, count),
        (Ticks::Round, None) => round_ticks(axis.quantity, scale, count),
        (Ticks::At(values), _) => {
            values.iter().map(|value| (*value, own(*value, axis.quantity, true))).collect()
        }
        (Ticks::Named(named), _) => named.clone(),
    };
    let shown = marks.into_iter().filter(|(value, _)| axis.ticks == Ticks::Round || scale.holds(*value));
    shown.map(|(value, words)| Tick { value, words }).collect()
}

/// What an axis is of, with the unit of its ticks.
pub(super) fn label(axis: &Axis, scale: &AxisScale) -> String {
    if let Some(began) = axis.clock {
        return format!("{} from {}", axis.label, began.day());
    }
    let unit = match &axis.ticks {
        Ticks::Round if !has_own_units(scale) => unit_of(axis.quantity, scale),
        Ticks::Named(_) => AxisUnit { size: 1.0, name: None },
        Ticks::Round | Ticks::At(_) => AxisUnit::of_own_ticks(axis.quantity),
    };
    match unit.name {
        Some(unit) if axis.label.is_empty() => unit.to_owned(),
        Some(unit) if !axis.label.split_whitespace().any(|word| word == unit) => {
            format!("{} ({unit})", axis.label)
        }
        _ => axis.label.clone(),
    }
}

/// Whether the ticks are of so different sizes that each has a unit of its own.
fn has_own_units(scale: &AxisScale) -> bool {
    scale.is_log && scale.high / scale.low > SHORT
}

fn unit_of(quantity: Quantity, scale: &AxisScale) -> AxisUnit {
    AxisUnit::choose(quantity, scale.low.abs().max(scale.high.abs()))
}

fn round_ticks(quantity: Quantity, scale: &AxisScale, count: usize) -> Vec<(f64, String)> {
    if has_own_units(scale) {
        let tick = |value: f64| (value, own(value, quantity, false));
        return log_values(scale, count).into_iter().map(tick).collect();
    }
    let unit = unit_of(quantity, scale);
    let step = round_step((scale.high - scale.low) / unit.size, count) * unit.size;
    let (first, last) = ((scale.low / step - 1e-9).ceil(), (scale.high / step + 1e-9).floor());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most `count` steps")]
    let steps = (last - first).clamp(0.0, count as f64) as usize;
    let values: Vec<f64> = (0..=steps).map(|index| (first + index as f64) * step).collect();
    let words = alike(&values, unit, quantity);
    values.into_iter().zip(words).collect()
}

/// Powers of ten on a logarithmic axis, with 2 and 5 times those where there is room, or every so many of them where there is
/// little.
fn log_values(scale: &AxisScale, count: usize) -> Vec<f64> {
    #[expect(clippy::cast_possible_truncation, reason = "exponents of values between 1e-100 and 1e100")]
    let exponent = |value: f64| value.log10().floor() as i32;
    let (first, last) = (exponent(scale.low), exponent(scale.high) + 1);
    let decades = scale.high.log10() - scale.low.log10();
    let factors: &[f64] = if decades * 3.0 <= count as f64 + 0.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 200")]
    let stride = (decades / count.max(1) as f64).ceil().max(1.0) as usize;
    let powers =
        (first..=last).filter(|exponent| exponent.rem_euclid(i32::try_from(stride).unwrap_or(1)) == 0);
    let values = powers.flat_map(|exponent| factors.iter().map(move |factor| factor * 10f64.powi(exponent)));
    values.filter(|value| scale.holds(*value)).collect()
}

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;
/// Steps between marks in seconds; a day holds each of them whole times, so that every midnight is marked.
const CLOCK_STEPS: [i64; 15] =
    [1, 2, 5, 10, 30, MINUTE, 120, 300, 600, 1_800, 3_600, 2 * 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600];

/// At most about `count` places with their words, of a clock that began at 0; a mark at midnight is the day that begins.
fn clock_ticks(began: ClockTime, scale: &AxisScale, count: usize) -> Vec<(f64, String)> {
    let origin = began.clock_seconds();
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let [span, low] = [(scale.high - scale.low).ceil(), (origin + scale.low).floor()].map(|end| end as i64);
    let step = clock_step(span, count);
    let first = low.div_euclid(step) * step;
    let marks = (0..=count + 1).filter_map(|number| {
        let shown = first.checked_add(step.checked_mul(i64::try_from(number).ok()?)?)?;
        clock_tick(began, shown, step)
    });
    marks.filter(|(place, _)| scale.holds(*place)).collect()
}

/// The least step that makes at most `count` steps over a span in seconds: one of [`CLOCK_STEPS`], or of whole days.
fn clock_step(span: i64, count: usize) -> i64 {
    let count = i64::try_from(count.max(1)).unwrap_or(i64::MAX);
    let is_wide = |step: &i64| span <= step.saturating_mul(count);
    CLOCK_STEPS.into_iter().find(is_wide).unwrap_or_else(|| (span / DAY / count + 1) * DAY)
}

/// The mark where the clock shows this many seconds since the beginning of 1970; none beyond the calendar.
fn clock_tick(began: ClockTime, shown: i64, step: i64) -> Option<(f64, String)> {
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
    use crate::chart::Scale;

    fn marks(axis: &Axis, values: &[f64], count: usize) -> Vec<String> {
        let scale = AxisScale::over(axis, values.iter().copied(), count, true);
        ticks(axis, &scale, count).into_iter().map(|tick| tick.words).collect()
    }

    #[test]
    fn round_marks_are_steps_of_one_two_or_five() {
        let axis = Axis::new("Time", Quantity::Seconds, Scale::Linear);
        assert_eq!(marks(&axis, &[0.0, 590.0], 6), ["0", "100", "200", "300", "400", "500", "600"]);
        let axis = Axis::new("Rate", Quantity::Iops, Scale::Log);
        assert_eq!(marks(&axis, &[1e3, 9e4], 7), ["1k", "2k", "5k", "10k", "20k", "50k", "100k"]);
        assert_eq!(marks(&axis, &[1.0, 1e6], 7), ["1", "10", "100", "1k", "10k", "100k", "1M"]);
        assert_eq!(marks(&axis, &[1.0, 1e12], 7), ["1", "100", "10k", "1M", "100M", "10G", "1T"]);
        assert_eq!(marks(&axis, &[2_100.0, 4_900.0], 5), ["2,000", "3,000", "4,000", "5,000"]);
    }

    #[test]
    fn given_marks_are_kept() {
        let axis =
            Axis::new("Block size", Quantity::BlockSize, Scale::Log).marked_at(vec![4_096.0, 131_072.0]);
        assert_eq!(marks(&axis, &[4_096.0], 6), ["4 KiB", "128 KiB"]);
        let mut axis = Axis::new("Task", Quantity::Number, Scale::Linear);
        axis.ticks = Ticks::Named(vec![(0.0, "read".to_owned()), (1.0, "write".to_owned())]);
        assert_eq!(marks(&axis, &[0.0, 1.0], 6), ["read", "write"]);
    }

    #[test]
    fn a_label_has_its_unit_once() {
        let of = |label: &str, quantity, scale| {
            let axis = Axis::new(label, quantity, scale);
            let scale = AxisScale::over(&axis, [1.0, 30_000.0].into_iter(), 6, true);
            super::label(&axis, &scale)
        };
        assert_eq!(of("Time", Quantity::Seconds, Scale::Linear), "Time (h)");
        assert_eq!(of("IOPS", Quantity::Iops, Scale::Log), "IOPS");
        assert_eq!(of("Latency", Quantity::Nanoseconds, Scale::Log), "Latency");
        assert_eq!(of("Latency", Quantity::Nanoseconds, Scale::Linear), "Latency (us)");
    }

    /// The marks of an axis that begins at this time, over these seconds: where each lies, and its words.
    fn ticks_of_clock(began: ClockTime, seconds: f64, count: usize) -> Vec<(f64, String)> {
        let axis = Axis::of_clock("Clock time", began);
        clock_ticks(began, &AxisScale::over(&axis, [0.0, seconds].into_iter(), count, false), count)
    }

    /// The words of the marks of an axis that begins at 22:50:07, over these seconds.
    fn marks_of_clock(seconds: f64, count: usize) -> Vec<String> {
        let began = "2026-11-26T22:50:07+01:00".parse().expect("a time");
        ticks_of_clock(began, seconds, count).into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn marks_lie_at_whole_minutes_hours_and_days_of_the_clock() {
        assert_eq!(marks_of_clock(8.0, 4), ["22:50:08", "22:50:10", "22:50:12", "22:50:14"]);
        assert_eq!(marks_of_clock(5_400.0, 4), ["23:00", "23:30", "Nov 27"]);
        assert_eq!(marks_of_clock(40.0 * 3_600.0, 5), ["Nov 27", "12:00", "Nov 28", "12:00"]);
        assert_eq!(marks_of_clock(14.0 * 86_400.0, 5), ["Nov 27", "Nov 30", "Dec 3", "Dec 6", "Dec 9"]);
    }

    #[test]
    fn a_mark_lies_where_the_clock_shows_it() {
        let began = ClockTime::new(0, 3_600).expect("a time");
        assert_eq!(
            ticks_of_clock(began, 86_000.0, 2),
            [(39_600.0, "12:00"), (82_800.0, "Jan 2")].map(|(place, words)| (place, words.to_owned()))
        );
    }

    #[test]
    fn marks_lie_at_whole_minutes_of_a_clock_that_began_within_a_second() {
        let began = "2026-11-26T22:50:20.548Z".parse().expect("a time");
        assert_eq!(
            ticks_of_clock(began, 100.0, 2),
            [(39.452, "22:51"), (99.452, "22:52")].map(|(place, words)| (place, words.to_owned()))
        );
    }

    #[test]
    fn a_clock_that_runs_off_the_calendar_is_marked_as_far_as_it_goes() {
        let began = ClockTime::new(253_402_207_000, 0).expect("the last hour of the year 9999");
        for seconds in [0.0, 1e9, 1e300] {
            assert!(ticks_of_clock(began, seconds, 6).len() < 8);
        }
    }
}
