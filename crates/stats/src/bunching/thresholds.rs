//! From when on an I/O is slow.

/// From when on an I/O is slow, in nanoseconds. 16.7 ms is a frame of a picture that moves, 100 ms feels instant,
/// 1 s breaks a train of thought.
pub const THRESHOLDS: [u64; 7] =
    [10_000_000, 16_700_000, 33_000_000, 50_000_000, 100_000_000, 500_000_000, 1_000_000_000];

/// Slower than this many medians of the time is slow for that drive.
const MEDIANS: u64 = 10;
/// The place of the relative threshold, behind the fixed ones.
pub const RELATIVE: usize = THRESHOLDS.len();
/// The place of 100 ms.
pub const INSTANT: usize = 4;
const _: () = assert!(THRESHOLDS[INSTANT] == 100_000_000, "what feels instant");

/// From when on an I/O is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// At least this many nanoseconds.
    Fixed(u64),
    /// At least ten times the median of the latest 1,024 I/Os, and at least a nanosecond.
    TenMedians,
}

/// The fixed thresholds that are counted side by side, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds([u64; THRESHOLDS.len()]);

impl Default for Thresholds {
    /// [`THRESHOLDS`].
    fn default() -> Thresholds {
        Thresholds(THRESHOLDS)
    }
}

impl Thresholds {
    /// With a threshold of `asked` nanoseconds, at least one, in the place of the one that is nearest by its ratio.
    pub fn with(asked: u64) -> Thresholds {
        let asked = asked.max(1);
        let mut limits = THRESHOLDS;
        let distance = |limit: &u64| (*limit as f64 / asked as f64).ln().abs();
        if let Some(nearest) =
            limits.iter_mut().min_by(|one, other| distance(one).total_cmp(&distance(other)))
        {
            *nearest = asked;
        }
        Thresholds(limits)
    }

    /// The place of a threshold of this many nanoseconds, where it is one of them.
    pub fn place(&self, nanos: u64) -> Option<usize> {
        self.0.iter().position(|limit| *limit == nanos)
    }

    /// All of them, the relative one last.
    pub fn all(&self) -> impl Iterator<Item = Threshold> {
        self.0.into_iter().map(Threshold::Fixed).chain([Threshold::TenMedians])
    }

    /// The least one, in nanoseconds.
    #[inline]
    pub fn least(&self) -> u64 {
        self.0[0]
    }

    /// A bit for each threshold that a latency reaches, the relative one's last.
    #[inline]
    pub fn slow_at(&self, latency: u64, relative: u64) -> u8 {
        let mut slow = u8::from(latency >= relative) << RELATIVE;
        if latency >= self.0[0] {
            for (place, limit) in self.0.iter().enumerate() {
                slow |= u8::from(latency >= *limit) << place;
            }
        }
        slow
    }
}

/// The relative threshold; at least a nanosecond, so that not everything is slow where the median is nothing.
#[inline]
pub fn ten_medians(median: u64) -> u64 {
    median.saturating_mul(MEDIANS).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_that_is_asked_for_takes_the_place_of_the_nearest() {
        for (asked, place) in [(1, 0), (5_000_000, 0), (25_000_000, 2), (100_000_000, 4), (9_000_000_000, 6)]
        {
            let thresholds = Thresholds::with(asked);
            assert_eq!(thresholds.place(asked), Some(place));
            assert!(thresholds.0.is_sorted());
            assert_eq!(thresholds.slow_at(asked, u64::MAX) >> place, 1, "slow there, and at no longer one");
        }
    }

    #[test]
    fn the_least_threshold_is_the_first_one() {
        assert_eq!(
            (Thresholds::default().least(), Thresholds::with(4_000_000).least()),
            (10_000_000, 4_000_000)
        );
    }
}
