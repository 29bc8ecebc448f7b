//! Where an axis is marked, and with what words.

use super::clock_ticks::clock_ticks;
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
}
