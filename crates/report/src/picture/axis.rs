//! An axis of a still picture: its ends, its marks and where a value lies on it.

use crate::scale::{LogScale, nice_step};

/// Runs longer than this are measured in hours.
const LONG_S: f64 = 4.0 * 3_600.0;

/// An axis between two values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub log: bool,
    /// What a linear axis is marked in: 3600 for hours on an axis of seconds.
    pub unit: f64,
    /// What is measured, with its unit.
    pub label: &'static str,
    /// How a mark is written.
    pub text: fn(f64) -> String,
}

impl Axis {
    /// A linear axis; where both ends are the same, one unit long.
    pub fn linear(low: f64, high: f64, label: &'static str, text: fn(f64) -> String) -> Axis {
        Axis { low, high: if high > low { high } else { low + 1.0 }, log: false, unit: 1.0, label, text }
    }

    /// An axis of seconds, or of hours where the run was long.
    pub fn time(low: f64, high: f64, text: fn(f64) -> String) -> Axis {
        let axis = Axis::linear(low, high, "time (s)", text);
        if high > LONG_S { Axis { unit: 3_600.0, label: "time (h)", ..axis } } else { axis }
    }

    /// A linear axis from zero to a round value that holds every one.
    pub fn from_zero(
        values: impl Iterator<Item = f64>,
        label: &'static str,
        text: fn(f64) -> String,
    ) -> Axis {
        let most = values.fold(0.0, f64::max);
        let step = nice_step(most, 5);
        Axis::linear(0.0, (most * 1.02 / step).ceil() * step, label, text)
    }

    /// A logarithmic axis of whole decades.
    pub fn decades(scale: LogScale, label: &'static str, text: fn(f64) -> String) -> Axis {
        Axis::log(10f64.powi(scale.low), 10f64.powi(scale.high), label, text)
    }

    /// A logarithmic axis between two positive values.
    pub fn log(low: f64, high: f64, label: &'static str, text: fn(f64) -> String) -> Axis {
        Axis { low, high, log: true, unit: 1.0, label, text }
    }

    /// How a mark is written, in the axis's unit.
    pub fn words(&self, mark: f64) -> String {
        (self.text)(mark / self.unit)
    }

    /// Where a value lies, from 0 at the lower end to 1; what lies outside is put on the nearer end.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.log {
            true if value <= 0.0 => 0.0,
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }

    /// The values to mark: about `count` on a linear axis, powers of ten on a logarithmic one, and 2 and 5
    /// times those where it is short.
    pub fn marks(&self, count: usize) -> Vec<f64> {
        if !self.log {
            let step = nice_step((self.high - self.low) / self.unit, count) * self.unit;
            let first = (self.low / step - 1e-9).ceil();
            let marks = (0..=count * 3).map(|index| (first + index as f64) * step);
            return marks.take_while(|mark| *mark <= self.high * 1.000_001).collect();
        }
        let decades = LogScale::over([self.low, self.high]);
        let factors: &[f64] = if self.high / self.low <= 110.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all = decades.decades().flat_map(|decade| factors.iter().map(move |factor| factor * decade));
        all.filter(|mark| *mark >= self.low * 0.999_999 && *mark <= self.high * 1.000_001).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_lie_on_the_axis() {
        let text = |value: f64| value.to_string();
        let axis = Axis::linear(1_400.0, 2_000.0, "", text);
        assert_eq!(axis.marks(6), [1_400.0, 1_500.0, 1_600.0, 1_700.0, 1_800.0, 1_900.0, 2_000.0]);
        let axis = Axis::log(1e3, 1e5, "", text);
        assert_eq!(axis.marks(6), [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5]);
        assert_eq!(Axis::log(1e0, 1e4, "", text).marks(6).len(), 5);
    }

    #[test]
    fn an_axis_without_values_still_has_a_length() {
        let axis = Axis::from_zero(std::iter::empty(), "", |value| value.to_string());
        assert!(axis.high > axis.low);
        assert!(axis.marks(5).len() >= 2);
    }
}
