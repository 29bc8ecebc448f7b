//! Exact sums, from which mean and deviation follow.

/// Count, sum, sum of squares, least and greatest of whole nanoseconds.
///
/// The sums are exact 128-bit integers, so merging parts gives the same bits as one pass, in any order.
/// They hold 2^40 values of up to 2^44 ns (five hours) each; beyond that they saturate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    count: u64,
    sum: u128,
    sum_of_squares: u128,
    min: u64,
    max: u64,
}

impl Default for Moments {
    fn default() -> Moments {
        Moments { count: 0, sum: 0, sum_of_squares: 0, min: u64::MAX, max: 0 }
    }
}

impl Moments {
    /// Adds one value.
    pub fn add(&mut self, value: u64) {
        let wide = u128::from(value);
        self.count += 1;
        self.sum = self.sum.saturating_add(wide);
        self.sum_of_squares = self.sum_of_squares.saturating_add(wide * wide);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds the same value so many times.
    pub fn add_many(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        let (wide, times) = (u128::from(value), u128::from(count));
        self.count += count;
        self.sum = self.sum.saturating_add(wide.saturating_mul(times));
        self.sum_of_squares = self.sum_of_squares.saturating_add((wide * wide).saturating_mul(times));
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds the values that another part has seen.
    pub fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_of_squares = self.sum_of_squares.saturating_add(other.sum_of_squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The least value; `None` where there was none.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The greatest value; `None` where there was none.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The arithmetic mean; `None` where there was no value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The sample standard deviation, `sqrt((n sum(x^2) - sum(x)^2) / (n (n - 1)))`; `None` below two values.
    pub fn stddev(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let n = self.count as f64;
        let numerator = match u128::from(self.count).checked_mul(self.sum_of_squares) {
            // The difference of two nearly equal products is taken in integers: floating point would lose it.
            Some(product) => match self.sum.checked_mul(self.sum) {
                Some(square) => product.saturating_sub(square) as f64,
                None => self.numerator_f64(),
            },
            None => self.numerator_f64(),
        };
        Some((numerator / (n * (n - 1.0))).sqrt())
    }

    fn numerator_f64(&self) -> f64 {
        let mean = self.sum as f64 / self.count as f64;
        let n = self.count as f64;
        (n * (self.sum_of_squares as f64 - n * mean * mean)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_of_nearly_equal_large_values_is_not_lost() {
        let mut moments = Moments::default();
        for value in [10_000_000_000, 10_000_000_001, 10_000_000_002] {
            moments.add(value);
        }
        assert_eq!(moments.mean(), Some(10_000_000_001.0));
        assert_eq!(moments.stddev(), Some(1.0));
    }

    /// The squares of 584 years overflow what the deviation is otherwise made of.
    #[test]
    fn the_longest_times_have_a_deviation() {
        let mut moments = Moments::default();
        [0, u64::MAX].into_iter().for_each(|value| moments.add(value));
        // Of two values it is their distance over the square root of 2.
        let deviation = moments.stddev().expect("two values");
        assert!((deviation / (u64::MAX as f64 / 2f64.sqrt()) - 1.0).abs() < 1e-12, "{deviation}");
        let mut equal = Moments::default();
        equal.add_many(u64::MAX, 3);
        assert_eq!((equal.count(), equal.sum()), (3, 3 * u128::from(u64::MAX)));
        assert!(equal.stddev().is_some_and(|deviation| deviation.abs() < 1.0), "{:?}", equal.stddev());
    }

    #[test]
    fn nothing_has_no_figures_and_one_value_no_deviation() {
        let mut moments = Moments::default();
        assert_eq!(
            (moments.mean(), moments.min(), moments.max(), moments.stddev()),
            (None, None, None, None)
        );
        moments.add(7);
        assert_eq!((moments.mean(), moments.min(), moments.max()), (Some(7.0), Some(7), Some(7)));
        assert_eq!((moments.sum(), moments.stddev()), (7, None));
    }
}
