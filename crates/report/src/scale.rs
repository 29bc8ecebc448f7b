//! Axes: which values they hold and where their marks lie. One axis serves every run of a comparison.

/// A logarithmic axis from one power of ten to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogScale {
    /// The exponent of ten at the lower end.
    pub low: i32,
    /// The exponent of ten at the upper end; above `low`.
    pub high: i32,
}

impl LogScale {
    /// The smallest axis of whole decades that holds every positive value.
    pub fn over(values: impl IntoIterator<Item = f64>) -> LogScale {
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for value in values.into_iter().filter(|value| *value > 0.0 && value.is_finite()) {
            least = least.min(value);
            most = most.max(value);
        }
        if most <= 0.0 {
            return LogScale { low: 0, high: 1 };
        }
        #[expect(clippy::cast_possible_truncation, reason = "exponents of finite numbers are small")]
        let (low, high) = (least.log10().floor() as i32, most.log10().ceil() as i32);
        LogScale { low, high: high.max(low + 1) }
    }

    /// Where a value lies, from 0 at the lower end to 1; values outside, and zero, lie on the nearer end.
    pub fn place(self, value: f64) -> f64 {
        if value <= 0.0 {
            return 0.0;
        }
        ((value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The powers of ten on the axis.
    pub fn decades(self) -> impl DoubleEndedIterator<Item = f64> {
        (self.low..=self.high).map(|exponent| 10f64.powi(exponent))
    }
}

/// A step of 1, 2 or 5 times a power of ten that makes at most `marks` steps over `span`.
pub(crate) fn nice_step(span: f64, marks: usize) -> f64 {
    if span <= 0.0 || !span.is_finite() {
        return 1.0;
    }
    let rough = span / marks.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * 0.999_999);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_holds_whole_decades_and_never_none() {
        assert_eq!(LogScale::over([1_870.0, 50_000.0, 0.0]), LogScale { low: 3, high: 5 });
        assert_eq!(LogScale::over([1_000.0]), LogScale { low: 3, high: 4 });
        assert_eq!(LogScale::over([]), LogScale { low: 0, high: 1 });
    }

    #[test]
    fn zero_lies_at_the_floor() {
        let scale = LogScale { low: 2, high: 4 };
        assert!(scale.place(0.0).abs() < 1e-12);
        assert!((scale.place(1_000.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn steps_are_one_two_or_five() {
        let steps = [nice_step(2_000.0, 5), nice_step(2_000.0, 10), nice_step(0.7, 4), nice_step(0.0, 4)];
        let wanted = [500.0, 200.0, 0.2, 1.0];
        assert!(steps.iter().zip(wanted).all(|(step, wanted)| (step - wanted).abs() < 1e-9), "{steps:?}");
    }
}
