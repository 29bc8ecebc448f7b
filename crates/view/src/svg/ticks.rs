//! Where an axis is marked, and with what words: one of a clock at whole seconds, minutes, hours or days.

use drivelab_documents::ClockTime;

use super::scale::{AxisScale, round_step};
use crate::chart::{Axis, Ticks};
use crate::{Quantity, format};

/// A logarithmic axis that reaches over less than this factor is marked like a linear one.
const SHORT: f64 = 6.0;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
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

/// From here on a number is written with a power of ten.
const HUGE: f64 = 1e15;
/// Seconds from which on an axis is marked in hours, and in days.
const HOURS_FROM: f64 = 4.0 * 3_600.0;
const DAYS_FROM: f64 = 4.0 * 86_400.0;

/// The unit of an axis: how much of the quantity's base unit it is, and its name.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AxisUnit {
    size: f64,
    name: Option<&'static str>,
}

impl AxisUnit {
    /// The unit of a linear axis that reaches to values of this size.
    fn choose(quantity: Quantity, most: f64) -> AxisUnit {
        let named = |size: f64, name: &'static str| AxisUnit { size, name: Some(name) };
        match quantity {
            Quantity::Nanoseconds => named_by_size(&NANOSECONDS, most),
            Quantity::Bytes | Quantity::BlockSize => named_by_size(&BYTES, most),
            Quantity::Seconds if most > DAYS_FROM => named(86_400.0, "days"),
            Quantity::Seconds if most > HOURS_FROM => named(3_600.0, "h"),
            Quantity::BytesPerSecond => named(1e6, "MB/s"),
            Quantity::Share => named(0.01, "%"),
            Quantity::Seconds => named(1.0, "s"),
            other => AxisUnit { size: 1.0, name: other.unit() },
        }
    }

    /// The unit that ticks of different sizes share; none where each brings its own.
    fn of_own_ticks(quantity: Quantity) -> AxisUnit {
        match quantity {
            Quantity::Nanoseconds | Quantity::Bytes | Quantity::BlockSize => {
                AxisUnit { size: 1.0, name: None }
            }
            other => AxisUnit::choose(other, 0.0),
        }
    }
}

const NANOSECONDS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")];
const BYTES: [(f64, &str); 6] =
    [(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"), (1e15, "PB")];

/// The greatest unit that is not above a value, else the smallest.
fn named_by_size(units: &[(f64, &'static str)], most: f64) -> AxisUnit {
    let found = units.iter().rev().find(|(size, _)| *size <= most * (1.0 + 1e-9));
    let (size, name) = *found.unwrap_or(&units[0]);
    AxisUnit { size, name: Some(name) }
}

/// The numbers of the ticks of a linear axis, with as many decimals as tell them apart.
fn alike(ticks: &[f64], unit: AxisUnit, quantity: Quantity) -> Vec<String> {
    let numbers: Vec<f64> = ticks.iter().map(|tick| tick / unit.size).collect();
    let most = numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
    let step = numbers.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let is_prefixed = matches!(
        quantity,
        Quantity::Count
            | Quantity::Lba
            | Quantity::Iops
            | Quantity::FilesPerSecond
            | Quantity::Number
            | Quantity::Factor
    );
    let is_prefixed = is_prefixed && (1e4..HUGE).contains(&most);
    let (size, prefix) = if is_prefixed { prefix_of(most) } else { (1.0, "") };
    let step = if step.is_finite() && step > 0.0 { step / size } else { most / size };
    numbers.iter().map(|number| written(number / size, step, prefix)).collect()
}

/// How much the prefix of a number of this size stands for, from 1,000 on, and the prefix.
fn prefix_of(size: f64) -> (f64, &'static str) {
    match size {
        size if size < 1e6 => (1e3, "k"),
        size if size < 1e9 => (1e6, "M"),
        size if size < 1e12 => (1e9, "G"),
        _ => (1e12, "T"),
    }
}

/// A number with the decimals that a step needs.
fn written(number: f64, step: f64, prefix: &str) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small, and not below zero")]
    let decimals =
        if step > 0.0 { (-(step * 1.000_001).log10().floor()).clamp(0.0, 99.0) as usize } else { 0 };
    match number.abs() {
        size if decimals > 6 || size >= HUGE => power(number),
        size if size >= 1_000.0 && decimals == 0 => format!("{}{prefix}", format::count(number)),
        _ => format!("{number:.decimals$}{prefix}"),
    }
}

/// The number of one tick among others of quite different sizes: on a logarithmic axis, or at given values.
fn own(tick: f64, quantity: Quantity, is_given: bool) -> String {
    let unit = match quantity {
        Quantity::BlockSize if (0.0..HUGE).contains(&tick) => return format::block_size(tick),
        Quantity::Nanoseconds => named_by_size(&NANOSECONDS, tick),
        Quantity::Bytes | Quantity::BlockSize => named_by_size(&BYTES, tick),
        other => AxisUnit::of_own_ticks(other),
    };
    let number = tick / unit.size;
    match (quantity, unit.name) {
        (Quantity::Nanoseconds | Quantity::Bytes | Quantity::BlockSize, Some(name)) => {
            format!("{} {name}", short(number, true))
        }
        _ => short(number, is_given),
    }
}

/// A number with at most three significant digits where it is small, and with a prefix where it is great.
fn short(number: f64, is_whole: bool) -> String {
    let (size, prefix) = match number.abs() {
        0.0 => return "0".to_owned(),
        size if !(1e-6..HUGE).contains(&size) => return power(number),
        size if size < if is_whole { 1e5 } else { 1e3 } => (1.0, ""),
        size => prefix_of(size),
    };
    let scaled = number / size;
    if scaled.abs() >= 1_000.0 {
        return format::count(scaled);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 8")]
    let decimals = (2.0 - scaled.abs().log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{scaled:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{prefix}")
}

/// A number as a product with a power of ten, such as `2e-7`.
fn power(number: f64) -> String {
    format!("{number:.1e}").replace(".0e", "e")
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

    #[test]
    fn ticks_of_a_linear_axis_share_unit_and_decimals() {
        let words = |quantity, ticks: &[f64]| {
            let most = ticks.iter().fold(0.0, |most: f64, tick| most.max(*tick));
            let unit = AxisUnit::choose(quantity, most);
            (alike(ticks, unit, quantity).join(" "), unit.name)
        };
        assert_eq!(words(Quantity::Iops, &[0.0, 5e5, 1e6]), ("0 0.5M 1.0M".to_owned(), Some("IOPS")));
        assert_eq!(words(Quantity::Seconds, &[0.0, 7_200.0, 14_401.0 + 7_199.0]).1, Some("h"));
        assert_eq!(words(Quantity::Seconds, &[0.0, 500.0, 1_000.0]), ("0 500 1,000".to_owned(), Some("s")));
        assert_eq!(words(Quantity::Nanoseconds, &[0.0, 2e5, 4e5]), ("0 200 400".to_owned(), Some("us")));
        assert_eq!(words(Quantity::Share, &[0.0, 0.005, 0.01]), ("0 0.5 1.0".to_owned(), Some("%")));
        assert_eq!(words(Quantity::BytesPerSecond, &[0.0, 2e8]), ("0 200".to_owned(), Some("MB/s")));
        assert_eq!(words(Quantity::Number, &[0.0, 1e99]).0, "0 1e99");
    }

    #[test]
    fn ticks_of_a_logarithmic_axis_bring_their_own_units() {
        let log = |quantity, tick| own(tick, quantity, false);
        assert_eq!(log(Quantity::Iops, 50_000.0), "50k");
        assert_eq!(log(Quantity::Nanoseconds, 1e7), "10 ms");
        assert_eq!(log(Quantity::Share, 1e-6), "0.0001");
        assert_eq!(log(Quantity::Share, 1e-9), "1e-7");
        assert_eq!(own(131_072.0, Quantity::BlockSize, true), "128 KiB");
        assert_eq!(own(-4e78, Quantity::BlockSize, true), "-4e78 B");
        assert_eq!(own(1_024.0, Quantity::Count, true), "1,024");
        assert_eq!(own(100.0, Quantity::Count, true), "100");
    }
}
