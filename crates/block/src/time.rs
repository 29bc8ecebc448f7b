//! Points in time and spans of it, in whole nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in time: nanoseconds since the origin of an engine's clock.
///
/// The origin is arbitrary, and the clock may be virtual, so an instant only means something beside
/// another one of the same run. The range is 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Instant(u64);

impl Instant {
    /// The origin of the clock.
    pub const ORIGIN: Instant = Instant(0);
    /// Later than everything: "wait as long as it takes".
    pub const NEVER: Instant = Instant(u64::MAX);

    /// The instant `nanos` nanoseconds after the origin.
    pub const fn from_nanos(nanos: u64) -> Instant {
        Instant(nanos)
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The span since `earlier`; zero where `earlier` is in fact later.
    pub const fn since(self, earlier: Instant) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Nanos> for Instant {
    type Output = Instant;

    /// Saturates at [`Instant::NEVER`].
    fn add(self, span: Nanos) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Nanos> for Instant {
    fn add_assign(&mut self, span: Nanos) {
        *self = *self + span;
    }
}

/// A span of time in nanoseconds; the range is 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(u64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Nanos = Nanos(0);

    /// A span of `nanos` nanoseconds.
    pub const fn new(nanos: u64) -> Nanos {
        Nanos(nanos)
    }

    /// A span of `micros` microseconds; saturates.
    pub const fn from_micros(micros: u64) -> Nanos {
        Nanos(micros.saturating_mul(1_000))
    }

    /// A span of `millis` milliseconds; saturates.
    pub const fn from_millis(millis: u64) -> Nanos {
        Nanos(millis.saturating_mul(1_000_000))
    }

    /// A span of `secs` seconds; saturates.
    pub const fn from_secs(secs: u64) -> Nanos {
        Nanos(secs.saturating_mul(1_000_000_000))
    }

    /// A span of this many seconds, to the nanosecond below; saturates, and is none where the number is negative or no number.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and takes NaN for 0"
    )]
    pub fn from_secs_f64(secs: f64) -> Nanos {
        Nanos((secs * 1e9) as u64)
    }

    /// The span in nanoseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add for Nanos {
    type Output = Nanos;

    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}

impl Sub for Nanos {
    type Output = Nanos;

    /// Saturates at zero.
    fn sub(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Nanos {
    /// Picks the unit that leaves one to three digits before the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} ns", self.0),
            1_000..1_000_000 => write!(f, "{:.1} us", nanos / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} ms", nanos / 1e6),
            _ => write!(f, "{:.2} s", nanos / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Instant::NEVER + Nanos::new(1), Instant::NEVER);
        assert_eq!(Instant::ORIGIN.since(Instant::NEVER), Nanos::ZERO);
        assert_eq!(Nanos::from_secs(u64::MAX), Nanos::new(u64::MAX));
    }

    #[test]
    fn spans_print_in_the_unit_that_reads_best() {
        assert_eq!(Nanos::new(999).to_string(), "999 ns");
        assert_eq!(Nanos::from_micros(82).to_string(), "82.0 us");
        assert_eq!(Nanos::from_millis(804).to_string(), "804.0 ms");
        assert_eq!(Nanos::from_secs(90).to_string(), "90.00 s");
    }
}
