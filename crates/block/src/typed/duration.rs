//! Durations, as people type them.

use super::{decimal_point, split_unit};
use crate::Nanos;

/// Units by their names in lower case, and how many nanoseconds each has.
const UNITS: [(&[&str], f64); 8] = [
    (&["ns"], 1.0),
    (&["us", "µs"], 1e3),
    (&["ms"], 1e6),
    (&["s", "sec", "secs", "second", "seconds"], 1e9),
    (&["m", "min", "mins", "minute", "minutes"], 60e9),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600e9),
    (&["d", "day", "days"], 86_400e9),
    (&["w", "week", "weeks"], 604_800e9),
];

/// The longest duration: 10^9 seconds, about 30 years.
const LONGEST: f64 = 1e18;

/// Reads `2000s`, `0.5s`, `30min`, `1h 30m`. A duration is above zero.
///
/// # Errors
/// Where the text is none: what to type instead.
pub fn duration(text: &str) -> Result<Nanos, String> {
    let nanos = match text.trim().parse::<f64>() {
        Ok(0.0) => 0.0,
        Ok(number) if number > 0.0 && number.is_finite() => {
            return Err(format!("a duration has a unit: write {text}s for seconds, or {text}min, {text}h"));
        }
        _ => sum(text).ok_or_else(|| unreadable(text))?,
    };
    if nanos >= LONGEST {
        return Err("a duration is below 30 years: give one such as 60s or 30min".to_owned());
    }
    if nanos < 1.0 {
        return Err("a duration of zero measures nothing: give one such as 60s".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Ok(Nanos::new(nanos as u64))
}

/// The same, and a time of nothing.
///
/// # Errors
/// Where the text is none: what to type instead.
pub fn duration_or_zero(text: &str) -> Result<Nanos, String> {
    if sum(text) == Some(0.0) || text.trim() == "0" { Ok(Nanos::ZERO) } else { duration(text) }
}

/// Whether a text is a duration with its units.
pub(super) fn is_duration(text: &str) -> bool {
    sum(text).is_some()
}

/// The nanoseconds of numbers with their units, one after the other; `None` where the text is anything else.
fn sum(text: &str) -> Option<f64> {
    let mut left = text.trim();
    let mut nanos = 0.0;
    while !left.is_empty() {
        let digits = left.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(left.len());
        let (number, behind) = left.split_at(digits);
        let behind = behind.trim_start();
        let letters = behind.find(|sign: char| !sign.is_alphabetic()).unwrap_or(behind.len());
        let (unit, rest) = behind.split_at(letters);
        let (_, factor) = UNITS.iter().find(|(names, _)| names.contains(&unit))?;
        nanos += number.parse::<f64>().ok()? * factor;
        left = rest.trim_start();
    }
    Some(nanos).filter(|_| !text.trim().is_empty())
}

/// Why a text is no duration, with the one that was meant where that is clear.
fn unreadable(text: &str) -> String {
    if let Some(number) = text.trim().strip_suffix('M').filter(|number| number.trim().parse::<f64>().is_ok())
    {
        return format!("M is no unit of time: write {number}min for minutes");
    }
    let lower = text.trim().to_lowercase();
    if sum(&lower).is_some() {
        return format!("units of time are in lower case: write {lower}");
    }
    if let Some(meant) = decimal_point(text).filter(|meant| sum(meant).is_some()) {
        return format!("a fraction has a point: write {meant}");
    }
    // No unit of time ends like those of size.
    let (number, unit) = split_unit(&lower);
    if number.parse::<f64>().is_ok() && unit.ends_with('b') {
        return format!("{text} is a size, and this is a duration: write one such as 60s or 30min");
    }
    "a duration is a number with a unit, such as 60s, 30min, 8h or 1h 30min".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("2000s"), Ok(Nanos::from_secs(2000)));
        assert_eq!(duration("0.5s"), Ok(Nanos::from_millis(500)));
        assert_eq!(duration("100ms"), Ok(Nanos::from_millis(100)));
        assert_eq!(duration("1h 30m"), Ok(Nanos::from_secs(5400)));
        assert_eq!(duration("1.5h"), Ok(Nanos::from_secs(5400)));
        assert_eq!(duration("14days"), Ok(Nanos::from_secs(14 * 86_400)));
        assert!(duration("0s").is_err() && duration("").is_err() && duration("40years").is_err());
        assert_eq!((duration_or_zero("0s"), duration_or_zero("0")), (Ok(Nanos::ZERO), Ok(Nanos::ZERO)));
        assert_eq!(duration_or_zero("30s"), Ok(Nanos::from_secs(30)));
        assert!(duration_or_zero("").is_err() && duration_or_zero("30").is_err());
    }

    #[test]
    fn an_error_names_the_duration_that_was_meant() {
        for (text, meant) in [
            ("30", "write 30s"),
            ("0", "such as 60s"),
            ("5M", "write 5min"),
            ("2H", "write 2h"),
            ("1H 30M", "write 1h 30m"),
            ("1,5h", "write 1.5h"),
            ("5GB", "is a size"),
            ("soon", "such as 60s"),
            ("-5s", "such as 60s"),
            ("9999999999s", "below 30 years"),
        ] {
            let read = duration(text);
            assert!(read.as_ref().is_err_and(|error| error.contains(meant)), "{text}: {read:?}");
        }
    }
}
