//! Means over runs: one run is one value, however many I/Os it had.

use drivelab_stats::{IntervalEnds, MeanInterval};
use drivelab_view::chart::Spread;
use drivelab_view::{Quantity, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mean over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeanOverRuns {
    /// Runs.
    pub runs: u64,
    /// Their mean.
    pub mean: f64,
    /// Its 95 % confidence interval (Student's t), which ends at zero where it would go below; null below two runs.
    pub interval: Option<IntervalEnds>,
}

impl MeanOverRuns {
    /// The mean of one value for each run; of no runs it is 0.
    pub fn from_values(values: &[f64]) -> MeanOverRuns {
        MeanInterval::from_values(values)
            .map_or_else(MeanOverRuns::default, |found| MeanOverRuns::from((found, 1.0)))
    }

    /// The mean with its interval, as it is shown: times `scale`.
    pub fn value(&self, quantity: Quantity, scale: f64) -> Value {
        let interval = self.interval.map(|ends| (ends.low * scale, ends.high * scale));
        Value::new(quantity, self.mean * scale).within_known(interval)
    }

    /// Whether it is shown to be greater than another one: its interval lies above that of the other.
    pub fn is_above(&self, other: &MeanOverRuns) -> bool {
        self.interval.zip(other.interval).is_some_and(|(own, other)| own.low > other.high)
    }

    /// The intervals of means, each times its scale, as a chart draws them; not a number where there is none.
    pub fn spread(means: impl Iterator<Item = (MeanOverRuns, f64)>) -> Spread {
        let ends = means.map(|(mean, scale)| {
            mean.interval.map_or((f64::NAN, f64::NAN), |ends| (ends.low * scale, ends.high * scale))
        });
        let (low, high): (Vec<f64>, Vec<f64>) = ends.unzip();
        Spread { low: low.into_iter().collect(), high: high.into_iter().collect() }
    }
}

/// The mean of positive figures, divided by a scale.
impl From<(MeanInterval, f64)> for MeanOverRuns {
    fn from((found, scale): (MeanInterval, f64)) -> MeanOverRuns {
        let interval = found.half_width.map(|half| IntervalEnds {
            low: (found.mean - half).max(0.0) / scale,
            high: (found.mean + half) / scale,
        });
        MeanOverRuns { runs: found.count, mean: found.mean / scale, interval }
    }
}
