//! Rates at places over a drive.

use drivelab_block::{ByteCount, Nanos, Sector};

/// What was moved at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurvePoint {
    /// Where the place begins.
    pub start: Sector,
    /// Bytes behind the answers to all that was asked first, which paid for the way there. All bytes where those took more
    /// than half of the time.
    pub bytes: ByteCount,
    /// The time in which they came.
    pub elapsed: Nanos,
}

impl CurvePoint {
    /// Bytes a second.
    pub fn rate(&self) -> f64 {
        self.bytes.get() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// The rate at which all places together were passed, in bytes a second: slow ones count by their time. `None` without a
/// place.
pub fn total_rate(points: &[CurvePoint]) -> Option<f64> {
    let bytes: u64 = points.iter().map(|point| point.bytes.get()).sum();
    let seconds: f64 = points.iter().map(|point| point.elapsed.as_secs_f64()).sum();
    (!points.is_empty()).then(|| bytes as f64 / seconds.max(1e-9))
}

/// The mean of the rates of all places, in bytes a second, each place counting as much; `None` without a place.
pub fn mean_rate(points: &[CurvePoint]) -> Option<f64> {
    let sum: f64 = points.iter().map(CurvePoint::rate).sum();
    (!points.is_empty()).then(|| sum / points.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_place_counts_by_its_time_or_as_one_place_of_two() {
        let place = |bytes: u64, seconds: u64| CurvePoint {
            start: Sector::new(0),
            bytes: ByteCount::new(bytes),
            elapsed: Nanos::from_secs(seconds),
        };
        let places = [place(600, 2), place(600, 6)];
        assert_eq!((total_rate(&places), mean_rate(&places)), (Some(150.0), Some(200.0)));
        assert_eq!((total_rate(&[]), mean_rate(&[])), (None, None));
    }
}
