//! Where values lie on an axis, and what values an axis reaches over.

use crate::Quantity;
use crate::bins::ends;
use crate::chart::{Axis, Scale, Ticks};

/// Values beyond this are drawn as this one, so that no calculation overflows.
const FAR: f64 = 1e100;
/// Values whose size is below this are drawn as zero.
const NEAR: f64 = 1e-100;
/// The share of an axis that is left free at each end where it is marked at given values.
const INSET: f64 = 0.03;
/// Values that differ by less than this share of their size are taken to be equal.
const EQUAL: f64 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisScale {
    pub low: f64,
    pub high: f64,
    pub is_log: bool,
    /// The share of its length before the lower and behind the upper end.
    inset: f64,
}

/// A number that can be drawn; none for one that is missing.
pub(super) fn tamed(value: f64) -> Option<f64> {
    let near = if value.abs() < NEAR { 0.0 } else { value };
    value.is_finite().then(|| near.clamp(-FAR, FAR))
}

impl AxisScale {
    /// The scale of an axis for these values. A vertical axis, which is `is_rounded`, ends at marks.
    pub fn over(axis: &Axis, values: impl Iterator<Item = f64>, marks: usize, is_rounded: bool) -> AxisScale {
        let is_log = axis.scale != Scale::Linear;
        let given = given_ticks(&axis.ticks);
        let span = axis.span.map(|(low, high)| [low, high]);
        let fixed = given.iter().copied().chain(span.into_iter().flatten());
        let Some((low, high)) = reach(values.chain(fixed), is_log) else {
            let (low, high) = if is_log { (1.0, 10.0) } else { (0.0, 1.0) };
            return AxisScale { low, high, is_log, inset: 0.0 };
        };
        let is_given = !given.is_empty();
        let (low, high) = match is_log {
            true => log_ends(low, high, is_given),
            false if is_given => spread_out(low, high),
            false => {
                let begins_at_zero = low >= 0.0 && axis.span.is_none() && axis.quantity != Quantity::Celsius;
                let (low, high) = spread_out(if begins_at_zero { 0.0 } else { low }, high);
                if is_rounded { rounded(low, high, marks) } else { (low, high) }
            }
        };
        AxisScale { low, high, is_log, inset: if is_given && !is_rounded { INSET } else { 0.0 } }
    }

    /// Where a value lies, from 0 at the lower end to 1; values outside, and those that a logarithmic axis has no place for,
    /// lie on the nearer end. None for a value that is missing.
    pub fn place(&self, value: f64) -> Option<f64> {
        let value = tamed(value)?;
        let share = match self.is_log {
            true if value <= 0.0 => 0.0,
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        Some(self.inset + share.clamp(0.0, 1.0) * (1.0 - 2.0 * self.inset))
    }

    /// Whether a value lies on the axis, and not beyond one of its ends.
    pub fn holds(&self, value: f64) -> bool {
        let slack = if self.is_log { 0.0 } else { (self.high - self.low) * 1e-9 };
        value >= self.low * if self.is_log { 1.0 - 1e-9 } else { 1.0 } - slack
            && value <= self.high * if self.is_log { 1.0 + 1e-9 } else { 1.0 } + slack
    }

    /// Whether the axis has no place for a value that is known: a logarithmic axis for zero and below.
    pub fn is_below(&self, value: f64) -> bool {
        self.is_log && tamed(value).is_some_and(|value| value <= 0.0)
    }
}

/// The values at which an axis is marked by the chart.
fn given_ticks(ticks: &Ticks) -> Vec<f64> {
    match ticks {
        Ticks::Round => Vec::new(),
        Ticks::At(values) => values.clone(),
        Ticks::Named(named) => named.iter().map(|(value, _)| *value).collect(),
    }
}

/// The least and the greatest value that an axis can show.
fn reach(values: impl Iterator<Item = f64>, is_log: bool) -> Option<(f64, f64)> {
    ends(values.filter_map(tamed).filter(|value| !is_log || *value > 0.0))
}

/// The ends of a logarithmic axis: 1, 2 or 5 times a power of ten, or the outer ones of given marks.
fn log_ends(low: f64, high: f64, is_given: bool) -> (f64, f64) {
    if is_given {
        return if high / low > 1.0 + EQUAL { (low, high) } else { (low / 2.0, high * 2.0) };
    }
    let (from, to) = (round_below(low), round_above(high));
    if to / from > 1.5 { (from, to) } else { (round_below(from / 1.5), round_above(to * 1.5)) }
}

/// The ends of a linear axis, apart from each other where all values are equal.
fn spread_out(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    match () {
        () if size <= 0.0 => (0.0, 1.0),
        () if high - low > size * EQUAL => (low, high),
        () => (low - size * 0.1, high + size * 0.1),
    }
}

/// The ends of a linear axis at multiples of the step between its marks.
fn rounded(low: f64, high: f64, marks: usize) -> (f64, f64) {
    let step = round_step(high - low, marks);
    ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step)
}

/// A step of 1, 2 or 5 times a power of ten that makes at most `marks` steps over a span above zero.
pub(super) fn round_step(span: f64, marks: usize) -> f64 {
    round_above(span / marks.max(1) as f64)
}

/// The least value of 1, 2 or 5 times a power of ten that is not below `value`, which is above zero.
fn round_above(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let factors = [1.0, 2.0, 5.0].into_iter();
    factors.map(|factor| factor * power).find(|round| *round >= value * (1.0 - 1e-9)).unwrap_or(power * 10.0)
}

/// The greatest value of 1, 2 or 5 times a power of ten that is not above `value`, which is above zero.
fn round_below(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let factors = [10.0, 5.0, 2.0].into_iter();
    factors.map(|factor| factor * power).find(|round| *round <= value * (1.0 + 1e-9)).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(scale: Scale, span: Option<(f64, f64)>, values: &[f64]) -> (f64, f64) {
        let mut axis = Axis::new("Rate", Quantity::Iops, scale);
        axis.span = span;
        let scale = AxisScale::over(&axis, values.iter().copied(), 6, true);
        (scale.low, scale.high)
    }

    #[test]
    fn a_linear_axis_begins_at_zero_where_nothing_is_negative() {
        assert_eq!(ends(Scale::Linear, None, &[37.0, 95.0]), (0.0, 100.0));
        assert_eq!(ends(Scale::Linear, None, &[-37.0, 95.0, f64::NAN]), (-50.0, 100.0));
        assert_eq!(ends(Scale::Linear, Some((0.0, 500.0)), &[37.0, 95.0]), (0.0, 500.0));
        assert_eq!(ends(Scale::Linear, Some((1_400.0, 2_000.0)), &[1_500.0]), (1_400.0, 2_000.0));
    }

    #[test]
    fn a_logarithmic_axis_ends_at_round_values_and_leaves_zeros_out() {
        assert_eq!(ends(Scale::Log, None, &[0.0, 1_870.0, 48_000.0]), (1_000.0, 50_000.0));
        assert_eq!(ends(Scale::LogOrLinear, None, &[1_000.0]), (500.0, 2_000.0));
        assert_eq!(ends(Scale::Log, None, &[0.0, -3.0]), (1.0, 10.0));
    }

    #[test]
    fn an_axis_of_no_or_of_equal_values_has_a_length() {
        for values in [&[][..], &[0.0], &[7.0, 7.0], &[-7.0], &[1e300], &[-1e300, 1e300], &[1e-300]] {
            for scale in [Scale::Linear, Scale::Log] {
                let (low, high) = ends(scale, None, values);
                assert!(low < high && low.is_finite() && high.is_finite(), "{values:?}: {low} to {high}");
            }
        }
    }

    #[test]
    fn zero_lies_on_the_floor_of_a_logarithmic_axis() {
        let axis = Axis::new("Rate", Quantity::Iops, Scale::Log);
        let scale = AxisScale::over(&axis, [0.0, 10.0, 1_000.0].into_iter(), 6, true);
        assert_eq!([scale.place(0.0), scale.place(f64::NAN)], [Some(0.0), None]);
        assert!((scale.place(100.0).expect("a place") - 0.5).abs() < 1e-9);
        assert!(scale.is_below(0.0) && !scale.is_below(10.0) && !scale.is_below(f64::NAN));
        assert!(!scale.holds(2_000.0) && scale.holds(1_000.0));
    }
}
