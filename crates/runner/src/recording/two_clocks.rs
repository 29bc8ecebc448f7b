//! The clock of a run beside the kernel's, by which it dates requests.

use drivelab_uring::Clock;

use crate::conditions::monotonic;

/// Where the clock of a run began on `CLOCK_MONOTONIC`, as it was read at some moment. The rate of the run's clock is known to
/// about one part in a million, and less well on a machine that is emulated: read later, its origin is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginReading {
    /// When it was read, in nanoseconds of `CLOCK_MONOTONIC`.
    pub at: u64,
    /// The origin, in nanoseconds of `CLOCK_MONOTONIC`.
    pub origin: u64,
}

impl OriginReading {
    pub fn now(clock: Clock) -> OriginReading {
        OriginReading { at: monotonic(), origin: clock.origin().get() }
    }

    /// A time of the kernel on the clock of the run, in nanoseconds; negative before its origin.
    pub fn time_of(self, kernel: u64) -> i64 {
        let nanos = i128::from(kernel) - i128::from(self.origin);
        i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
    }

    /// The same, by this reading and a later one: between them the origin moves evenly, and beyond them on at that rate.
    pub fn time_until(self, later: OriginReading, kernel: u64) -> i64 {
        let moved = i128::from(later.origin) - i128::from(self.origin);
        let between = i128::from(later.at.saturating_sub(self.at)).max(1);
        let since = i128::from(kernel) - i128::from(self.at);
        let origin = i128::from(self.origin) + moved * since / between;
        let origin = u64::try_from(origin).unwrap_or(self.origin);
        OriginReading { origin, ..self }.time_of(kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that runs fast by a hundred parts in a million, for 20 s: a request at the end is 2 ms off by the first reading
    /// alone.
    #[test]
    fn a_request_has_the_time_that_the_clock_of_the_run_showed() {
        let (start, second) = (5_000_000_000_u64, 1_000_000_000_u64);
        // What the clock of the run shows at a time of the kernel.
        let shown = |kernel: u64| (kernel - start) + (kernel - start) / 10_000;
        let read = |at: u64| OriginReading { at, origin: at - shown(at) };
        let (first, last) = (read(start + second), read(start + 21 * second));
        for at in [start + second, start + 3 * second, start + 11 * second, start + 21 * second] {
            let own = i64::try_from(shown(at)).expect("some seconds");
            assert!((first.time_until(last, at) - own).abs() < 10, "{at}");
        }
        let end = start + 21 * second;
        assert_eq!(first.time_of(end) - i64::try_from(shown(end)).expect("some seconds"), -2_000_000);
    }

    #[test]
    fn a_request_before_the_run_has_a_negative_time() {
        let reading = OriginReading { at: 2_000, origin: 1_500 };
        assert_eq!(reading.time_of(1_000), -500);
        assert_eq!(reading.time_until(reading, 1_000), -500);
    }
}
