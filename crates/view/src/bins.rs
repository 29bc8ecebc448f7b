//! Long series in few bins, for the renderers that show text.

use crate::chart::{Axis, Scale, Series, Ticks};

/// The values of a series between two places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeriesBin {
    /// How many there are; at least one.
    pub count: usize,
    pub min: f64,
    pub mean: f64,
    pub max: f64,
}

impl SeriesBin {
    fn new(first: f64) -> SeriesBin {
        SeriesBin { count: 1, min: first, mean: first, max: first }
    }

    fn add(&mut self, value: f64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.mean += (value - self.mean) / self.count as f64;
    }

    fn all(values: impl IntoIterator<Item = f64>) -> Option<SeriesBin> {
        let mut values = values.into_iter();
        let mut bin = SeriesBin::new(values.next()?);
        values.for_each(|value| bin.add(value));
        Some(bin)
    }
}

/// A stretch of an axis, as even steps on its scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisStretch {
    pub low: f64,
    pub high: f64,
    /// Whether equal factors are equally long.
    pub is_log: bool,
}

impl AxisStretch {
    /// The stretch that holds all of these numbers; none where there is no number.
    ///
    /// A logarithmic one begins at the least positive number: a zero, which has no logarithm, lies at its beginning.
    pub fn over(scale: Scale, numbers: impl Iterator<Item = f64> + Clone) -> Option<AxisStretch> {
        let all = SeriesBin::all(numbers.clone().filter(|number| number.is_finite()))?;
        let positive = SeriesBin::all(numbers.filter(|number| number.is_finite() && *number > 0.0));
        match (scale, positive) {
            (Scale::Log | Scale::LogOrLinear, Some(found)) if all.min >= 0.0 => {
                Some(AxisStretch { low: found.min, high: found.max, is_log: true })
            }
            _ => Some(AxisStretch { low: all.min, high: all.max, is_log: false }),
        }
    }

    /// The stretch with zero at its beginning, where it is even and has no negative number.
    pub fn with_zero(self) -> AxisStretch {
        if self.is_log { self } else { AxisStretch { low: self.low.min(0.0), ..self } }
    }

    /// Where a number lies: 0 at the beginning, 1 at the end.
    pub fn place(self, number: f64) -> f64 {
        let (low, high, number) = if self.is_log {
            (self.low.log10(), self.high.log10(), number.max(self.low).log10())
        } else {
            (self.low, self.high, number)
        };
        // Halves, since the width of all numbers there are is none.
        let width = high / 2.0 - low / 2.0;
        if width > 0.0 { ((number / 2.0 - low / 2.0) / width).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// In which of so many equal steps a number lies.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place is between 0 and 1")]
    pub fn step(self, number: f64, steps: usize) -> usize {
        ((self.place(number) * steps as f64) as usize).min(steps.saturating_sub(1))
    }

    /// Where one of so many equal steps begins.
    pub fn edge(self, step: usize, steps: usize) -> f64 {
        let share = step as f64 / steps as f64;
        if self.is_log {
            10_f64.powf(self.low.log10() * (1.0 - share) + self.high.log10() * share)
        } else {
            self.low * (1.0 - share) + self.high * share
        }
    }
}

/// The least and the greatest of some values, each of which is a number.
pub(crate) fn ends<T: Copy + PartialOrd>(values: impl Iterator<Item = T>) -> Option<(T, T)> {
    values.fold(None, |ends, value| {
        let (least, most) = ends.unwrap_or((value, value));
        Some((if value < least { value } else { least }, if value > most { value } else { most }))
    })
}

/// The places on the first horizontal axis and the values, without those that are missing.
pub(crate) fn points(series: &Series) -> impl Iterator<Item = (f64, f64)> + Clone {
    let place = move |index| series.xs.first().map_or(f64::NAN, |xs| xs.get(index));
    let all = (0..series.ys.len()).map(move |index| (place(index), series.ys.get(index)));
    all.filter(|(x, y)| x.is_finite() && y.is_finite())
}

/// The bin of all values of a series.
pub(crate) fn whole(series: &Series) -> Option<SeriesBin> {
    SeriesBin::all(points(series).map(|(_, y)| y))
}

/// A series in so many equal steps of a stretch of its first horizontal axis.
pub(crate) fn binned(series: &Series, across: AxisStretch, steps: usize) -> Vec<Option<SeriesBin>> {
    let mut bins: Vec<Option<SeriesBin>> = vec![None; steps];
    for (x, y) in points(series) {
        let bin = &mut bins[across.step(x, steps)];
        match bin {
            Some(bin) => bin.add(y),
            None => *bin = Some(SeriesBin::new(y)),
        }
    }
    bins
}

/// A number of an axis: the name of its mark where it has one.
pub(crate) fn axis_text(axis: &Axis, number: f64) -> String {
    let name = match &axis.ticks {
        Ticks::Named(names) => names.iter().find(|(at, _)| at.total_cmp(&number).is_eq()),
        Ticks::Round | Ticks::At(_) => None,
    };
    name.map_or_else(|| axis.text(number), |(_, name)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Shape;

    #[test]
    fn bins_are_equal_steps_of_the_axis_and_keep_extremes() {
        let points = [(0.0, 1.0), (1.0, 3.0), (9.0, 5.0), (10.0, f64::NAN)];
        let series = Series::of_points("reads", 0, Shape::Dots, points);
        let across = AxisStretch { low: 0.0, high: 10.0, is_log: false };
        let bins = binned(&series, across, 5);
        assert_eq!(bins[0], Some(SeriesBin { count: 2, min: 1.0, mean: 2.0, max: 3.0 }));
        assert_eq!(bins[1..4], [None; 3]);
        assert_eq!(bins[4].map(|bin| bin.mean), Some(5.0));
    }

    #[test]
    fn a_logarithmic_stretch_has_equal_factors_and_zero_at_its_beginning() {
        let numbers = [0.0, 10.0, 1_000.0];
        let stretch = AxisStretch::over(Scale::Log, numbers.into_iter()).expect("numbers");
        let steps = [0.0, 10.0, 99.0, 101.0, 1_000.0].map(|number| stretch.step(number, 4));
        assert_eq!(steps, [0, 0, 1, 2, 3]);
        assert!((stretch.edge(1, 2) - 100.0).abs() < 1e-9);
    }
}
