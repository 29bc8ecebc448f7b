//! Numbers with units, as people type them.

use drivelab_block::{ByteCount, Nanos};

/// Reads a size that is not nothing.
pub fn size_above_zero(text: &str) -> Result<ByteCount, String> {
    match size(text)? {
        size if size.get() == 0 => Err("0 bytes hold nothing: give a size above 0, such as 1GiB".to_owned()),
        size => Ok(size),
    }
}

/// Reads `4KiB`, `128k`, `1.5GB`, `512`: KiB and the single letters are binary, kB, MB, GB, TB decimal.
pub fn size(text: &str) -> Result<ByteCount, String> {
    let (number, unit) = split_unit(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(format!("{unit:?} is no unit of size: use KiB, MiB, GiB, TiB, kB, MB, GB or TB")),
    };
    let number: f64 =
        number.parse().map_err(|_| "a size is a number with a unit, such as 4KiB".to_owned())?;
    let bytes = number * factor as f64;
    if !((0.0..9e18).contains(&bytes) && bytes.fract() == 0.0) {
        return Err("a size is a whole number of bytes below 9 EB".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Ok(ByteCount::new(bytes as u64))
}

/// Reads `2000s`, `30min`, `1h 30m`; a bare number is seconds.
pub fn duration(text: &str) -> Result<Nanos, String> {
    let bare = text.parse::<f64>().is_ok();
    let with_unit = if bare { format!("{text}s") } else { text.to_owned() };
    let length = match text.parse::<f64>() {
        Ok(seconds) if (0.0..1e9).contains(&seconds) => std::time::Duration::from_secs_f64(seconds),
        Ok(_) => return Err("a duration is between 0 and 30 years".to_owned()),
        Err(_) => humantime::parse_duration(&with_unit).map_err(|error| {
            format!("a duration is a number with a unit, such as 2000s or 30min ({error})")
        })?,
    };
    let nanos = u64::try_from(length.as_nanos()).map_err(|_| "a duration of centuries".to_owned())?;
    if nanos == 0 {
        return Err("a duration of zero measures nothing: give one such as 60s".to_owned());
    }
    Ok(Nanos::new(nanos))
}

/// Reads a number above zero: volts, watt-hours.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a number above zero, such as 12".to_owned()),
    }
}

/// Reads `25%` or `25`: a share of 0 or more and less than 100.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim();
    if number.is_empty() {
        return Err("nothing follows a comma: write the list without spaces, such as 0%,25%".to_owned());
    }
    match number.parse::<f64>() {
        Ok(percent) if (0.0..100.0).contains(&percent) => Ok(percent),
        Ok(_) => {
            Err("a reserve is 0% or more and less than 100%: something has to be left to write".to_owned())
        }
        Err(_) => Err("a reserve is a percentage, such as 25%".to_owned()),
    }
}

/// Reads a rate in decimal megabytes a second, `160` or `160MB/s`; returns bytes a second.
pub fn megabytes_a_second(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches("MB/s").trim();
    match number.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 1e6 => Ok(rate * 1e6),
        _ => Err("a rate is a number of MB/s above 0, such as 160".to_owned()),
    }
}

/// Splits `4KiB` into its number and its unit.
pub fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_units_are_told_apart() {
        assert_eq!(size("4k"), Ok(ByteCount::new(4096)));
        assert_eq!(size("4KiB"), Ok(ByteCount::new(4096)));
        assert_eq!(size("4kB"), Ok(ByteCount::new(4000)));
        assert_eq!(size("1.5GB"), Ok(ByteCount::new(1_500_000_000)));
        assert!(size("4 parsecs").is_err_and(|error| error.contains("KiB")));
        assert!(size("0.3").is_err());
        assert!(size("-1").is_err());
    }

    #[test]
    fn durations_have_a_unit_or_are_seconds() {
        assert_eq!(duration("2000s"), Ok(Nanos::from_secs(2000)));
        assert_eq!(duration("0.5"), Ok(Nanos::from_millis(500)));
        assert_eq!(duration("1h 30m"), Ok(Nanos::from_secs(5400)));
        assert!(duration("0").is_err());
        assert!(duration("soon").is_err());
        assert!(duration("-5").is_err());
    }

    #[test]
    fn a_reserve_leaves_something() {
        assert_eq!(percent("25%"), Ok(25.0));
        assert_eq!(percent(" 25 % "), Ok(25.0));
        assert!(percent("").is_err_and(|error| error.contains("without spaces")));
        assert!(percent("100%").is_err());
        assert!(percent("NaN").is_err());
    }
}
