//! Five minutes of clock time.

/// How long an interval is, in seconds. An hour and a day are whole numbers of intervals, in every time zone.
pub const INTERVAL_SECONDS: u64 = 300;

const NANOS_PER_INTERVAL: u64 = INTERVAL_SECONDS * 1_000_000_000;

/// Five minutes of clock time in UTC, by their number since the beginning of 1970. Leap seconds are not counted, as in all
/// times of Unix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RollupInterval(u64);

impl RollupInterval {
    /// The interval that holds a time in nanoseconds since 1970.
    pub const fn of_unix_nanos(nanos: u64) -> RollupInterval {
        RollupInterval(nanos / NANOS_PER_INTERVAL)
    }

    /// When it begins, in milliseconds since 1970, as Parquet keeps it.
    pub const fn start_unix_millis(self) -> i64 {
        // A time of 64 bits of nanoseconds has fewer than 2^45 milliseconds.
        (self.0 * (INTERVAL_SECONDS * 1_000)).cast_signed()
    }

    /// The interval that begins at a time in milliseconds since 1970; none where no interval begins then.
    pub(crate) fn starting_at_unix_millis(millis: i64) -> Option<RollupInterval> {
        let millis = u64::try_from(millis).ok()?;
        let length = INTERVAL_SECONDS * 1_000;
        (millis.is_multiple_of(length) && millis < u64::MAX / 1_000_000)
            .then_some(RollupInterval(millis / length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_an_interval_which_begins_at_five_whole_minutes() {
        // 2026-11-24T08:05:00Z, and the nanoseconds around it.
        let start = 1_795_507_500_000_000_000;
        let interval = RollupInterval::of_unix_nanos(start);
        assert_eq!(interval.start_unix_millis(), 1_795_507_500_000);
        assert_eq!(RollupInterval::of_unix_nanos(start + NANOS_PER_INTERVAL - 1), interval);
        assert!(RollupInterval::of_unix_nanos(start - 1) < interval);
        let last = RollupInterval::of_unix_nanos(u64::MAX);
        for one in [RollupInterval::of_unix_nanos(0), interval, last] {
            assert_eq!(RollupInterval::starting_at_unix_millis(one.start_unix_millis()), Some(one));
        }
        let none = [-300_000, 1, 299_999, i64::MAX];
        assert_eq!(none.map(RollupInterval::starting_at_unix_millis), [None; 4]);
    }
}
