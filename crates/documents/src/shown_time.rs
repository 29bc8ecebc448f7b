//! Times as a clock shows them, without its zone.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;

use crate::started::ClockTime;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// A time as a clock shows it, without its zone: with its day, such as `2026-11-26T17:32:15`, or without one, such as `17:32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownTime {
    /// A day and its time.
    Dated(DateTime),
    /// A time of any day.
    Daily(Time),
}

impl ShownTime {
    /// How many nanoseconds after `began` its clock first shows this time, `earliest` nanoseconds after it or later. A day that
    /// was over by then is 0, and so is the second in which the clock began, where `earliest` is 0; none where it is later than a
    /// clock can count.
    pub fn after(self, began: ClockTime, earliest: u64) -> Option<u64> {
        let begun = began.clock_nanos().rem_euclid(SECOND);
        // The clock shows the second in which it began from that second's beginning on.
        let origin = began.clock_nanos() - begun;
        let since_origin = match self {
            ShownTime::Dated(shown) => {
                let at = shown.to_zoned(TimeZone::UTC).ok()?.timestamp().as_nanosecond();
                at.checked_sub(origin)?
            }
            ShownTime::Daily(shown) => {
                let earliest = if earliest == 0 { 0 } else { begun + i128::from(earliest) };
                let seconds = [(shown.hour(), 3_600), (shown.minute(), 60), (shown.second(), 1)];
                let seconds: i128 = seconds.iter().map(|(count, of)| i128::from(*count) * of).sum();
                let of_day = seconds * SECOND + i128::from(shown.subsec_nanosecond());
                earliest + (of_day - origin - earliest).rem_euclid(DAY)
            }
        };
        u64::try_from((since_origin - begun).max(0)).ok()
    }
}

impl FromStr for ShownTime {
    type Err = String;

    fn from_str(text: &str) -> Result<ShownTime, String> {
        let dated = text.parse().map(ShownTime::Dated);
        // An hour of one digit is as clear as one of two.
        let hour_of_one = text.find(':') == Some(1);
        let daily =
            || if hour_of_one { format!("0{text}").parse() } else { text.parse() }.map(ShownTime::Daily);
        dated
            .or_else(|_| daily())
            .map_err(|_| format!("{text} is no time such as 17:32 or 2026-11-26T17:32:15"))
    }
}

impl fmt::Display for ShownTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShownTime::Dated(shown) => shown.fmt(out),
            ShownTime::Daily(shown) => shown.fmt(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000_000_000;

    #[test]
    fn a_time_of_any_day_is_the_first_one_from_a_moment_on() {
        let began = "2026-11-26T22:30:00-03:30".parse().expect("a time");
        let after = |text: &str, earliest| text.parse::<ShownTime>().expect("a time").after(began, earliest);
        assert_eq!(after("22:30", 0), Some(0));
        assert_eq!(after("22:30", 1), Some(24 * HOUR));
        assert_eq!(after("3:30", 0), after("03:30", 0));
        assert_eq!(after("23:30:00", 0), Some(HOUR));
        assert_eq!(after("00:30", 0), Some(2 * HOUR));
        assert_eq!(after("00:30", 2 * HOUR + 1), Some(26 * HOUR));
        assert_eq!(after("22:29:59", 0), Some(24 * HOUR - 1_000_000_000));
    }

    /// A trace that began at 22:30:20.548 has the I/Os of 22:31:07 from 46.452 s on.
    #[test]
    fn a_time_lies_where_the_clock_shows_it_whatever_the_first_second() {
        let began = "2026-11-26T22:30:20.548+01:00".parse().expect("a time");
        let after = |text: &str, earliest| text.parse::<ShownTime>().expect("a time").after(began, earliest);
        for text in ["2026-11-26T22:31:07", "22:31:07"] {
            assert_eq!(after(text, 0), Some(46_452_000_000), "{text}");
        }
        assert_eq!(after("22:31:07.5", 0), Some(46_952_000_000));
        assert_eq!(after("22:31:08", 46_452_000_001), Some(47_452_000_000));
        assert_eq!(after("22:30:20", 0), Some(0), "the clock shows it at the beginning");
        assert_eq!(after("22:30:20", 1), Some(24 * HOUR - 548_000_000));
    }

    #[test]
    fn a_day_with_its_time_is_where_the_clock_shows_it() {
        let began = "2026-11-26T22:30:00-03:30".parse().expect("a time");
        let after = |text: &str| text.parse::<ShownTime>().expect("a time").after(began, 7);
        for (text, nanos) in [
            ("2026-11-27T00:30", 2 * HOUR),
            ("2026-11-27 00:30:00", 2 * HOUR),
            ("2026-11-27", HOUR * 3 / 2),
            ("2026-11-26T22:00", 0),
        ] {
            assert_eq!(after(text), Some(nanos), "{text}");
        }
        assert_eq!(after("9999-12-31"), None, "beyond what nanoseconds count");
    }

    /// A message about a time names it as it was asked for.
    #[test]
    fn a_time_is_told_as_a_clock_shows_it() {
        for text in ["17:32:15", "2026-11-26T17:32:15"] {
            assert_eq!(text.parse::<ShownTime>().expect("a time").to_string(), text);
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_an_example() {
        for text in ["", "yesterday", "25:00", "2026-13-01"] {
            let error = text.parse::<ShownTime>().expect_err("no time");
            assert!(error.ends_with("is no time such as 17:32 or 2026-11-26T17:32:15"), "{error}");
        }
    }
}
